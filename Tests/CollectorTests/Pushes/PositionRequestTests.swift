import Core
import Foundation
import Synchronization
import TestSupport
import Testing
import Transport
import Wire

@testable import Collector
@testable import CollectorSupport

/// A request for one position, sent over a connection of the collector's client.
private final class Asking: Sendable {
  private let reply = Mutex<RPCClient.Reply?>(nil)

  func end(_ reply: RPCClient.Reply) { self.reply.withLock { $0 = reply } }

  var isOpen: Bool { reply.withLock { $0 == nil } }

  func answer() throws -> AskReply {
    for _ in 0..<6_000 where isOpen { usleep(10_000) }
    let reply = try #require(reply.withLock { $0 })
    return try MessageCodec().decode(AskReply.self, from: reply.get())
  }

  func failure() -> CallStatus? {
    for _ in 0..<6_000 where isOpen { usleep(10_000) }
    guard case .failure(let error) = reply.withLock({ $0 }) else { return nil }
    return error.status
  }
}

extension LiveCollector {
  fileprivate func ask(
    _ phone: UInt32, within deadline: SimDuration = .minutes(10), accuracy: Distance? = nil
  ) throws -> Asking {
    let asking = Asking()
    let request = AskRequest(
      phone: PhoneID(rawValue: phone), deadline: deadline, accuracyLimit: accuracy)
    client.call(.ask, try MessageCodec().encode(request), deadline: .seconds(60)) {
      asking.end($0)
    }
    return asking
  }

  fileprivate func result(_ id: UInt64, _ status: UInt32) throws {
    let request = PushResultRequest(outcomes: [.init(id: id, status: status)])
    #expect(try call(.pushResult, request, as: PushResultReply.self).known == 1)
  }

  /// A fix taken that long after the request.
  fileprivate static func fix(
    _ push: SilentPush, after: SimDuration, accuracy: UInt16 = 10
  ) -> Fix {
    Fix(
      coordinate: Coordinate(latitudeE6: 52_516_200, longitudeE6: 13_377_700),
      time: FixTime(push.requestedAt + after), accuracyMeters: accuracy,
      speedDecimetersPerSecond: -1, courseDegrees: -1)
  }
}

extension PushInbox {
  fileprivate var asked: [SilentPush] { sweeps.flatMap(\.asked) }

  fileprivate func waitForAsk(_ count: Int = 1) throws -> SilentPush {
    try wait { $0.flatMap(\.asked).count >= count }
    return asked[count - 1]
  }
}

@Suite("One position on request", .quick)
struct PositionRequestTests {
  let folder = TemporaryFolder()

  private func collector(
    isDurable: Bool = true, speed: Double = 1
  ) throws -> (LiveCollector, PushInbox) {
    let collector = try LiveCollector(
      store: isDurable ? .sqlite(path: folder.path("run.db")) : .none)
    try collector.open(speed: speed)
    try collector.register(17)
    return (collector, try collector.subscribe())
  }

  @Test(
    "a fix taken after the request is the answer once it is durable, with the parts of the wait",
    arguments: [true, false])
  func answered(isDurable: Bool) throws {
    let (collector, inbox) = try collector(isDurable: isDurable)
    let asking = try collector.ask(17)
    let push = try inbox.waitForAsk()
    #expect(push.phone.rawValue == 17 && SilentPush.isOnRequest(push.id))
    #expect(push.expiration == push.requestedAt + .minutes(10))
    try collector.result(push.id, 200)
    // A fix from the outbox is not an answer.
    try collector.upload(
      LiveCollector.id(17, 1), [LiveCollector.fix(push, after: .seconds(-60))])
    #expect(asking.isOpen)
    try collector.upload(
      LiveCollector.id(17, 2),
      [
        LiveCollector.fix(push, after: .seconds(-1)),
        LiveCollector.fix(push, after: .milliseconds(20), accuracy: 12),
      ])
    let reply = try asking.answer()
    #expect(reply.outcome == .answered && reply.askedAt == push.requestedAt)
    #expect(reply.pushID == push.id && reply.pushStatus == 200)
    #expect(reply.position?.accuracyMeters == 12)
    #expect(reply.position?.coordinate.latitudeE6 == 52_516_200)
    let provider = try #require(reply.providerAfter)
    let arrived = try #require(reply.arrivedAfter)
    #expect(provider > .zero && provider < arrived && arrived <= reply.endedAfter)
    let account = try collector.snapshot()
    #expect(account.count(.asksEnded) == 1 && account.count(.asksAnswered) == 1)
    // The wake scheduler's figures exclude it.
    #expect(account.pushes.allSatisfy { $0.value == 0 })
    collector.stop()
  }

  struct Turn: Sendable {
    let outcome: AskOutcome
    let authorization: Authorization
    let tokenValid: Bool
  }

