import Core
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Position error on the way", .quick)
struct PositionErrorTests {
  static let error = PositionError(seed: 9)
  /// Each source with its correlation time in seconds.
  static let kinds: [(PositionSource, Surroundings, Double)] = [
    (.satellites, .open, 50), (.satellites, .street, 20), (.satellites, .indoor, 50),
    (.wifi, .street, 20), (.cell, .street, 20),
  ]
  static let noHeading = PlanePoint(x: 0, y: 0)

  static func offset(
    at t: SimInstant, _ n: Int, _ source: PositionSource, _ surroundings: Surroundings,
    heading: PlanePoint = noHeading
  ) -> PlanePoint {
    error.moving(at: t, phone: World.phone(n), source, surroundings, heading: heading).offset
  }

  @Test("the spread is the same at every phase between two knots", arguments: 0..<5)
  func stationary(kind: Int) {
    let (source, surroundings, step) = Self.kinds[kind]
    let sigma = Self.error.sigma(source, surroundings)
    for phase in [0, 0.13, 0.5, 0.77, 0.99] {
      let t = SimInstant(microseconds: Int64((1e8 + phase) * step * 1e6))
      let offsets = (0..<6_000).map { Self.offset(at: t, $0, source, surroundings) }
      for axis in [offsets.map(\.x), offsets.map(\.y)] {
        #expect(abs(axis.mean) < 0.07 * sigma)
        // Phones less accurate than the median add a twentieth.
        #expect(abs(axis.variance / (sigma * sigma) - 1.05) < 0.13, "phase \(phase)")
      }
      let cross = zip(offsets, offsets).map { $0.x * $1.y }.mean
      #expect(abs(cross) < 0.07 * sigma * sigma)
    }
  }

  @Test("the error decorrelates within half to twice its nominal time", arguments: 0..<5)
  func correlation(kind: Int) {
    let (source, surroundings, nominal) = Self.kinds[kind]
    let at = { (lag: Double) in Self.correlation(source, surroundings, lag: lag) }
    #expect(at(0) > 0.99)
    // exp(-1) is between the two.
    #expect(at(nominal / 2) > exp(-1) && at(2 * nominal) < exp(-1))
    #expect(abs(at(5 * nominal)) < 0.06)
  }

  /// Over 4,000 phones, each at a different instant.
  static func correlation(
    _ source: PositionSource, _ surroundings: Surroundings, lag: Double
  ) -> Double {
    var (product, square) = (0.0, 0.0)
    for n in 0..<4_000 {
      let t = World.monday + SimDuration(seconds: Double(n) * 13.7)
      let a = offset(at: t, n, source, surroundings)
      let b = offset(at: t + SimDuration(seconds: lag), n, source, surroundings)
      product += a.x * b.x + a.y * b.y
      square += a.x * a.x + a.y * a.y
    }
    return product / square
  }

  @Test("the error is the same when it is requested twice or in another order")
  func stateless() {
    let instants = (0..<500).map { World.monday + .milliseconds(Int64($0) * 770) }
    let ask = { (t: SimInstant) in Self.offset(at: t, 3, .satellites, .street) }
    let forward = instants.map(ask)
    #expect(forward == Array(instants.reversed().map(ask).reversed()))
  }

  @Test("the error moves in small steps")
  func continuous() {
    for n in 0..<2_000 as Range<Int64> {
      let t = World.monday + .seconds(n)
      let a = Self.offset(at: t, 1, .satellites, .street)
      let b = Self.offset(at: t + .milliseconds(10), 1, .satellites, .street)
      #expect(a.distance(to: b) < 0.05)
    }
  }

  @Test("errors of different phones, sources and surroundings are independent")
  func independent() {
    let at = { (n: Int, source: PositionSource, place: Surroundings) in
      Self.offset(at: World.monday, n, source, place).x / Self.error.sigma(source, place)
    }
    let pairs = (0..<4_000).map { (at($0, .satellites, .open), at($0 + 1, .satellites, .open)) }
    #expect(abs(pairs.map { $0 * $1 }.mean) < 0.06)
    let kinds = (0..<4_000).map { (at($0, .satellites, .open), at($0, .wifi, .street)) }
    #expect(abs(kinds.map { $0 * $1 }.mean) < 0.06)
  }

