internal import Core
internal import Foundation
internal import TestSupport
internal import Testing
@testable internal import Capacity

@Suite("Distances between samples", .quick)
struct SampleDistanceTests {
  /// Values with ties, ascending.
  private static func sample(_ number: Int64, _ count: Int, shift: Double = 0) -> [Double] {
    var draw = Draw(seed: 7, phone: 0, Purpose(rawValue: 900), number)
    return (0..<count).map { _ in (draw.uniform() * 20).rounded() + shift }.sorted()
  }

  /// By the definition, at every value.
  private static func shareBelow(_ values: [Double], _ limit: Double) -> Double {
    Double(values.count { $0 <= limit }) / Double(values.count)
  }

  @Test("the Kolmogorov–Smirnov distance is the greatest difference of shares", arguments: 1...20)
  func kolmogorovSmirnov(_ number: Int64) throws {
    let (a, b) = (Self.sample(number, 37), Self.sample(number + 100, 53, shift: 2))
    let expected = (a + b).map { abs(Self.shareBelow(a, $0) - Self.shareBelow(b, $0)) }.max() ?? 0
    let distance = try #require(SampleDistance.kolmogorovSmirnov(a, b))
    #expect(abs(distance - expected) < 1e-12)
    #expect(SampleDistance.kolmogorovSmirnov(b, a) == distance)
  }

  @Test("the Wasserstein distance of samples of equal size is the mean difference by rank")
  func wasserstein() throws {
    for number in Int64(1)...20 {
      let (a, b) = (Self.sample(number, 40), Self.sample(number + 100, 40, shift: 3))
      let expected = zip(a, b).reduce(0) { $0 + abs($1.0 - $1.1) } / 40
      let distance = try #require(SampleDistance.wasserstein(a, b))
      #expect(abs(distance - expected) < 1e-9)
      let shifted = try #require(SampleDistance.wasserstein(a, a.map { $0 + 5 }))
      #expect(abs(shifted - 5) < 1e-9)
    }
  }

  @Test("on a circle, an hour before midnight is two hours from an hour after it")
  func circular() {
    var a = [Double](repeating: 0, count: 24)
    var b = a
    a[23] = 10
    b[1] = 5
    #expect(SampleDistance.circular(a, b) == 2)
    #expect(SampleDistance.circular(a, a) == 0)
  }

  @Test("an empty sample has no distance, and a sample has distance 0 to itself")
  func limits() {
    let a = Self.sample(1, 30)
    #expect(SampleDistance.kolmogorovSmirnov(a, []) == nil)
    #expect(SampleDistance.wasserstein([], a) == nil)
    #expect(SampleDistance.circular([0], [1]) == nil)
    #expect(SampleDistance.kolmogorovSmirnov(a, a) == 0)
    #expect(SampleDistance.wasserstein(a, a) == 0)
  }
}
