import Core
import Dispatch
import Fleet
import Foundation
import Phone
import TestSupport
import Testing
@testable import Scenarios
@testable import Targets
@testable import Transport
@testable import Uploads
@testable import UploadsSupport

@Suite("Viewers", .quick)
struct ViewerTests {
  private static func scenario(_ phones: Int, share: Double, sees: Int = 3) -> Scenario {
    var scenario = Scenario.standard(phones: phones)
    scenario.viewers = ViewerSettings()
    scenario.viewers?.share = share
    scenario.viewers?.sees = sees
    return scenario
  }

  @Test("a share of the owners watch the others of their group")
  func groups() throws {
    let schedule = try #require(
      ViewSchedule(FleetContext(Self.scenario(10_001, share: 0.2)), phones: 0..<10_001))
    #expect((1_850...2_150).contains(schedule.viewers.count), "\(schedule.viewers.count)")
    for viewer in schedule.viewers {
      let group = viewer.phone / 4
      #expect(viewer.watched.allSatisfy { $0 / 4 == group && $0 < 10_001 && $0 != viewer.phone })
      #expect(viewer.watched.count == 3)
    }
    #expect(ViewSchedule(FleetContext(Self.scenario(10, share: 0)), phones: 0..<10) == nil)
    #expect(ViewSchedule(FleetContext(.standard(phones: 10)), phones: 0..<10) == nil)
  }

  @Test("a viewer reads every five seconds while its owner looks at the app, and at no other time")
  func rounds() throws {
    let scenario = Self.scenario(2_000, share: 1, sees: 1)
    let schedule = try #require(ViewSchedule(FleetContext(scenario), phones: 0..<2_000))
    let day = scenario.start..<scenario.start + .hours(24)
    var (rounds, hours) = (0, [Int](repeating: 0, count: 24))
    schedule.forEachRound(in: day) { at, count in
      rounds += count
      hours[Int(at.microseconds / 3_600_000_000 % 24)] += count
    }
    // 8 looks of a minute a day, each with a read at its start and every 5 s: about 12.5 reads.
    let perLook = Double(rounds) / 2_000 / scenario.fleet.phone.sessionsPerDay
    #expect((10...15).contains(perLook), "\(perLook)")
    #expect(hours.allSatisfy { $0 > 0 } && (hours.max() ?? 0) > 3 * (hours.min() ?? 0), "\(hours)")
  }

  @Test("a viewer sees ages and repetitions, and leaves out a round that has no answer")
  func seen() throws {
    let folder = try RigFolder()
    let file = try folder.file("bad.yaml", RigFolder.target("/ok"))
    _ = try folder.file("paths.csv", "path\nok\nok\n")
    let clock = ManualClock()
    let rig = try SenderRig(file, phones: 2, clock: .manual(clock)) {
      $0.view = Readback()
    } scenario: {
      $0.viewers = ViewerSettings()
      $0.viewers?.share = 1
      $0.viewers?.sees = 1
      $0.fleet.phone.sessionsPerDay = 1_000
      $0.fleet.phone.sessionsSigma = 0
      $0.fleet.phone.daysUnopened = 0
    }
    let sent = Sent()
    rig.sender.carrier?.close()
    rig.sender.carrier = sent
    rig.sender.startViewing()
    // The slots of a thousand looks a day are a minute and a half long.
    for _ in 0..<3_000 where sent.numbers.isEmpty { rig.step(clock, .milliseconds(100)) }
    let first = try #require(sent.requests.first)
    #expect(first.kind == .view && first.by == 1 - first.about, "the viewer's own connection")
    for _ in 0..<60 { rig.step(clock, .milliseconds(100)) }
    #expect(rig.sender.viewTally.lateRounds > 0)
    var rows = ReadbackRows.none
    let now = rig.setup.now() / 1_000
    rows.rows = [.init(milliseconds: now - 90_000, latitude: 1, longitude: 1)]
    var answered = 0
    for _ in 0..<4_000 where rig.sender.viewTally.unchanged < 2 {
      while answered < sent.numbers.count {
        var exchange = TargetExchange(
          .answered(Targets.Answer(rule: nil, outcome: .failed), status: "200", kept: []))
        exchange.rows = { [rows] () throws(ReadbackError) in rows }
        rig.sender.ended(sent.numbers[answered], exchange)
        answered += 1
        rig.sender.viewing?.queue.sync {}
      }
      rig.step(clock, .milliseconds(100))
    }
    let tally = rig.sender.viewTally
    #expect(tally.unchanged == 2 && tally.failed == 0 && tally.empty == 0)
    #expect(tally.ages.percentile(0.5).microseconds.map { abs($0 - 90_000) < 100 } ?? true)
    #expect(tally.viewers == 2 && tally.sessions > 0 && tally.readsInSecond.reduce(0, +) > 3)
    #expect(rig.sender.counters()[.inFlight] == 0, "reads are in no figure of uploads")
    #expect(rig.sender.tally.rows.map(\.fate.meaning) == ["read"])
    // The end of the run abandons open reads.
    for _ in 0..<3_000 where answered == sent.numbers.count { rig.step(clock, .milliseconds(100)) }
    try #require(answered < sent.numbers.count)
    sent.atClose = { [unowned sent, unowned rig] in
      for number in sent.numbers[answered...] {
        rig.sender.ended(
          number, TargetExchange(.unanswered(kind: "given up", reason: "", isReached: true)))
      }
    }
    rig.sender.abort()
    rig.sender.viewing?.queue.sync {}
    #expect(rig.sender.viewTally.reads == tally.reads && rig.sender.viewTally.failed == 0)
    #expect(rig.sender.tally.rows.map(\.fate.meaning) == ["read"])
  }

  @Test("over WebSocket an upload is a message to each viewer who looks at the app at that instant")
  func watch() throws {
    let scenario = Self.scenario(400, share: 0.5)
    let schedule = try #require(ViewSchedule(FleetContext(scenario), phones: 0..<400))
    var meter = try #require(WatchMeter(scenario, seconds: 2))
    var expected = 0
    for step in 0..<200 {
      // Forwards and back, since uploads of phones are not in order.
      let instant = scenario.start + .seconds(Int64(step * 7_919 % 86_400))
      let phone = UInt32(step * 37 % 400)
      meter.note(PhoneID(rawValue: phone), at: instant, step % 2)
      expected += schedule.viewers.count { viewer in
        let look = schedule.session(of: viewer, endingAfter: instant)
        return viewer.watched.contains(phone) && look.start <= instant && instant < look.end
      }
    }
    // The looks of a minute a day are few, so some more are sought.
    for viewer in schedule.viewers {
      let look = schedule.session(of: viewer, endingAfter: scenario.start)
      meter.note(PhoneID(rawValue: viewer.watched[0]), at: look.start, 0)
      expected += schedule.viewers.count { other in
        let own = schedule.session(of: other, endingAfter: look.start)
        return other.watched.contains(viewer.watched[0]) && own.start <= look.start
          && look.start < own.end
      }
    }
    #expect(expected > 100)
    #expect(meter.messages.reduce(0, +) == Double(expected))
    #expect(WatchMeter(.standard(phones: 10), seconds: 1) == nil)
  }

  @Test("viewers of a public map get each upload while they look, and read once a round")
  func map() throws {
    var scenario = Self.scenario(300, share: 0.5)
    scenario.viewers?.sees = nil
    scenario.fleet.phone.sessionsPerDay = 200
    let schedule = try #require(ViewSchedule(FleetContext(scenario), phones: 0..<300))
    #expect(schedule.seesAll && schedule.viewers.allSatisfy { $0.watched == [$0.phone] })
    let groups = Self.scenario(300, share: 0.5)
    var meter = try #require(WatchMeter(scenario, seconds: 1))
    var sameTopic = try #require(WatchMeter(groups, seconds: 1, seesAll: true))
    var (expected, expectedOfGroups) = (0, 0)
    let span = scenario.measureEnd - scenario.measureStart
    for step in 0..<100 {
      let share = Double(step * 37 % 100) / 100
      let instant =
        scenario.measureStart + SimDuration(microseconds: Int64(Double(span.microseconds) * share))
      func looks(_ viewer: ViewSchedule.Viewer, _ schedule: ViewSchedule) -> Bool {
        let look = schedule.session(of: viewer, endingAfter: instant)
        return look.start <= instant && instant < look.end
      }
      meter.note(PhoneID(rawValue: UInt32(step)), at: instant, 0)
      sameTopic.note(PhoneID(rawValue: UInt32(step)), at: instant, 0)
      expected += schedule.viewers.count { looks($0, schedule) }
      let other = try #require(ViewSchedule(FleetContext(groups), phones: 0..<300))
      expectedOfGroups += other.viewers.count { looks($0, other) }
    }
    #expect(expected > 100 && expectedOfGroups > 0)
    #expect(meter.messages == [Double(expected)])
    #expect(sameTopic.messages == [Double(expectedOfGroups)])
  }

  @Test("a viewer over MQTT subscribes to the topics of the watched phones, as another client")
  func topics() throws {
    let reader = TargetReader(folders: [Machine.root.appendingPathComponent("scenarios").path])
    let target = try reader.load("owntracks-mqtt", url: "mqtt://127.0.0.1:1")
    let setup = try TargetSetup(target, phones: 10, rateLimit: nil) { 1_795_265_539_400_000 }
    let friends = setup.login(of: 3, watching: [1, 2])
    #expect(friends.topics == ["owntracks/user000001/phone", "owntracks/user000002/phone"])
    #expect(friends.topicsQoS == 1 && friends.will == nil && friends.user == "user000003")
    #expect(friends.client == "user000003phone-view")
    #expect(setup.login(of: 3, watching: nil).topics == ["owntracks/+/+"])
    #expect(setup.login(of: 3).topics.isEmpty && setup.login(of: 3).client == "user000003phone")
  }

  @Test("a message to a viewer may have rows of several phones, one row, or none")
  func messages() throws {
    var view = Readback()
    view.rows = FieldPath(keys: ["positions"])
    view.device = FieldPath(keys: ["id"])
    view.time = FieldPath(keys: ["t"])
    view.timeUnit = .seconds
    view.latitude.path = FieldPath(keys: ["a"])
    view.longitude.path = FieldPath(keys: ["o"])
    view.takesOneRow = true
    func rows(_ text: String) throws(ReadbackError) -> [ReadbackRows.Row] {
      try ReadbackRows(Array(text.utf8), view, isMessage: true).rows
    }
    let two = try rows(
      #"{"positions":[{"id":7,"t":1795000001,"a":2,"o":3},{"id":"b","t":1795000002,"a":2,"o":3}]}"#)
    #expect(
      two.map(\.device) == ["7", "b"]
        && two.map(\.milliseconds) == [1_795_000_001_000, 1_795_000_002_000])
    #expect(try rows(#"{"positions":{"id":7,"t":1795000001,"a":2,"o":3}}"#).count == 1)
    #expect(try rows("{}").isEmpty && rows(#"{"positions":null}"#).isEmpty)
    #expect(throws: ReadbackError.self) { _ = try rows("\u{1b}[31m") }
    #expect(throws: ReadbackError.self) { _ = try ReadbackRows(Array("{}".utf8), view) }
  }

  /// A carrier that only records.
  private final class Sent: TargetCarrier {
    var numbers: [UInt64] = []
    var requests: [(kind: RequestKind, about: UInt32, by: UInt32)] = []

    func send(_ request: TargetRequest, as number: UInt64, of phone: UInt32) {
      numbers.append(number)
      requests.append((request.kind, request.context.phone.rawValue, phone))
    }
    var atClose: () -> Void = {}

    func fill(_ counters: inout Sheet) {}
    func close() { atClose() }
  }
}

extension SenderRig {
  fileprivate func step(_ clock: ManualClock, _ wait: WallDuration) {
    clock.advance(to: clock.now + wait)
    loop.runReady()
  }
}

extension ReadbackRows {
  fileprivate static var none: ReadbackRows {
    guard let rows = try? ReadbackRows(Array("[]".utf8), Readback()) else {
      preconditionFailure("an empty list is read")
    }
    return rows
  }
}
