import Core
import Push
import TestSupport
import Testing

@testable import Fleet
@testable import Phone
@testable import Scenarios

@Suite("Push types and priorities", .quick)
struct PushMannerTests {
  /// Outcome of a push of this type and priority on a phone changed by `change`.
  private func outcome(
    _ manner: PushManner, _ change: (inout Scenario) -> Void
  ) -> WakeOutcome? {
    let bench = PushGateRuleTests.bench { change(&$0) }
    bench.request(manner)
    bench.advance(.minutes(15))
    return bench.outcomes.last
  }

  static let background = PushManner(.background, priority: 5, asksToRun: true)
  static let alert = PushManner(.alert, priority: 10, asksToRun: true)

  @Test("a byte holds type, priority, whether it requests run time, and whether it has a key")
  func byte() {
    #expect(PushManner.ofScenario.isOfScenario)
    for kind in PushManner.Kind.allCases {
      for priority in [10, 5, 1] {
        for (asks, collapses) in [(true, true), (true, false), (false, true), (false, false)] {
          let manner = PushManner(
            kind, priority: priority, asksToRun: asks, collapses: collapses)
          #expect(!manner.isOfScenario && manner.kind == kind && manner.priority == priority)
          #expect(manner.asksToRun == asks && manner.collapses == collapses)
          #expect(PushManner(rawValue: manner.rawValue) == manner)
        }
      }
    }
  }

  @Test("an alert passes the gates of alerts, a background push its own, on the same phone")
  func gates() {
    for close in [
      { (scenario: inout Scenario) in scenario.fleet.phone.refreshOff = 1 },
      { $0.fleet.phone.lowPower = 1 },
      {
        $0.fleet.phone.unopened = 1
        $0.push.phone.unopenedHalfLife = .hours(42)
      },
      { $0.push.phone.window.grants = 0 },
    ] {
      let asked = outcome(Self.background, close)
      #expect([.refreshOff, .lowPower, .throttled].contains(asked), "\(String(describing: asked))")
      let alert = outcome(Self.alert, close)
      #expect([.caused, .noFix].contains(alert), "\(String(describing: alert))")
    }
  }

  @Test("an alert without content-available wakes no app, nor does a push of another type")
  func asksNothing() {
    for manner in [
      PushManner(.alert, priority: 10, asksToRun: false),
      PushManner(.background, priority: 5, asksToRun: false),
      PushManner(.other, priority: 10, asksToRun: true),
    ] { #expect(outcome(manner) { _ in } == .alertOnly) }
    #expect(
      outcome(PushManner(.background, priority: 1, asksToRun: true)) { _ in } == .lowPower)
  }

  @Test("type and priority are kept while the push waits at the provider")
  func stored() {
    let bench = PushGateRuleTests.bench {
      $0.fleet.phone.refreshOff = 1
      $0.faults = [.outage(.networkOutage, at: $0.start, lasts: .minutes(30))]
      $0.push.expiration = .hours(2)
      $0.push.within = .hours(1)
      $0.push.spacing = .hours(1)
    }
    bench.request(Self.alert)
    bench.advance(.hours(2))
    #expect([.caused, .noFix, .late].contains(bench.outcomes.last), "\(bench.outcomes)")
  }

  @Test("an input log keeps type and priority")
  func log() throws {
    var push = SilentPush(
      id: 7, phone: PhoneID(rawValue: 3), requestedAt: .init(microseconds: 5),
      expiration: .init(microseconds: 9), manner: Self.alert)
    let input = ConsumedInput(
      phone: push.phone, at: .init(microseconds: 6), input: .push(push))
    let log = InputLog(
      seed: 1, scenarioHash: 2, end: .init(microseconds: 10), inputs: [input])
    #expect(try InputLog(bytes: log.bytes).inputs == [input])
    push.manner = .ofScenario
    #expect(try InputLog(bytes: log.bytes).inputs.first?.input != .push(push))
  }

  // MARK: Tokens

  @Test("a token found inactive dies at that push: the next is answered 410")
  func inactive() {
    let bench = PushGateRuleTests.bench { $0.fleet.phone.unregistered = 1 }
    #expect(bench.shard.takeTokenEndings(at: bench.now).isEmpty)
    let at = bench.now
    bench.request()
    let endings = bench.shard.takeTokenEndings(at: bench.now)
    #expect(endings.count == 1 && endings.first?.from == at)
    #expect(bench.shard.takePushStatuses().map(\.status) == [200])
    bench.advance(.hours(1))
    bench.request()
    #expect(bench.shard.takeTokenEndings(at: bench.now).count <= 1)
    #expect(bench.shard.takePushStatuses().map(\.status) == [410])
  }

  @Test("PN1: the token of a deleted app dies at the hour at which the provider answers 410")
  func deleted() throws {
    let bench = EndingRuleTests.deleted {
      $0.push.provider.neverLearns = 0
      $0.push.provider.learnsAfter = .hours(30)
      $0.push.provider.learnsSigma = 0
    }
    _ = bench.shard.takeTokenEndings(at: bench.now)
    bench.request()
    let ending = try #require(bench.shard.takeTokenEndings(at: bench.now).first)
    #expect(ending.from > bench.now + .hours(29) && ending.from <= bench.now + .hours(32))
    // A later first push is answered the same.
    bench.shard.tokenEndings = nil
    #expect(bench.shard.takeTokenEndings(at: bench.now).first?.from == ending.from)
  }
}