  @Test("a phone model's bias is on one side of the track in every direction")
  func acrossTheTrack() {
    let biases = (0..<400).map { n in
      let across = [(1.0, 0.0), (0.6, 0.8), (0, -1)].map { x, y in
        let heading = PlanePoint(x: x, y: y)
        let with = Self.offset(at: World.monday, n, .satellites, .street, heading: heading)
        let shift = with - Self.offset(at: World.monday, n, .satellites, .street)
        #expect(abs(shift.x * x + shift.y * y) < 1e-9)
        return shift.x * y - shift.y * x
      }
      #expect(across.allSatisfy { abs($0 - across[0]) < 1e-9 })
      return across[0]
    }
    #expect(abs(biases.mean) < 0.4 && abs(biases.variance.squareRoot() - 2.2) < 0.4)
  }

  @Test(
    "a moving phone reports 6 m in the median and 15 m at worst, and two errors of three are within"
  )
  func reported() {
    var reports: [Double] = []
    var within: [Double] = []
    for n in 0..<4_000 {
      let t = World.monday + .seconds(Int64(n) * 37)
      let surroundings: Surroundings = n % 3 == 0 ? .open : .street
      let estimate = Self.error.moving(
        at: t, phone: World.phone(n), .satellites, surroundings, heading: PlanePoint(x: 1, y: 0))
      let report = Double(
        Self.error.reportedAccuracy(estimate, at: t, phone: World.phone(n), .satellites))
      reports.append(report)
      within.append(estimate.offset.distance(to: Self.noHeading) <= report ? 1 : 0)
    }
    reports.sort()
    #expect(abs(reports[2_000] / 6 - 1) < 0.3, "median \(reports[2_000])")
    #expect(abs(reports[3_800] / 15 - 1) < 0.3, "95th percentile \(reports[3_800])")
    #expect(abs(within.mean - 0.68) < 0.1, "within \(within.mean)")
  }

  @Test("SL10: network positions are reported in the steps of real phones")
  func steps() {
    func report(_ source: PositionSource, spread: Double) -> UInt16 {
      let estimate = PositionError.Estimate(offset: Self.noHeading, spread: spread)
      return Self.error.reportedAccuracy(
        estimate, at: World.monday, phone: World.phone(0), source)
    }
    // The radius that holds 68 % of the errors is 1.5 σ, and phones report slightly more.
    #expect([10, 30, 60, 600].map { report(.wifi, spread: $0) } == [30, 65, 165, 165])
    #expect(
      [30, 300, 330, 800, 5_000].map { report(.cell, spread: $0) }
        == [500, 500, 1_414, 1_414, 3_000])
    #expect(report(.reduced, spread: 30) == 2_500)
  }

  @Test(
    "SL10: surroundings and radios decide a position's source",
    arguments: Surroundings.allCases)
  func network(surroundings: Surroundings) {
    var sources: [PositionSource?] = []
    for (phone, leg) in World.legs(900) {
      let slot: Int64 = 60_000_000
      let at = SimInstant(microseconds: (leg.start.microseconds / slot + 1) * slot)
      guard at < leg.end, leg.surroundings(at: at) == surroundings else { continue }
      sources.append(World.maker.network(at: at, leg, .all, phone))
      #expect(World.maker.network(at: at, leg, [.cells], phone) == .cell)
      #expect(World.maker.network(at: at, leg, [.wifi], phone) != .cell)
      #expect(World.maker.network(at: at, leg, [], phone) == nil)
      #expect(
        World.maker.coarseFix(at: at, leg, .all, fromCells: true, phone).source == .cell)
    }
    if surroundings == .indoor {
      sources = (0..<400).map {
        World.maker.network(at: World.monday, World.stay($0), .all, PhoneID(rawValue: $0))
      }
    }
    let share = Double(sources.count { $0 == .wifi }) / Double(max(1, sources.count))
    #expect(sources.count > 15 && sources.allSatisfy { $0 != nil })
    switch surroundings {
    case .open: #expect(abs(share - 0.2) < 0.15)
    case .street: #expect(share > 0.9)
    case .indoor: #expect(share > 0.95)
    case .tunnel: #expect(share == 0)
    }
  }

  @Test(
    "SL2, SL10: in open country a wake's position is mostly from a cell, hundreds of metres off")
  func openCountry() {
    var (accuracies, errors) = ([Double](), [Double]())
    for (phone, leg) in World.legs(200) {
      let at = leg.start + SimDuration(microseconds: leg.duration.microseconds / 2)
      guard leg.surroundings(at: at) == .open else { continue }
      let fix = World.maker.coarseFix(at: at, leg, .all, phone).fix
      accuracies.append(Double(fix.accuracyMeters))
      let place = World.maker.projection.point(of: fix.coordinate)
      errors.append(place.distance(to: leg.position(at: at)))
    }
    #expect(accuracies.count > 20)
    #expect(accuracies.sorted()[accuracies.count / 2] >= 500, "\(accuracies)")
    #expect(errors.sorted()[errors.count / 2] > 300, "\(errors)")
  }
}
