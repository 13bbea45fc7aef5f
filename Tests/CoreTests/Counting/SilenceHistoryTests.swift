@testable import Core
import TestSupport
import Testing

@Suite("Silence over time and on the map", .quick)
struct SilenceHistoryTests {
  static let start = SimInstant(microseconds: 1_000_000_000)

  @Test(
    "a stretch of time is split into its slots to the microsecond",
    arguments: [
      (0, 40, [10, 10, 10, 10]), (5, 12, [5, 2, 0, 0]), (-100, 15, [10, 5, 0, 0]),
      (33, 900, [0, 0, 0, 7]), (10, 20, [0, 10, 0, 0]), (7, 7, [0, 0, 0, 0]),
    ] as [(Int64, Int64, [Int64])])
  func slots(from: Int64, to: Int64, expected: [Int64]) {
    var profile = PhoneTimeProfile(start: Self.start, width: .microseconds(10), slots: 4)
    profile.add(from: Self.start + .microseconds(from), to: Self.start + .microseconds(to))
    #expect(profile.microseconds == expected)
  }

  @Test("many stretches add up to the sum of each, in any order of merging")
  func merging() {
    var whole = PhoneTimeProfile(start: Self.start, width: .seconds(7), slots: 50)
    var parts = [whole, whole, whole]
    var sum: Int64 = 0
    var draw = Draw(seed: 7, phone: 1, .init(rawValue: 900))
    for i in 0..<300 {
      let from = Int64(draw.uniform(0, 3e8))
      let length = Int64(draw.uniform(0, 5e7))
      let (a, b) = (Self.start + .microseconds(from), Self.start + .microseconds(from + length))
      whole.add(from: a, to: b)
      parts[i % 3].add(from: a, to: b)
      sum += length
    }
    parts[2].merge(parts[0])
    parts[2].merge(parts[1])
    #expect(parts[2] == whole)
    #expect(whole.microseconds.reduce(0, +) == sum)
  }

  @Test("a run has enough slots for a picture, and none shorter than a second")
  func widths() {
    let map = SilenceMap(radius: 1_000)
    let hour = SilenceHistory(start: Self.start, duration: .hours(1), map: map)
    #expect(hour[.offline].slots == 240 && hour[.offline].width == .seconds(15))
    let short = SilenceHistory(start: Self.start, duration: .seconds(10), map: map)
    #expect(short[.offline].slots == 10)
  }
}
