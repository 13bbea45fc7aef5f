import Foundation
import TestSupport
import Testing
@testable import Core

@Suite("Keyed draws", .quick)
struct DrawTests {
  @Test("a draw depends on its key alone, not on earlier draws")
  func independentOfOrder() {
    let keys = (0..<200).map { Int64($0) }
    let forward = keys.map { Self.first(5, 7, .sample, $0, 3) }
    let backward = keys.reversed().map { Self.first(5, 7, .sample, $0, 3) }
    #expect(forward == Array(backward.reversed()))
  }

  @Test("keys that differ in any part open different streams")
  func distinctKeys() {
    var seen: Set<UInt64> = []
    for seed in [1, 2, 1 << 40] as [UInt64] {
      for phone in [0, 1, 2, .max] as [UInt32] {
        for purpose in [Purpose.sample, .other] {
          for a in [-1, 0, 1, 1_772_433_000_000_000] as [Int64] {
            for b in [-1, 0, 1, 2] as [Int64] {
              seen.insert(Self.first(seed, phone, purpose, a, b))
            }
          }
        }
      }
    }
    #expect(seen.count == 3 * 4 * 2 * 4 * 4)
  }

  @Test("first draws of neighbouring keys are uncorrelated")
  func neighbours() {
    let values = (0..<20_000).map { key in
      var draw = Draw(seed: 9, phone: 1, .sample, Int64(key))
      return draw.uniform() - 0.5
    }
    let pairs = zip(values, values.dropFirst()).map { $0 * $1 }
    // The product of two independent uniforms on ±½ has standard deviation 1/12.
    #expect(abs(pairs.mean) < 4.0 / 12 / Double(pairs.count).squareRoot())
  }

  @Test("uniform numbers fill [0, 1) evenly")
  func uniform() {
    let values = Self.sample { $0.uniform() }
    #expect(values.allSatisfy { $0 >= 0 && $0 < 1 })
    #expect(abs(values.mean - 0.5) < 0.005 && abs(values.variance - 1.0 / 12) < 0.002)
    for tenth in 0..<10 {
      let share = values.share { $0 >= Double(tenth) / 10 && $0 < Double(tenth + 1) / 10 }
      #expect(abs(share - 0.1) < 0.006)
    }
    let wide = Self.sample { $0.uniform(-3, 5) }
    #expect(wide.allSatisfy { $0 >= -3 && $0 < 5 } && abs(wide.mean - 1) < 0.04)
  }

  @Test("an event occurs with its probability", arguments: [0, 0.05, 0.5, 0.97, 1])
  func chance(p: Double) {
    let hits = Self.sample { $0.chance(p) ? 1 : 0 }
    #expect(abs(hits.mean - p) < 0.01)
  }

  @Test("normal numbers have mean 0, variance 1 and normal tails")
  func normal() {
    let values = Self.sample { $0.normal() }
    #expect(abs(values.mean) < 0.015 && abs(values.variance - 1) < 0.03)
    #expect(abs(values.share { abs($0) < 1 } - 0.6827) < 0.01)
    #expect(abs(values.share { abs($0) > 2 } - 0.0455) < 0.004)
  }

  @Test("exponential numbers have their mean, its square as variance, and no memory")
  func exponential() {
    let values = Self.sample { $0.exponential(mean: 40) }
    #expect(values.allSatisfy { $0 >= 0 && $0.isFinite })
    #expect(abs(values.mean - 40) < 0.8 && abs(values.variance - 1_600) < 80)
    let late = values.filter { $0 > 30 }.map { $0 - 30 }
    #expect(abs(late.mean - 40) < 1.2)
  }

  @Test("log-normal numbers have their median and the spread of their logarithm")
  func logNormal() {
    let values = Self.sample { $0.logNormal(median: 750, sigma: 0.73) }
    #expect(abs(values.share { $0 < 750 } - 0.5) < 0.01)
    let logs = values.map { log($0 / 750) }
    #expect(abs(logs.mean) < 0.012 && abs(logs.variance.squareRoot() - 0.73) < 0.012)
  }

  static func first(_ seed: UInt64, _ phone: UInt32, _ p: Purpose, _ a: Int64, _ b: Int64) -> UInt64
  {
    var draw = Draw(seed: seed, phone: phone, p, a, b)
    return draw.next()
  }

  /// 30,000 first draws, one a key.
  static func sample(_ value: (inout Draw) -> Double) -> [Double] {
    (0..<30_000).map { key in
      var draw = Draw(seed: 77, phone: UInt32(key), .sample)
      return value(&draw)
    }
  }
}

extension [Double] {
  fileprivate var mean: Double { reduce(0, +) / Double(count) }
  fileprivate var variance: Double {
    let centre = mean
    return map { ($0 - centre) * ($0 - centre) }.mean
  }
  fileprivate func share(_ holds: (Double) -> Bool) -> Double {
    Double(count(where: holds)) / Double(count)
  }
}
