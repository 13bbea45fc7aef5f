import Core
import PhoneSupport
import Push
import TestSupport
import Testing

@testable import Fleet
@testable import Phone
@testable import Scenarios

extension PolicySettings {
  /// Makes an app that only answers pushes, with its position.
  static var answering: PolicySettings {
    var settings = PolicySettings.quiet
    settings.onPush = .burst
    // NO3: The last known position is no answer.
    settings.background.filter.maxAge = .minutes(1)
    return settings
  }
}

extension Scenario {
  /// Pushes neither wait nor are held, and runs leave no penalty.
  mutating func plainPushes() {
    push.phone.alwaysOpen()
    push.phone.penaltyFactor = 1
    push.phone.holds = false
  }
}

@Suite("Rules of the push gates", .quick)
struct PushGateRuleTests {
  /// From birth at half past seven to three at night.
  static let untilThree = SimDuration.minutes(19 * 60 + 30)

  static func bench(
    _ settings: PolicySettings = .answering, os: OSProfile = .standard,
    _ change: (inout Scenario) -> Void = { _ in }
  ) -> PhoneBench {
    PhoneBench(settings, os: os) {
      $0.plainPushes()
      change(&$0)
    }
  }

  @Test("with every gate open each push brings a fix, and its ending says when")
  func open() {
    let bench = Self.bench { $0.push.phone.window.grants = 100 }
    for _ in 0..<10 {
      bench.request()
      bench.advance(.minutes(15))
    }
    #expect(bench.pushesDelivered.count == 10)
    let caused = bench.shard.pushEndings.filter { $0.outcome == .caused }
    #expect(caused.count >= 8, "\(bench.outcomes)")
    #expect(bench.outcomes.allSatisfy { $0 == .caused || $0 == .noFix }, "\(bench.outcomes)")
    for ending in caused {
      #expect(ending.causedAt > ending.requestedAt)
      #expect(ending.causedAt <= ending.requestedAt + bench.scenario.push.within)
    }
  }

  struct OneGate: Sendable {
    let outcome: WakeOutcome
    let change: @Sendable (inout Scenario) -> Void
  }

  /// Each closes one gate permanently, or until six in the morning.
  static let gates: [OneGate] = [
    OneGate(outcome: .rejected) { $0.push.request.credentials = .expired },
    OneGate(outcome: .rejected) { $0.push.request.priority = 10 },
    OneGate(outcome: .rejected) { $0.push.request.collapseIDLength = 65 },
    OneGate(outcome: .rejected) { $0.push.provider.largestPayload = ByteCount(bytes: 63) },
    OneGate(outcome: .rejected) {
      $0.faults = [.outage(.providerOutage, at: $0.start, lasts: .hours(24))]
    },
    OneGate(outcome: .unregistered) { $0.fleet.phone.unregistered = 1 },
    OneGate(outcome: .offline) {
      $0.push.expiration = .hours(2)
      $0.faults = [.outage(.networkOutage, at: $0.start, lasts: .hours(24))]
    },
    OneGate(outcome: .expired) {
      $0.push.expiration = .zero
      $0.faults = [.outage(.networkOutage, at: $0.start, lasts: .hours(24))]
    },
    OneGate(outcome: .lowPower) { $0.fleet.phone.restrictedAtNight = 1 },
    OneGate(outcome: .lowPower) { $0.fleet.phone.lowPower = 1 },
    OneGate(outcome: .lowPower) { $0.push.request.priority = 1 },
    OneGate(outcome: .refreshOff) { $0.fleet.phone.refreshOff = 1 },
    OneGate(outcome: .throttled) { $0.push.phone.window.grants = 0 },
    OneGate(outcome: .throttled) {
      $0.fleet.phone.unopened = 1
      $0.push.phone.unopenedHalfLife = .hours(42)
    },
    OneGate(outcome: .throttled) { $0.push.phone.nightSlot = .minutes(20) },
    OneGate(outcome: .noPermission) {
      $0.fleet.phone.always = 0
      $0.fleet.phone.whenInUse = 1
    },
    OneGate(outcome: .noFix) { $0.policies[0].settings.onPush = .nothing },
    OneGate(outcome: .uploadFailed) {
      $0.faults = [.outage(.serverOutage, at: $0.start, lasts: .hours(24))]
    },
    OneGate(outcome: .late) {
      $0.push.phone.pendingLaunch = .hours(10_000)
    },
    OneGate(outcome: .appCrashed) {
      $0.policies[0].settings.app.mistakes.leaksBackgroundTasks = true
      $0.push.accuracyLimit = .meters(1)
    },
  ]

  @Test("BR1, LC11: a single closed gate stops the push and is charged", arguments: gates)
  func alone(gate: OneGate) {
    let bench = Self.bench { gate.change(&$0) }
    bench.advance(until: Self.untilThree)
    bench.request()
    bench.advance(.minutes(20))
    bench.shard.closePushes(at: bench.now)
    #expect(bench.outcomes == [gate.outcome])
    #expect(bench.shard.pushEndings.allSatisfy { $0.causedAt == .distantFuture })
  }

