import Core
import Figures
import Fleet
import TestSupport
import Testing

@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("One position on request, in virtual time", .quick)
struct PhoneRequestTests {
  /// Phones without random events, whose apps answer pushes with their position.
  private static var scenario: Scenario {
    var scenario = Scenario.standard(phones: 2)
    scenario.warmStart = .hours(1)
    scenario.duration = .hours(2)
    scenario.push.terms.scheduler = .none
    scenario.push.phone.pendingLaunch = .zero
    scenario.push.phone.nightSlot = .zero
    scenario.push.phone.unopenedHalfLife = .zero
    scenario.push.phone.holds = false
    var mix = scenario.fleet.phone
    for share in [
      \PhoneMix.whenInUse, \.forceQuit, \.refreshOff, \.lowPower, \.offline, \.switchedOff,
      \.unregistered, \.staleToken, \.provisionalDenied, \.reducedAccuracy, \.airplane,
      \.airplaneAtNight, \.withoutSIM, \.unopened, \.motionDenied, \.restricted,
      \.restrictedAtNight, \.sessionsPerDay,
    ] {
      mix[keyPath: share] = 0
    }
    mix.always = 1
    mix.permission.secondPromptAhead = 0
    scenario.fleet.phone = mix
    return scenario
  }

  private func lines(
    within deadline: SimDuration = .minutes(10), _ change: (inout Scenario) -> Void = { _ in }
  ) -> [String] {
    var scenario = Self.scenario
    change(&scenario)
    var plan = RunPlan(
      scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
      command: ["test"], version: "t", threads: 1, startedAt: "2026-01-01T00:00:00Z",
      wall: { WallInstant(microseconds: 0) })
    let phone = PhoneID(rawValue: 1)
    let asked = scenario.start + .hours(1)
    plan.requests = [SilentPush(onRequest: phone, at: asked, within: deadline)]
    let story = PhoneStory(plan, phone: phone, progress: { _ in }, shouldStop: { false })
    return story.requestLines(at: asked, within: deadline)
  }

  @Test("BR1: a sleeping phone is woken, takes a fix and sends it, and each part has its time")
  func asleep() throws {
    let lines = lines()
    let verdict = try #require(lines.last)
    #expect(verdict.hasPrefix("Answered after "), "\(lines)")
    for part in ["way ", "gates ", "fix ", "upload "] { #expect(verdict.contains(part)) }
    #expect(lines[1].hasPrefix("Asked at 2026-03-02T") && lines[1].hasSuffix("within 10min."))
    for step in [
      "server    pushes the phone", "provider  accepts and forwards the push",
      "phone     the push arrives",
      "gates     the app runs for it", "fix       ", "upload    batch",
      "server    newest fix is of",
    ] {
      #expect(lines.contains { $0.contains(step) }, "\(step) in \(lines)")
    }
    let times = lines.dropFirst(2).dropLast().map { $0.prefix(8) }
    #expect(times.sorted() == Array(times) && times.count >= 6)
  }

  struct Closed: Sendable {
    let sentence: String
    let change: @Sendable (inout Scenario) -> Void
  }

  private static let closed: [Closed] = [
    Closed(sentence: "force-quit stops it") {
      $0.fleet.phone.forceQuit = 1
      $0.fleet.phone.sessionsPerDay = 24
      $0.fleet.phone.swipeAfter = .zero
    },
    Closed(sentence: "Low Power Mode stops it") { $0.fleet.phone.lowPower = 1 },
    Closed(sentence: "Background App Refresh being off stops it") {
      $0.fleet.phone.refreshOff = 1
    },
    Closed(sentence: "the phone's budget for background pushes stops it") {
      $0.push.phone.budget = .drip
      $0.push.phone.bucketCapacity = 0
    },
    Closed(sentence: "stores the push, the phone is unreachable") {
      $0.faults = [.outage(.networkOutage, at: $0.start + .minutes(30), lasts: .hours(24))]
    },
    Closed(sentence: "refuses the push with 503") {
      $0.faults = [.outage(.providerOutage, at: $0.start, lasts: .hours(24))]
    },
    Closed(sentence: "its app has no Always permission") {
      $0.fleet.phone.always = 0
      $0.fleet.phone.whenInUse = 1
    },
    Closed(sentence: "is down in the scenario, sends no push") {
      $0.faults = [.outage(.serverOutage, at: $0.start + .minutes(30), lasts: .hours(24))]
    },
  ]

  @Test("BR1, LC11: if a gate is closed, the answer names it", arguments: closed)
  func stopped(closed: Closed) throws {
    let lines = lines { closed.change(&$0) }
    #expect(lines.contains { $0.contains(closed.sentence) }, "\(lines)")
    let verdict = try #require(lines.last)
    #expect(verdict.hasPrefix("No position within 10min: "), "\(lines)")
    #expect(!lines.contains { $0.contains("the app runs for it") })
  }

  @Test("a phone without signal is asked when it has signal again, unless the deadline is over")
  func offline() throws {
    // The push is stored for no longer than the answer is wanted.
    let late = lines(within: .seconds(30)) {
      $0.faults = [.outage(.networkOutage, at: $0.start + .minutes(55), lasts: .minutes(6))]
    }
    #expect(late.last?.hasPrefix("No position within 30s: ") == true, "\(late)")
    #expect(!late.contains { $0.contains("the app runs for it") })
    let soon = lines {
      $0.faults = [.outage(.networkOutage, at: $0.start + .minutes(55), lasts: .minutes(6))]
    }
    #expect(soon.contains { $0.contains("stores the push") }, "\(soon)")
    #expect(soon.last?.hasPrefix("Answered after ") == true, "\(soon)")
  }

  @Test("an app that answers no push gives no position")
  func noAnswer() throws {
    let lines = lines { scenario in
      for n in scenario.policies.indices {
        var settings = PolicySettings.standard
        settings.significantChange = false
        settings.visits = false
        settings.regionRadius = nil
        settings.foreground.service.pattern = .off
        settings.background.service.pattern = .off
        settings.onPush = .nothing
        scenario.policies[n].settings = settings
      }
    }
    #expect(lines.contains { $0.contains("the app runs for it") }, "\(lines)")
    #expect(lines.last == "No position within 10min: the push ended as no-fix.", "\(lines)")
  }

  @Test("a request outside the wake scheduler changes none of its figures")
  func besideTheScheduler() throws {
    func run(_ asks: Bool) -> RunOutcome {
      var scenario = Self.scenario
      scenario.push.terms.scheduler = .fixed
      var plan = RunPlan(
        scenario: scenario, scenarioText: scenario.text, scenarioHash: scenario.hash,
        command: ["test"], version: "t", threads: 1, startedAt: "2026-01-01T00:00:00Z",
        wall: { WallInstant(microseconds: 0) })
      if asks {
        plan.requests = [
          SilentPush(
            onRequest: PhoneID(rawValue: 1), at: scenario.start, within: .seconds(30))
        ]
      }
      return Simulation(plan).run(progress: { _ in }, shouldStop: { false })
    }
    let (with, without) = (run(true), run(false))
    #expect(with.record.wake.outcomes.values.reduce(0, +) == with.record.wake.requested)
    #expect(with.record.digest.world == without.record.digest.world)
    #expect(with.record.digest.behaviour != without.record.digest.behaviour)
  }
}
