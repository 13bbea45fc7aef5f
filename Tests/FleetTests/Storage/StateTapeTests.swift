import Core
import Scenarios
import ServerLogic
import TestSupport
import Testing

@testable import Fleet

@Suite("Invalid values in a saved state", .quick)
struct StateTapeTests {
  private static let ends = [Int64.max, .min, .max / 4 + 1, .min / 4 - 1]

  @Test("a phone with an out-of-range server time is refused", arguments: ends)
  func rows(time: Int64) throws {
    let usual = PhoneSnapshot(
      phone: PhoneID(rawValue: 1), authorization: .always, tokenValid: true,
      reportedAt: .distantPast, chosenAt: .distantPast, newestFix: LastSeen.neverSeen,
      coordinate: Coordinate(latitudeE6: 1, longitudeE6: 2), sequences: SequenceRun())
    func read(_ row: PhoneSnapshot) throws -> PhoneSnapshot {
      var writer = RecordWriter()
      row.write(to: &writer)
      var tape = StateReader(writer.bytes)
      return try PhoneSnapshot(row.phone, &tape)
    }
    #expect(try read(usual) == usual)
    for change in [
      { (row: inout PhoneSnapshot) in row.reportedAt = SimInstant(microseconds: time) },
      { $0.chosenAt = SimInstant(microseconds: time) },
    ] {
      var row = usual
      change(&row)
      #expect(throws: FleetStateError.impossible("a time that is out of reach")) { try read(row) }
    }
    var row = usual
    row.newestFix = FixTime(centiseconds: time / 2)
    #expect(throws: FleetStateError.self) { try read(row) }
  }

  @Test("a fix with an out-of-range time is refused", arguments: ends)
  func fixes(time: Int64) throws {
    let fix = Fix(
      coordinate: Coordinate(latitudeE6: 1, longitudeE6: 2),
      time: FixTime(centiseconds: time / 2), accuracyMeters: 1, speedDecimetersPerSecond: -1,
      courseDegrees: -1)
    var writer = RecordWriter()
    fix.write(to: &writer)
    var tape = StateReader(writer.bytes)
    #expect(throws: FleetStateError.self) { try Fix(&tape) }
  }

  @Test("an input log with an out-of-range time is refused, and one of another run does not fit")
  func inputs() throws {
    let scenario = Scenario.standard(phones: 1)
    let phone = PhoneID(rawValue: 0)
    func log(end: SimInstant, at: SimInstant, _ input: ServerInput) -> InputLog {
      InputLog(
        seed: 1, scenarioHash: 2, end: end,
        inputs: [ConsumedInput(phone: phone, at: at, input: input)])
    }
    let (start, end) = (scenario.start, scenario.measureEnd)
    let usual = log(end: end, at: start, .settings(rollout: 0))
    #expect(try InputLog(bytes: usual.bytes) == usual && usual.fits(scenario))
    #expect(!log(end: .distantFuture, at: start, .settings(rollout: 0)).fits(scenario))
    #expect(!log(end: end, at: start, .settings(rollout: 200)).fits(scenario))
    for time in Self.ends.map({ SimInstant(microseconds: $0) }) {
      let push = SilentPush(id: 1, phone: phone, requestedAt: start, expiration: time)
      for bad in [
        log(end: time, at: start, .settings(rollout: 0)),
        log(end: end, at: time, .settings(rollout: 0)), log(end: end, at: start, .push(push)),
      ] {
        #expect(throws: InputLogError.self) { try InputLog(bytes: bad.bytes) }
      }
    }
  }
}