  @Test("during a provider outage a push is answered 503, and a later push is delivered")
  func providerOutage() {
    let bench = Self.bench {
      $0.faults = [.outage(.providerOutage, at: $0.start, lasts: .minutes(5))]
    }
    bench.request()
    bench.advance(.minutes(5))
    bench.request()
    bench.advance(.minutes(5))
    #expect(bench.shard.pushStatuses.map(\.status) == [503, 200])
    #expect(bench.outcomes.first == .rejected && bench.pushesDelivered.count == 1)
  }

  @Test(
    "AL1: the fleet counts the alerts that phones show; one without content-available ends there")
  func alertsShown() {
    for (isAvailable, outcomes) in [
      (true, Set([WakeOutcome.caused, .noFix])), (false, [.alertOnly]),
    ] {
      let bench = Self.bench {
        $0.push.request.kind = .alert
        $0.push.request.priority = 10
        $0.push.request.contentAvailable = isAvailable
        $0.push.phone.window.grants = 0
        $0.fleet.phone.notificationsAllowed = 1
      }
      for _ in 0..<3 {
        bench.request()
        bench.advance(.minutes(15))
      }
      #expect(bench.metrics[.alertsShown] == 3 && bench.outcomes.count == 3)
      #expect(Set(bench.outcomes).isSubset(of: outcomes), "\(bench.outcomes)")
    }
  }

  @Test("SP6: of six pushes a second apart the last one launches the app, the others are replaced")
  func sixAtOnce() {
    for (pending, launches) in [(SimDuration.seconds(2), 1), (.zero, 4)] {
      let bench = Self.bench {
        $0.push.phone.pendingLaunch = pending
        $0.push.provider.wifiMedian = .milliseconds(100)
        $0.push.provider.cellularMedian = .milliseconds(100)
        $0.push.provider.latencySigma = 0
        $0.push.provider.halfOpen = 0
      }
      for _ in 0..<6 {
        bench.request()
        bench.advance(.seconds(1))
      }
      let last: SimInstant = bench.now - .seconds(1)
      bench.advance(.minutes(1))
      #expect(bench.pushesDelivered.count == launches)
      guard launches == 1 else { continue }
      #expect(bench.pushesDelivered == [last + .milliseconds(2_100)])
      #expect(bench.outcomes.filter { $0 == .overwritten }.count == 5)
    }
  }

  // MARK: The provider's one place

  @Test("C13: of five pushes to an offline phone one is delivered, as soon as it is online")
  func oneOfFive() {
    let bench = Self.bench { $0.push.expiration = .hours(2) }
    bench.loseConnection(for: .minutes(30))
    let back = bench.now + .minutes(30)
    for _ in 0..<5 {
      bench.request()
      bench.advance(.minutes(5))
    }
    bench.advance(.minutes(10))
    #expect(bench.pushesDelivered.count == 1)
    let wait = (bench.pushesDelivered.first ?? .distantFuture) - back
    #expect(wait > .zero && wait < .seconds(20))
    #expect(bench.outcomes.count { $0 == .overwritten } == 4)
    #expect(bench.outcomes.count == 5)
  }

  @Test("an expired stored push is not delivered")
  func expired() {
    let bench = Self.bench { $0.push.expiration = .minutes(20) }
    bench.loseConnection(for: .minutes(30))
    bench.request()
    bench.advance(.hours(1))
    #expect(bench.pushesDelivered.isEmpty && bench.outcomes == [.expired])
  }

  @Test("a push whose phone goes offline on the way waits at the provider")
  func lostOnTheWay() {
    let bench = Self.bench {
      $0.push.phone.pendingLaunch = .minutes(10)
      $0.push.expiration = .hours(2)
    }
    bench.request()
    bench.loseConnection(for: .hours(1))
    bench.advance(.minutes(30))
    #expect(bench.pushesDelivered.isEmpty && bench.phone.delivery.stage == .stored)
    bench.advance(.minutes(40))
    #expect(bench.pushesDelivered.count == 1)
  }

  @Test("a phone in Low Power Mode receives its push when the mode ends, at six")
  func restricted() {
    let bench = Self.bench {
      $0.fleet.phone.restrictedAtNight = 1
      $0.push.expiration = .hours(6)
      $0.push.within = .hours(4)
    }
    bench.advance(until: Self.untilThree)
    bench.request()
    bench.advance(until: Self.untilThree + .hours(4))
    let six: SimInstant = bench.scenario.start + Self.untilThree + .hours(3)
    #expect(bench.pushesDelivered.count == 1)
    #expect((bench.pushesDelivered.first ?? .distantPast) > six)
    #expect(bench.outcomes == [.caused] || bench.outcomes == [.noFix])
  }

  // MARK: Budgets

