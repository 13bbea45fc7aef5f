import Foundation
import Mobility
import SimulationCore
import Telemetry
import Testing

@testable import Phone

@Suite("Position error")
struct PositionErrorTests {
  static let error = PositionError(seed: 9)
  static let kinds: [(PositionSource, Surroundings, Double)] = [
    (.satellites, .open, 50), (.satellites, .street, 20), (.satellites, .indoor, 50),
    (.wifi, .indoor, 300), (.wifi, .street, 20), (.cell, .street, 20),
  ]

  @Test("the spread is the same at every phase between two knots", arguments: 0..<6)
  func stationary(kind: Int) {
    let (source, surroundings, step) = Self.kinds[kind]
    let sigma = PositionError.sigma(source, surroundings)
    for phase in [0, 0.13, 0.5, 0.77, 0.99] {
      let t = SimInstant(microseconds: Int64((1e8 + phase) * step * 1e6))
      let offsets = (0..<4_000).map {
        Self.error.offset(at: t, phone: World.phone($0), source, surroundings)
      }
      for axis in [offsets.map(\.x), offsets.map(\.y)] {
        #expect(abs(axis.mean) < 0.07 * sigma)
        #expect(abs(axis.variance / (sigma * sigma) - 1) < 0.1, "phase \(phase)")
      }
      let cross = zip(offsets, offsets).map { $0.x * $1.y }.mean
      #expect(abs(cross) < 0.07 * sigma * sigma)
    }
  }

  @Test("the error forgets itself within half to twice its nominal time", arguments: 0..<6)
  func correlation(kind: Int) {
    let (source, surroundings, nominal) = Self.kinds[kind]
    let at = { (lag: Double) in Self.correlation(source, surroundings, lag: lag) }
    #expect(at(0) > 0.99)
    // exp(-1) falls between the two.
    #expect(at(nominal / 2) > exp(-1) && at(2 * nominal) < exp(-1))
    #expect(abs(at(5 * nominal)) < 0.06)
  }

  /// Over 4,000 phones, each at an instant of its own.
  static func correlation(
    _ source: PositionSource, _ surroundings: Surroundings, lag: Double
  ) -> Double {
    var (product, square) = (0.0, 0.0)
    for n in 0..<4_000 {
      let t = World.monday + SimDuration(seconds: Double(n) * 13.7)
      let a = error.offset(at: t, phone: World.phone(n), source, surroundings)
      let b = error.offset(
        at: t + SimDuration(seconds: lag), phone: World.phone(n), source, surroundings)
      product += a.x * b.x + a.y * b.y
      square += a.x * a.x + a.y * a.y
    }
    return product / square
  }

  @Test("asked twice, or in another order, the error is the same")
  func stateless() {
    let instants = (0..<500).map { World.monday + .milliseconds(Int64($0) * 770) }
    let ask = { (t: SimInstant) in
      Self.error.offset(at: t, phone: World.phone(3), .satellites, .street)
    }
    let forward = instants.map(ask)
    #expect(forward == Array(instants.reversed().map(ask).reversed()))
  }

  @Test("the error moves in small steps")
  func continuous() {
    for n in 0..<2_000 as Range<Int64> {
      let t = World.monday + .seconds(n)
      let a = Self.error.offset(at: t, phone: World.phone(1), .satellites, .street)
      let b = Self.error.offset(
        at: t + .milliseconds(10), phone: World.phone(1), .satellites, .street)
      #expect(a.distance(to: b) < 0.05)
    }
  }

  @Test("phones err apart from each other, sources and surroundings too")
  func independent() {
    let at = { (n: Int, source: PositionSource, place: Surroundings) in
      Self.error.offset(at: World.monday, phone: World.phone(n), source, place)
    }
    let pairs = (0..<4_000).map {
      (at($0, .satellites, .open).x / 3, at($0 + 1, .satellites, .open).x / 3)
    }
    #expect(abs(pairs.map { $0 * $1 }.mean) < 0.06)
    let kinds = (0..<4_000).map {
      (at($0, .satellites, .open).x / 3, at($0, .wifi, .indoor).x / 20)
    }
    #expect(abs(kinds.map { $0 * $1 }.mean) < 0.06)
  }

  @Test("reported accuracies are those that phones show, and grow with the error")
  func reported() {
    let report = { (n: Int, source: PositionSource, place: Surroundings) in
      Self.error.reportedAccuracy(at: World.monday, phone: World.phone(n), source, place)
    }
    let open = (0..<500).map { Double(report($0, .satellites, .open)) }
    let indoor = (0..<500).map { Double(report($0, .satellites, .indoor)) }
    #expect(
      open.allSatisfy { (3...10).contains($0) } && indoor.allSatisfy { (10...65).contains($0) })
    #expect(open.mean < indoor.mean)
    #expect(report(0, .wifi, .indoor) == 65 && report(0, .cell, .street) == 1_414)
  }
}
