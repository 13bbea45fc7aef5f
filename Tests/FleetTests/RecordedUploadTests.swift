import Core
import Phone
import ServerLogic
import TestSupport
import Testing

@testable import Fleet
@testable import Scenarios

/// Phones that send the uploads of a log.
@Suite("Recorded uploads", .quick)
struct RecordedUploadTests {
  private static func fix(_ at: SimInstant, _ number: Int32) -> Fix {
    Fix(
      coordinate: Coordinate(latitudeE6: 52_500_000 + number, longitudeE6: 13_400_000),
      time: FixTime(at), accuracyMeters: 10, speedDecimetersPerSecond: -1, courseDegrees: -1)
  }

  /// One recording with two fixes sent after 10 s, and one after 70 s.
  private static func scenario(phones: Int, faults: [Fault] = []) -> Scenario {
    var scenario = Scenario.standard(phones: phones)
    scenario.warmStart = .zero
    scenario.duration = .minutes(10)
    scenario.phases = .init(ramp: .zero, drain: .minutes(1))
    scenario.fleet.phone.clock = .none
    scenario.faults = faults
    let start = scenario.start
    var recording = Recording(
      path: "a", points: [.init(time: start, latitude: 52.5, longitude: 13.4)], report: "")
    for (seconds, numbers) in [(10, [1, 2]), (70, [3])] {
      recording.uploads.begin(at: start + .seconds(Int64(seconds)))
      for number in numbers {
        recording.uploads.append(
          fix(start + .seconds(Int64(seconds) - 5), Int32(number)), batteryPercent: nil)
      }
    }
    scenario.recordings = [recording]
    scenario.fleet.cohorts[0].mobility = .recorded(Replay([0], of: ["a"]))
    return scenario
  }

  private static func simulate(
    _ scenario: Scenario
  ) -> (fleet: PhoneFleet, batches: [(id: BatchID, fixes: [Fix])]) {
    let fleet = PhoneFleet(scenario, threads: 1)
    fleet.inOrder {
      $0.startCounting(
        freshnessWithin: Window(start: scenario.start, end: scenario.measureEnd))
    }
    var time = VirtualTime(
      fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: scenario.start))
    let all = Received()
    time.received = { all.batches.append(($0, Array($1))) }
    time.advance(until: scenario.measureEnd)
    return (fleet, all.batches)
  }

  private final class Received {
    var batches: [(id: BatchID, fixes: [Fix])] = []
  }

  @Test("each upload is sent at its time, with its fixes, and acknowledged")
  func onTime() {
    let (fleet, batches) = Self.simulate(Self.scenario(phones: 1))
    let start = fleet.context.scenario.start
    #expect(
      batches.map(\.fixes) == [
        [Self.fix(start + .seconds(5), 1), Self.fix(start + .seconds(5), 2)],
        [Self.fix(start + .seconds(65), 3)],
      ])
    #expect(fleet.uploadsByMinute().prefix(3) == [1, 1, 0])
    let ledger = Ledger(fleet.metrics(), fleet.census())
    #expect(ledger.fixes.generated == 3)
    #expect(ledger.fixes.acknowledged == 3)
    #expect(ledger.check().isEmpty)
    // From the receipt of the newest fix on, which is 5 s old, for half an hour.
    let fresh = fleet.freshness().cohorts[0].fresh.seconds
    #expect((585..<590).contains(fresh), "\(fresh)")
  }

  @Test("fixes of a failed upload are sent again with the next one")
  func failed() {
    var scenario = Self.scenario(phones: 1)
    scenario.faults = [
      .outage(.serverOutage, at: scenario.start, lasts: .seconds(30))
    ]
    let (fleet, batches) = Self.simulate(scenario)
    #expect(batches.map(\.fixes.count) == [2, 1])
    #expect(fleet.metrics()[.uploadsFailed] == 1)
    let ledger = Ledger(fleet.metrics(), fleet.census())
    #expect(ledger.fixes.acknowledged == 3)
    #expect(ledger.check().isEmpty)
  }

  @Test("a second phone of a recording sends the same uploads up to a minute later")
  func copies() {
    let (fleet, batches) = Self.simulate(Self.scenario(phones: 2))
    let copy = batches.filter { $0.id.phone.rawValue == 1 }
    let delays = zip(copy, [5, 65]).map { batch, seconds in
      batch.fixes[0].time.instant - (fleet.context.scenario.start + .seconds(seconds))
    }
    #expect(delays.count == 2 && delays[0] == delays[1])
    #expect(delays.allSatisfy { $0 > .zero && $0 <= .seconds(60) })
  }
}
