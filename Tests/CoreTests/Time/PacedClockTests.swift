import Core
import TestSupport
import Testing

@Suite("Paced clock of a live run", .quick)
struct PacedClockTests {
  static let start = SimInstant(microseconds: 1_772_433_000_000_000)
  static let wall = WallInstant(microseconds: 98_765_432_101)
  static let speeds = [0.1, 0.3, 1, 1.1, 7, 59.94, 60, 1.0 / 3, 1_000, 86_400]

  static func clock(_ speed: Double, stands: Bool = false) -> PacedClock {
    PacedClock(
      scenarioStart: start, wallStart: wall, speed: speed, standsUntilStart: stands)
  }

  /// Instants up to a week before and after the start, small distances as often as large ones.
  static func instants(_ count: Int, seed: UInt64) -> [SimInstant] {
    var draw = Draw(seed: seed, phone: 0, Purpose(rawValue: 999))
    return (0..<count).map { n in
      let most = draw.chance(0.5) ? 1_000 : 7 * 86_400 * 1e6
      return start + .microseconds(Int64(draw.uniform(-most, most)))
    }
  }

  @Test(
    "an instant comes at its wall-clock instant, and not a microsecond before", arguments: speeds)
  func thereAndBack(speed: Double) {
    let clock = Self.clock(speed)
    for instant in Self.instants(20_000, seed: 4) {
      let wall = clock.wall(of: instant)
      #expect(clock.scenario(at: wall) >= instant)
      #expect(clock.scenario(at: wall - .microseconds(1)) < instant)
    }
  }

  @Test("the instant of a wall-clock instant has come by then", arguments: speeds)
  func backAndThere(speed: Double) {
    let clock = Self.clock(speed)
    for instant in Self.instants(20_000, seed: 5) {
      let wall = Self.wall + .microseconds(instant.microseconds - Self.start.microseconds)
      #expect(clock.wall(of: clock.scenario(at: wall)) <= wall)
    }
  }

  @Test(
    "it stops at the ends of time, at any speed",
    arguments: [0.001, 1, 86_400, 1e6, 1e300])
  func ends(speed: Double) {
    let wide = [WallInstant.distantPast, Self.wall, .distantFuture]
    for stands in [true, false] {
      let clock = Self.clock(speed, stands: stands)
      let instants = wide.map { clock.scenario(at: $0) }
      #expect(instants == instants.sorted() && instants.allSatisfy(\.isWithinReach))
      let walls = [SimInstant.distantPast, Self.start, .distantFuture].map { clock.wall(of: $0) }
      #expect(walls == walls.sorted() && walls[1] == Self.wall)
    }
  }

  @Test("it never goes back", arguments: speeds)
  func monotone(speed: Double) {
    let clock = Self.clock(speed)
    let instants = Self.instants(5_000, seed: 6).sorted()
    for (a, b) in zip(instants, instants.dropFirst()) {
      #expect(clock.wall(of: a) <= clock.wall(of: b))
    }
  }

  @Test("a server's clock stops until its run is live, and agrees with the run's from then on")
  func stands() {
    let fleet = Self.clock(60)
    let server = Self.clock(60, stands: true)
    #expect(server.scenario(at: Self.wall - .seconds(3_600)) == Self.start)
    #expect(server.wall(of: Self.start - .hours(1)) == Self.wall)
    #expect(server.wall(of: Self.start) == Self.wall && fleet.wall(of: Self.start) == Self.wall)
    for instant in Self.instants(1_000, seed: 7) where instant > Self.start {
      #expect(server.wall(of: instant) == fleet.wall(of: instant))
    }
  }

  @Test("at 60 × a simulated minute is a second, to the microsecond")
  func speed() {
    let clock = Self.clock(60)
    #expect(clock.wall(of: Self.start + .minutes(1)) == Self.wall + .seconds(1))
    #expect(clock.wall(of: Self.start + .microseconds(61)) == Self.wall + .microseconds(2))
    #expect(clock.scenario(at: Self.wall + .microseconds(1)) == Self.start + .microseconds(60))
  }
}
