internal import Core
internal import TestSupport
internal import Testing
@testable internal import Targets

/// Each client with its fixes when its server refuses them.
@Suite("The app's retry rule", .quick)
struct AppRetryTests {
  /// One phone with its outbox, observed by its effects.
  struct Phone {
    let app: AppRetry
    var state: AppRetry.State
    var waiting = 0
    var now = WallInstant(microseconds: 0)
    var dropped = 0
    var stored = 0

    init(_ target: String) throws {
      app = AppRetry(try shippedTargets.load(target))
      state = app.start
    }

    init(of target: Target) {
      app = AppRetry(target)
      state = app.start
    }

    @discardableResult
    mutating func handle(_ event: AppRetry.Event, chance: Double = 0.5) -> AppRetry.Effects {
      let effects = app.handle(event, &state, waiting: waiting, at: now, chance: chance)
      waiting -= effects.removed + effects.superseded
      if effects.drop == nil { stored += effects.removed } else { dropped += effects.removed }
      dropped += effects.superseded
      return effects
    }

    mutating func add(_ count: Int) -> AppRetry.Effects {
      waiting += count
      return handle(.fixes)
    }

    mutating func answer(_ outcome: Answer.Outcome) -> AppRetry.Effects {
      handle(.answered(Answer(rule: nil, outcome: outcome)))
    }

    /// Advances to the instant that the app requested.
    mutating func sleep() -> AppRetry.Effects {
      now = state.wakeAt
      return handle(.timer)
    }
  }

  private static let second: Int64 = 1_000_000

  @Test("OwnTracks discards refused fixes, and waits 1, 2, 4 … 64 s after failures")
  func ownTracks() throws {
    var phone = try Phone("owntracks")
    #expect(phone.add(3).sends == .upload)
    // 4xx: the head of the queue is lost, the next is sent at once.
    let refused = phone.answer(.refused(reason: "4xx"))
    #expect(refused.drop == .refused && refused.removed == 1 && refused.sends == .upload)
    for wait: Int64 in [1, 2, 4, 8, 16, 32, 64, 64] {
      let failed = phone.answer(.failed)
      #expect(failed.sends == nil && failed.removed == 0)
      #expect(phone.state.wakeAt - phone.now == .seconds(wait))
      // New fixes do not shorten the wait.
      #expect(phone.add(0).sends == nil)
      #expect(phone.sleep().count == 1)
    }
    #expect(phone.answer(.stored).sends == .upload)
    #expect(phone.answer(.duplicate).sends == nil)
    #expect(phone.stored == 2 && phone.dropped == 1 && phone.waiting == 0)
    #expect(phone.state.wakeAt == .distantFuture)
  }

  @Test("Overland keeps all until it receives ok, tries at its interval, and empties whole batches")
  func overland() throws {
    var phone = try Phone("overland")
    let first = phone.add(500)
    #expect(first.sends == .backlog && first.count == 200)
    // Answered without {"result":"ok"}: nothing is lost, and the next interval tries again.
    #expect(phone.answer(.failed).removed == 0)
    #expect(phone.waiting == 500 && phone.state.wakeAt - phone.now == .seconds(300))
    #expect(phone.add(10).sends == nil)
    #expect(phone.sleep().count == 200)
    // With a whole request waiting it continues at once; with less it waits for its interval.
    #expect(phone.answer(.stored).sends == .backlog)
    let last = phone.answer(.stored)
    #expect(last.sends == nil && phone.waiting == 110)
    #expect(phone.state.wakeAt - phone.now == .seconds(300))
    let rest = phone.sleep()
    #expect(rest.sends == .upload && rest.count == 110)
    #expect(phone.handle(.unanswered).removed == 0 && phone.dropped == 0)
  }

  @Test("transistorsoft halts on any failure until the next location or launch")
  func transistorsoft() throws {
    var phone = try Phone("transistorsoft")
    #expect(phone.add(2).count == 1)
    #expect(phone.answer(.failed) == AppRetry.Effects(wakeAt: .distantFuture))
    phone.now += .hours(5)
    #expect(phone.handle(.timer).sends == nil)
    #expect(phone.add(1).sends == .upload)
    #expect(phone.answer(.stored).sends == .upload)
    #expect(phone.handle(.unanswered).sends == nil)
    #expect(phone.handle(.launched).sends == .upload)
    #expect(phone.waiting == 2 && phone.dropped == 0)
  }

  @Test("Radar replays failed fixes with the next location, at most 120, the oldest dropped")
  func radar() throws {
    var phone = try Phone("radar")
    #expect(phone.add(1).sends == .upload)
    for _ in 0..<200 {
      #expect(phone.answer(.failed).removed == 0)
      #expect(phone.add(1).sends != nil)
    }
    #expect(phone.waiting == 120 && phone.dropped == 81)
    let replay = phone.answer(.stored)
    #expect(replay.removed == 120 && phone.stored == 120)
  }