  @Test(
    "unreachable phones are not pushed, and the answer says so at once",
    arguments: [
      Turn(outcome: .noPermission, authorization: .whenInUse, tokenValid: true),
      Turn(outcome: .noToken, authorization: .always, tokenValid: false),
    ])
  func turnedDown(turn: Turn) throws {
    let (collector, inbox) = try collector()
    _ = try collector.call(
      .register,
      RegisterRequest(
        phone: PhoneID(rawValue: 17), epoch: 1, authorization: turn.authorization,
        tokenValid: turn.tokenValid, cohort: 0, installed: true, settingsVersion: 0,
        at: LiveCollector.start), as: RegisterReply.self)
    let reply = try collector.ask(17).answer()
    #expect(reply.outcome == turn.outcome && reply.pushID == nil && reply.position == nil)
    #expect(try collector.ask(18).answer().outcome == .unknown)
    #expect(inbox.asked.isEmpty)
    collector.stop()
  }

  @Test("without a subscriber to pushes no phone can be asked, and the newest position is returned")
  func noProvider() throws {
    let collector = try LiveCollector(store: .none)
    try collector.open()
    try collector.register(17)
    try collector.upload(LiveCollector.id(17, 1))
    let reply = try collector.ask(17).answer()
    #expect(reply.outcome == .noProvider)
    #expect(
      reply.position?.coordinate == LiveCollector.fixes(of: LiveCollector.id(17, 1))[0].coordinate)
    #expect(reply.position?.accuracyMeters == nil)
    collector.stop()
  }

  @Test("a push that the provider refuses ends the request, and a dead token is remembered")
  func refused() throws {
    let (collector, inbox) = try collector()
    let asking = try collector.ask(17)
    try collector.result(try inbox.waitForAsk().id, 410)
    let reply = try asking.answer()
    #expect(reply.outcome == .refused && reply.pushStatus == 410)
    #expect(try collector.ask(17).answer().outcome == .noToken)
    #expect(try collector.snapshot().count(.asksEnded) == 2)
    collector.stop()
  }

  @Test("at the deadline the answer says: no fix, only older fixes, or only coarse ones")
  func deadlines() throws {
    // A minute a second: thirty seconds are half a second.
    let (collector, inbox) = try collector(speed: 60)
    let silent = try collector.ask(17, within: .seconds(30)).answer()
    #expect(silent.outcome == .silent && silent.position == nil)
    #expect(silent.endedAfter >= .seconds(30))
    let older = try collector.ask(17, within: .minutes(2))
    let second = try inbox.waitForAsk(2)
    try collector.upload(LiveCollector.id(17, 1), [LiveCollector.fix(second, after: .seconds(-5))])
    #expect(try older.answer().outcome == .onlyOlder)
    let coarse = try collector.ask(17, within: .minutes(2), accuracy: .meters(50))
    let third = try inbox.waitForAsk(3)
    try collector.upload(
      LiveCollector.id(17, 2),
      [
        LiveCollector.fix(third, after: .milliseconds(20), accuracy: 51),
        LiveCollector.fix(third, after: .milliseconds(30), accuracy: 3_000),
      ])
    let reply = try coarse.answer()
    #expect(reply.outcome == .onlyCoarse && reply.position?.accuracyMeters == 51)
    #expect(reply.arrivedAfter != nil)
    collector.stop()
  }

  @Test("two requests for one phone have a push each, and one fix answers both")
  func twice() throws {
    let (collector, inbox) = try collector()
    let first = try collector.ask(17)
    let second = try collector.ask(17)
    let push = try inbox.waitForAsk(2)
    #expect(Set(inbox.asked.map(\.id)).count == 2)
    try collector.upload(
      LiveCollector.id(17, 1), [LiveCollector.fix(push, after: .milliseconds(30))])
    #expect(try first.answer().outcome == .answered && second.answer().outcome == .answered)
    collector.stop()
  }

  @Test("an impossible request is refused with a status and what is allowed")
  func faults() throws {
    let collector = try LiveCollector(store: .none)
    #expect(try collector.ask(1).failure()?.code == .unavailable)
    try collector.open()
    #expect(try collector.ask(100).failure()?.text.contains("0 to 99") == true)
    #expect(try collector.ask(1, within: .milliseconds(999)).failure()?.code == .invalidArgument)
    #expect(try collector.ask(1, within: .hours(2)).failure()?.code == .invalidArgument)
    let negative = try collector.ask(1, accuracy: .meters(-1)).failure()
    #expect(negative?.code == .invalidArgument)
    collector.stop()
  }

  @Test("every request is answered when the collector ends or the run is replaced")
  func ends() throws {
    let collector = try LiveCollector(store: .none)
    try collector.open()
    try collector.register(17)
    var inbox = try collector.subscribe()
    let replaced = try collector.ask(17)
    _ = try inbox.waitForAsk()
    try collector.open(run: "run-2")
    #expect(replaced.failure()?.code == .aborted)
    try collector.register(17)
    inbox = try collector.subscribe(run: "run-2")
    let stopped = try collector.ask(17)
    _ = try inbox.waitForAsk()
    collector.server.stop()
    #expect(stopped.failure()?.code == .unavailable)
    collector.stop()
  }
}