  @Test("C13: pushed every five minutes for a day, an app runs two or three times an hour")
  func budget() {
    let bench = Self.bench {
      $0.push.phone.holds = true
      $0.push.phone.dayRunTime = .zero
    }
    for _ in 0..<(24 * 12) {
      bench.request()
      bench.advance(.minutes(5))
    }
    let perHour = Double(bench.pushesDelivered.count) / 24
    #expect(perHour > 2 && perHour <= 3, "\(perHour) an hour")
    #expect(bench.backgroundRuns.allSatisfy { $0 <= .seconds(30) })
    bench.shard.closePushes(at: bench.now)
    #expect(bench.outcomes.count == 24 * 12)
  }

  @Test("C13, LC11: no push wakes a force-quit app until its user opens it")
  func forceQuit() {
    let bench = Self.bench()
    bench.open()
    bench.forceQuit()
    for _ in 0..<24 {
      bench.request()
      bench.advance(.minutes(30))
    }
    #expect(bench.pushesDelivered.isEmpty && bench.metrics[.wakes] == 0)
    #expect(bench.outcomes.allSatisfy { $0 == .forceQuit } && bench.outcomes.count == 24)
    bench.open()
    bench.leave()
    bench.request()
    bench.advance(.minutes(1))
    #expect(bench.pushesDelivered.count == 1)
  }

  @Test("bytes sent for pushes count against the day's allowance, too")
  func dayData() {
    let bench = Self.bench {
      $0.push.phone.window.grants = 100
      $0.push.phone.dayData = ByteCount(bytes: 1)
    }
    for _ in 0..<6 {
      bench.request()
      bench.advance(.minutes(10))
    }
    #expect(bench.pushesDelivered.count <= 2 && bench.outcomes.last == .throttled)
  }

  // MARK: Other channels

  @Test("a push of priority 1 wakes no app and causes no fix")
  func priorityOne() {
    let bench = Self.bench {
      $0.push.request.priority = 1
      $0.push.phone.holds = true
    }
    for n in 0..<48 {
      bench.request()
      bench.advance(.minutes(10))
      if n % 6 == 5 {
        bench.open()
        bench.advance(.seconds(30))
        if n % 12 == 5 { bench.request() }
        bench.advance(.seconds(30))
        bench.leave()
      }
    }
    bench.shard.closePushes(at: bench.now)
    #expect(bench.metrics[.wakes] == 0 && !bench.pushesDelivered.isEmpty)
    #expect(bench.outcomes.allSatisfy { $0 == .lowPower || $0 == .pending })
  }

  @Test("a location push runs the extension of a force-quit app and leaves it force-quit")
  func locationExtension() {
    var os = OSProfile.standard
    os.system.rules.relaunchesAfterForceQuit = false
    os.system.rules.hasLocationPushExtension = true
    // NO6: Indoors every request finds a position.
    os.firstFix.indoorFailure = 0
    let bench = Self.bench(os: os) {
      $0.push.request.kind = .location
      $0.fleet.phone.refreshOff = 1
      $0.fleet.phone.lowPower = 1
      $0.push.phone.extensionInLowPower = 1
    }
    bench.advance(until: Self.untilThree)
    bench.open()
    bench.forceQuit()
    for _ in 0..<5 {
      bench.request()
      bench.advance(.minutes(10))
      #expect(bench.state == .notRunning && bench.phone.process.isForceQuit)
    }
    #expect(bench.outcomes == [.caused, .caused, .caused, .caused, .caused])
    #expect(bench.pushesDelivered.count == 5)
    #expect((bench.backgroundRuns.max() ?? .zero) <= .seconds(30))
  }

  @Test("location pushes have a separate budget, and need Always and a supporting system")
  func locationGates() {
    var os = OSProfile.standard
    os.system.rules.hasLocationPushExtension = true
    let throttled = Self.bench(os: os) {
      $0.push.request.kind = .location
      $0.push.phone.extensionCapacity = 2
      $0.push.phone.extensionRefillPerHour = 0
      $0.push.phone.window.grants = 0
    }
    for _ in 0..<4 {
      throttled.request()
      throttled.advance(.minutes(10))
    }
    #expect(throttled.pushesDelivered.count == 2)
    #expect(throttled.outcomes.suffix(2) == [.throttled, .throttled])
    let withoutAlways = Self.bench(os: os) {
      $0.push.request.kind = .location
      $0.fleet.phone.always = 0
      $0.fleet.phone.whenInUse = 1
    }
    withoutAlways.request()
    withoutAlways.advance(.minutes(1))
    #expect(withoutAlways.outcomes == [.noPermission] && withoutAlways.pushesDelivered.isEmpty)
    os.system.rules.hasLocationPushExtension = false
    let old = Self.bench(os: os) { $0.push.request.kind = .location }
    old.request()
    old.request()
    #expect(old.shard.pushStatuses.map(\.status) == [200, 410])
    #expect(old.outcomes == [.unregistered, .rejected])
  }
}
