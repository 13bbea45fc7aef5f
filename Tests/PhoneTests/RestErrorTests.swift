import Core
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import Phone

/// Compares a phone at rest with recorded phones: 62 dwells of five minutes or more, an hour each
/// on average.
@Suite("Position error at rest", .quick)
struct RestErrorTests {
  /// Positions each second of a dwell, relative to its median point.
  static func dwell(_ n: Int, minutes: Int = 40) -> [PlanePoint] {
    let error = PositionErrorTests.error
    let start = World.monday + .seconds(Int64(n) * 4_001)
    return (0..<minutes * 60).map { second in
      let held = error.held(
        at: start + .seconds(Int64(second)), phone: World.phone(n), stay: start)
      return error.resting(at: held, phone: World.phone(n), stay: start, .wifi, .indoor).offset
    }
  }

  static let dwells = (0..<100).map { dwell($0) }

  static func radii(_ dwell: [PlanePoint]) -> [Double] {
    let middle = PlanePoint(
      x: dwell.map(\.x).sorted()[dwell.count / 2], y: dwell.map(\.y).sorted()[dwell.count / 2])
    return dwell.map { $0.distance(to: middle) }.sorted()
  }

  static func steps(_ dwell: [PlanePoint]) -> [Double] {
    zip(dwell, dwell.dropFirst()).map { $0.distance(to: $1) }
  }

  static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  @Test("NO1: in the median dwell 67 % of fixes are within 2 m and 95 % within 8 m")
  func radii() {
    let radii = Self.dwells.map(Self.radii)
    let inner = Self.median(radii.map { $0[$0.count * 68 / 100] })
    let outer = Self.median(radii.map { $0[$0.count * 95 / 100] })
    #expect(abs(inner / 2 - 1) < 0.5, "\(inner) m")
    #expect(abs(outer / 8 - 1) < 0.5, "\(outer) m")
  }

  @Test("the farthest fix of a dwell is 20 m away in the median, and a kilometre in a few dwells")
  func farthest() {
    let farthest = Self.dwells.map { Self.radii($0).last ?? 0 }.sorted()
    #expect(farthest[50] > 10 && farthest[50] < 40, "\(farthest[50]) m")
    #expect(farthest[97] > 300, "\(farthest[97]) m")
  }

  @Test("NO1: every second fix repeats the one before, steps are small and few are large")
  func steps() {
    let steps = Self.dwells.map(Self.steps)
    let repeated = Self.median(steps.map { $0.share { $0 == 0 } })
    #expect(abs(repeated - 0.55) < 0.2, "repeated \(repeated)")
    let changes = steps.joined().filter { $0 > 0 }.sorted()
    let typical = changes[changes.count / 2]
    let large = changes[changes.count * 95 / 100]
    #expect(typical > 0.1 && typical < 0.6, "median \(typical) m")
    #expect(large > 1 && large < 4, "95th percentile \(large) m")
  }

  @Test("a leap returns: no dwell ends far from its position of half the time")
  func comesBack() {
    let away = Self.dwells.map { Self.radii($0).share { $0 > 100 } }
    #expect(away.contains { $0 > 0 } && away.allSatisfy { $0 < 0.2 })
  }

  @Test("a held position stays the same when computed again, and is never older than its stay")
  func held() {
    let error = PositionErrorTests.error
    let stay = World.monday + .milliseconds(300)
    let ask = { (t: SimInstant) in error.held(at: t, phone: World.phone(5), stay: stay) }
    var last = stay
    for second in 0..<3_000 as Range<Int64> {
      let t = stay + .milliseconds(second * 970)
      let held = ask(t)
      #expect(held >= last && held <= t && t - held < .seconds(64))
      #expect(ask(held) == held)
      last = held
    }
  }

  @Test(
    "NO1, NO8: a distant position is reported as a cell's, unless an access point is misplaced",
    arguments: [0, 0.5, 1])
  func admitted(misplaced: Double) {
    var profile = SensorProfile.standard
    profile.leaps.misplaced = misplaced
    let error = PositionError(seed: PositionErrorTests.error.seed, profile: profile)
    let stay = World.monday
    var (leaps, cells) = (0, 0)
    for n in 0..<40_000 as Range<Int64> {
      let phone = World.phone(Int(n % 40))
      let estimate = error.resting(
        at: stay + .seconds(n * 20), phone: phone, stay: stay, .wifi, .indoor)
      let isFar = estimate.offset.distance(to: PlanePoint(x: 0, y: 0)) > 400
      if isFar { leaps += 1 }
      if isFar, estimate.isFromCell { cells += 1 }
    }
    #expect(leaps > 10 && abs(Double(cells) / Double(leaps) - (1 - misplaced)) < 0.25)
  }
}
