import Core
import PhoneSupport
import TestSupport
import Testing

@testable import Phone
@testable import Scenarios

@Suite("Phone clocks", .quick)
struct PhoneClockTests {
  static func clocks(_ change: (inout ClockErrors) -> Void = { _ in }) -> PhoneClocks {
    var mix = PhoneMix.standard
    change(&mix.clock)
    return PhoneClocks(seed: 11, mix: mix)
  }

  /// Clock errors of a number of phones on Monday, in seconds.
  static func errors(
    of phones: UInt32, _ change: (inout ClockErrors) -> Void = { _ in }
  ) -> [Double] {
    let clocks = clocks(change)
    return (0..<phones).map {
      clocks.error(of: PhoneID(rawValue: $0), at: World.monday).seconds
    }
  }

  @Test("CK1: most clocks are a fraction of a second off, one of two hundred minutes or more")
  func bulk() {
    let errors = Self.errors(of: 100_000).map(abs)
    let wrong = errors.filter { $0 >= 10 }.count
    // 0.5 % of them; of log-normal minutes only a few are below ten seconds.
    #expect((430...570).contains(wrong))
    let bulk = errors.filter { $0 < 10 }
    #expect(bulk.allSatisfy { $0 < 2 })
    // Of a normal distribution with a deviation of 0.3 s.
    let within = Double(bulk.filter { $0 <= 0.3 }.count) / Double(bulk.count)
    #expect((0.67...0.70).contains(within))
    #expect((0.949...0.960).contains(Double(bulk.filter { $0 <= 0.6 }.count) / Double(bulk.count)))
  }

  @Test("CK1: clocks that were set wrong are off by minutes, whole hours or whole days")
  func setWrong() throws {
    let signed = Self.errors(of: 20_000) { $0.setWrong = 1 }
    let errors = signed.map(abs)
    let days = errors.filter { $0 >= 86_400 && $0.truncatingRemainder(dividingBy: 86_400) == 0 }
    let hours = errors.filter {
      [3_600, 7_200, 10_800].contains($0)
    }
    let minutes = errors.filter { $0.truncatingRemainder(dividingBy: 3_600) != 0 }.sorted()
    #expect((0.04...0.06).contains(Double(days.count) / 20_000))
    #expect((0.335...0.365).contains(Double(hours.count) / 20_000))
    #expect(days.count + hours.count + minutes.count == errors.count)
    #expect(Set(days).count == 7 && days.max() == 7 * 86_400)
    let median = minutes.dropFirst(minutes.count / 2).first
    #expect((280...320).contains(try #require(median)), "the median is five minutes")
    #expect((0.48...0.52).contains(Double(signed.filter { $0 > 0 }.count) / 20_000))
    let ahead = Self.errors(of: 1_000) {
      $0.setWrong = 1
      $0.ahead = 1
    }
    #expect(ahead.allSatisfy { $0 > 0 })
  }

  @Test("CK1: clocks without errors are right, and no error is longer than a year")
  func bounds() {
    #expect(Self.errors(of: 1_000) { $0 = .none } == [Double](repeating: 0, count: 1_000))
    let extreme = Self.errors(of: 20_000) {
      $0.setWrong = 1
      $0.minutes = .hours(12)
      $0.minutesSigma = 3
      $0.daysMost = ClockErrors.most
    }
    #expect(extreme.allSatisfy { abs($0) <= ClockErrors.most.seconds })
    #expect(extreme.contains { abs($0) > 0.9 * ClockErrors.most.seconds })
  }

  @Test("CK2: a clock is set again as often as the scenario says, with a new error")
  func changes() {
    let clocks = Self.clocks { $0.changesPerYear = 12 }
    var (count, jumps) = (0, 0)
    for number in 0..<200 as Range<UInt32> {
      let phone = PhoneID(rawValue: number)
      var setting = clocks.setting(of: phone, at: FixTime(World.monday))
      let end = FixTime(World.monday + .hours(24 * 365)).centiseconds
      while setting.until < end {
        let next = clocks.setting(of: phone, at: FixTime(centiseconds: setting.until))
        #expect(next.from == setting.until)
        count += 1
        if next.error != setting.error { jumps += 1 }
        setting = next
      }
    }
    #expect((2_300...2_500).contains(count))
    #expect(Double(jumps) > 0.97 * Double(count))
  }

  @Test("CK2: all stamps between two settings have the same error, and a stamp never changes")
  func stamps() {
    let clocks = Self.clocks {
      $0.setWrong = 1
      $0.changesPerYear = 300
    }
    let phone = PhoneID(rawValue: 3)
    var forward = PhoneStamps(clocks, of: phone)
    var taken: [(time: FixTime, stamp: FixTime)] = []
    var jumps = 0
    for minute in 0..<(10 * 1_440 as Int64) {
      let time = FixTime(World.monday + .minutes(minute))
      taken.append((time, forward.stamp(time)))
    }
    for (one, next) in zip(taken, taken.dropFirst()) {
      let error = one.stamp.centiseconds - one.time.centiseconds
      #expect(error != 0)
      if next.stamp.centiseconds - one.stamp.centiseconds != 6_000 { jumps += 1 }
    }
    #expect((4...14).contains(jumps))
    var backward = PhoneStamps(clocks, of: phone)
    for (time, stamp) in taken.reversed() { #expect(backward.stamp(time) == stamp) }
  }
}
