import Core
import Phone
import Scenarios
import TestSupport
import Testing

@testable import Fleet

@Suite("Stays detected by a server", .quick)
struct StayTests {
  static let scenario = Scenario.standard(phones: 2)
  let context = FleetContext(scenario)
  let start = scenario.start

  /// A fix some metres east of the city's centre.
  func fix(minute: Int, east: Double) -> Fix {
    let projection = context.fixMaker(of: PhoneID(rawValue: 0), cohort: 0).projection
    return Fix(
      coordinate: projection.coordinate(of: PlanePoint(x: east, y: 0)),
      time: FixTime(start + .minutes(Int64(minute))), accuracyMeters: 10,
      speedDecimetersPerSecond: -1, courseDegrees: -1)
  }

  /// Stays found in fixes of (minute, metres east).
  func found(_ fixes: [(Int, Double)], batch: Int = 100) -> [FoundStay] {
    let finder = StayFinder(context)
    let all = fixes.map { fix(minute: $0.0, east: $0.1) }
    for (number, first) in stride(from: 0, to: all.count, by: batch).enumerated() {
      let part = Array(all[first..<min(all.count, first + batch)])
      part.withUnsafeBufferPointer {
        finder.take(
          BatchID(phone: PhoneID(rawValue: 0), epoch: 1, sequence: UInt32(number + 1)), $0)
      }
    }
    return finder.stays()[0]
  }

  func stay(_ from: Int, _ to: Int, east: Double) -> FoundStay {
    FoundStay(
      phone: 0, place: PlanePoint(x: east, y: 0), start: start + .minutes(Int64(from)),
      end: start + .minutes(Int64(to)))
  }

  func minutes(_ stays: [FoundStay]) -> [[Int64]] {
    stays.map { stay in
      [stay.start, stay.end].map { ($0 - start).microseconds / 60_000_000 }
    }
  }

  @Test("a stay is from its first fix to the last within 200 m of it")
  func oneStay() {
    #expect(
      minutes(found([(0, 5_000), (10, 0), (11, 150), (40, -190), (45, 900)])) == [[10, 40]])
  }

  @Test("less than 20 min is no stay, and a gap between two fixes does not extend one")
  func short() {
    #expect(found([(0, 0), (19, 10), (25, 800)]).isEmpty)
    #expect(minutes(found([(0, 0), (20, 10), (25, 800)])) == [[0, 20]])
    #expect(found([(0, 0), (300, 900)]).isEmpty)
  }

  @Test("batches that cut a stay, or come twice, change nothing")
  func batches() {
    let fixes = [(0, 0.0), (10, 20), (30, 10), (31, 700), (60, 710), (61, 4_000)]
    #expect(minutes(found(fixes)) == [[0, 30], [31, 60]])
    #expect(found(fixes, batch: 1) == found(fixes))
    #expect(found(fixes + fixes) == found(fixes))
  }

  @Test("a stay detected for less than half is missed; one that never happened is false")
  func account() {
    let window = Window(start: start, end: start + .hours(24))
    func account(_ truth: [FoundStay], _ found: [FoundStay]) -> [Int] {
      let account = StayAccount(lived: truth, found: found, endingWithin: window)
      return [account.lived, account.missed, account.invented]
    }
    let home = stay(0, 100, east: 0)
    #expect(account([home], []) == [1, 1, 0])
    #expect(account([home], [stay(60, 100, east: 0)]) == [1, 1, 0])
    #expect(account([home], [stay(50, 100, east: 190)]) == [1, 0, 0])
    #expect(account([home], [stay(0, 25, east: 0), stay(40, 70, east: 9)]) == [1, 0, 0])
    // At the wrong place: both missed and false.
    #expect(account([home], [stay(0, 100, east: 300)]) == [1, 1, 1])
    // A short rest is no stay, and a stay detected there is not false.
    #expect(account([stay(0, 15, east: 0)], [stay(0, 25, east: 0)]) == [0, 0, 0])
    // A stay that has not ended cannot be detected yet.
    #expect(account([stay(0, 24 * 60 + 1, east: 0)], []) == [0, 0, 0])
  }

  @Test("rests and ways of a person tile time; a rest that began before is cut")
  func rests() {
    let from = start - .hours(12)
    let rests = context.rests(of: PhoneID(rawValue: 1), from: from, to: start + .hours(36))
    #expect(rests.first?.start == from)
    #expect(rests.count >= 2)
    for (one, next) in zip(rests, rests.dropFirst()) { #expect(one.end < next.start) }
    for rest in rests {
      let middle = rest.start + SimDuration(microseconds: rest.length.microseconds / 2)
      let segment = context.segment(of: PhoneID(rawValue: 1), cohort: 0, at: middle)
      #expect(!segment.isMoving && segment.position(at: middle).distance(to: rest.place) < 1)
    }
  }
}