  @Test("GPSLogger gives up a point after a try and three more")
  func gpsLogger() throws {
    var phone = try Phone("gpslogger")
    _ = phone.add(1)
    for _ in 0..<3 {
      #expect(phone.answer(.failed).removed == 0)
      #expect(phone.sleep().sends == .upload)
    }
    let last = phone.handle(.unanswered)
    #expect(last.drop == .attempts && last.removed == 1 && phone.waiting == 0)
  }

  @Test("Home Assistant's app registers first, and sends the newest position alone")
  func homeAssistant() throws {
    var phone = try Phone("homeassistant")
    let first = phone.add(4)
    #expect(first.registers && first.sends == nil)
    #expect(phone.add(1).registers == false, "a registration is on its way")
    #expect(phone.handle(.registered(Answer(rule: nil, outcome: .failed))).registers == false)
    #expect(phone.state.wakeAt - phone.now == .seconds(5))
    #expect(phone.sleep().registers)
    let sent = phone.handle(.registered(Answer(rule: 0, outcome: .stored)))
    #expect(sent.sends == .upload && sent.count == 1 && sent.superseded == 4)
    #expect(phone.answer(.stored).removed == 1 && phone.waiting == 0)
  }

  @Test("an unknown phone registers again, and sends the same again")
  func unauthorized() throws {
    var phone = try Phone("grpc-example")
    _ = phone.add(1)
    _ = phone.handle(.registered(Answer(rule: 0, outcome: .stored)))
    let unknown = Answer(rule: nil, outcome: .failed, isUnauthorized: true)
    let effects = phone.handle(.answered(unknown))
    #expect(effects.registers && effects.removed == 0 && effects.sends == nil)
    let again = phone.handle(.registered(Answer(rule: 0, outcome: .stored)))
    #expect(again.sends == .upload && again.count == 1)
  }

  @Test("the server's wait is obeyed, and jitter spreads the app's")
  func waits() throws {
    var phone = try Phone("grpc-example")
    _ = phone.add(1)
    _ = phone.handle(.registered(Answer(rule: 0, outcome: .stored)))
    _ = phone.answer(.retry(after: .milliseconds(250)))
    #expect(phone.state.wakeAt - phone.now == .milliseconds(250))
    #expect(phone.app.wait(1, 0) == .seconds(4))
    #expect(phone.app.wait(1, 0.999_999_9) <= .seconds(6))
    #expect(phone.app.wait(60, 0.5) == .seconds(300))
    #expect(phone.app.wait(.max, 0.5) == .seconds(300))
  }

  @Test("every fix is waiting, stored or dropped, and at most one request is in flight")
  func balances() throws {
    for name in shippedTargets.names {
      var phone = try Phone(name)
      var draw = Draw(seed: 5, phone: 0, Purpose(rawValue: 0))
      var made = 0
      for _ in 0..<5_000 {
        phone.now += .milliseconds(Int64.random(in: 0..<20_000, using: &draw))
        let outcomes: [Answer.Outcome] = [
          .stored, .stored, .failed, .refused(reason: ""), .retry(after: nil), .duplicate,
        ]
        let outcome = outcomes[Int.random(in: 0..<outcomes.count, using: &draw)]
        let answer = Answer(
          rule: nil, outcome: outcome, isUnauthorized: Int.random(in: 0..<9, using: &draw) == 0)
        switch Int.random(in: 0..<6, using: &draw) {
        case 0, 1:
          let count = Int.random(in: 1..<90, using: &draw)
          made += count
          phone.waiting += count
          phone.handle(.fixes)
        case 2: phone.handle(.timer)
        case 3: phone.handle(.launched)
        case _:
          if phone.state.isRegistering {
            phone.handle(.registered(answer))
          } else if phone.state.inFlight > 0 {
            phone.handle(outcome == .failed ? .unanswered : .answered(answer))
          }
        }
        let balances = phone.waiting + phone.stored + phone.dropped == made
        let isOne =
          phone.waiting >= Int(phone.state.inFlight)
          && !(phone.state.isRegistering && phone.state.inFlight > 0)
        let goesOn =
          phone.waiting == 0 || phone.state.inFlight > 0 || phone.state.isRegistering
          || phone.state.wakeAt < .distantFuture || phone.app.rule.on == .location
        // A quarter of a million expectations would take longer than the code under test.
        if balances, isOne, goesOn { continue }
        Issue.record("\(name): \(balances), \(isOne), \(goesOn) in \(phone)")
        return
      }
    }
  }

  @Test("a phone's state is 24 bytes")
  func size() {
    #expect(MemoryLayout<AppRetry.State>.size <= 24)
  }
}
