import TestSupport
import Testing
@testable import Core

@Suite("Instants and durations", .quick)
struct TimePointTests {
  @Test("the difference of two instants, added to the first, gives the second")
  func differences() {
    var draw = Draw(seed: 1, phone: 0, .sample)
    for _ in 0..<1_000 {
      let a = SimInstant(microseconds: Int64(draw.uniform(-1e15, 1e15)))
      let b = SimInstant(microseconds: Int64(draw.uniform(-1e15, 1e15)))
      #expect(a + (b - a) == b && b - (b - a) == a)
      #expect((a < b) == (a - b < .zero))
      var moved = a
      moved += b - a
      #expect(moved == b)
    }
  }

  @Test("every unit gives the same length")
  func units() {
    #expect(SimDuration.hours(1) == .minutes(60))
    #expect(SimDuration.minutes(1) == .seconds(60))
    #expect(SimDuration.seconds(1) == .milliseconds(1_000))
    #expect(SimDuration.milliseconds(1) == .microseconds(1_000))
    #expect(SimDuration.seconds(90) * 2 == .minutes(3))
    #expect(SimDuration.minutes(2) - .seconds(30) + .seconds(15) == .seconds(105))
    #expect(SimDuration.milliseconds(1_500).seconds == 1.5)
  }

  @Test(
    "seconds round to the nearest microsecond, away from zero at the half",
    arguments: [
      (0.1, 100_000), (1e-6, 1), (0.4e-6, 0), (0.6e-6, 1), (-0.6e-6, -1), (-2, -2_000_000),
    ]
  )
  func rounding(seconds: Double, microseconds: Int64) {
    #expect(SimDuration(seconds: seconds).microseconds == microseconds)
  }

  @Test("a century fits between distant past and distant future, and can be added to both")
  func distantEnds() {
    let century = SimDuration.hours(24 * 36_525)
    #expect(SimInstant.distantPast < SimInstant(microseconds: 0) - century)
    #expect(SimInstant(microseconds: 0) + century < .distantFuture)
    #expect(SimInstant.distantFuture < SimInstant.distantFuture + century)
    #expect(SimInstant.distantPast - century < .distantPast)
    #expect(SimInstant.distantFuture - .distantPast > century)
  }
}

extension Purpose {
  /// Random numbers of the tests.
  static let sample = Purpose(rawValue: 90)
  static let other = Purpose(rawValue: 91)
}
