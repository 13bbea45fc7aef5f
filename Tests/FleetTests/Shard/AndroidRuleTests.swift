import Core
import Phone
import PhoneSupport
import Push
@testable import Scenarios
import TestSupport
import Testing

@testable import Fleet

@Suite("Pushes to Android through the provider", .quick)
struct AndroidRuleTests {
  /// A phone that dozes deeply but for its windows, at 125, 250 and 495 min of the first day. Its
  /// owner unlocks it on Monday at 18:40.
  static func bench(
    way: [Stretch] = [.stay(.hours(48))], change: (inout Scenario) -> Void = { _ in }
  ) -> PhoneBench {
    PhoneBench(.quiet, os: .android14, way: way, seed: 47) {
      $0.fleet.phone.battery.unlocksPerDay = 1
      $0.push.expiration = .hours(24)
      change(&$0)
    }
  }

  /// The minutes from the phone's birth to the push's delivery, which takes seconds.
  static func delivered(_ bench: PhoneBench) -> [Double] {
    bench.pushesDelivered.map { (($0 - bench.scenario.start).seconds / 60) }
  }

  @Test("AFC1: a push of normal priority is stored in Doze, and delivered at the next window")
  func window() throws {
    let bench = Self.bench()
    bench.advance(until: .minutes(100))
    bench.request()
    bench.advance(until: .minutes(120))
    #expect(bench.pushesDelivered.isEmpty && bench.phone.provider.storedFor == .doze)
    bench.advance(until: .hours(9))
    try #require(bench.pushesDelivered.count == 1)
    #expect((125...126).contains(Self.delivered(bench)[0]))
  }

  @Test("AFC2: a push of high priority is delivered at once")
  func high() throws {
    var os = OSProfile.android14
    os.system.android?.lowered = 0
    let bench = Self.bench {
      $0.fleet.cohorts[0].os.value = os
      $0.push.request.androidPriority = .high
    }
    bench.advance(until: .minutes(100))
    bench.request()
    bench.advance(until: .hours(2))
    try #require(bench.pushesDelivered.count == 1)
    #expect((100...101).contains(Self.delivered(bench)[0]))
  }

  @Test("AFC1, AFC3, AFC4, AFC11: what stops a push on Android is an outcome")
  func names() {
    func outcomes(_ change: (inout AndroidRules, inout Scenario) -> Void) -> [WakeOutcome] {
      var rules = AndroidRules.standard
      rules.lackNothing()
      rules.lowered = 0
      let bench = Self.bench {
        $0.push.expiration = .minutes(30)
        change(&rules, &$0)
        var os = OSProfile.android14
        os.system.android = rules
        $0.fleet.cohorts[0].os.value = os
      }
      if rules.swipeStops {
        bench.open()
        bench.forceQuit()
      }
      bench.advance(until: .minutes(80))
      for _ in 0..<3 {
        bench.request()
        bench.advance(.minutes(15))
      }
      bench.shard.closePushes(at: bench.now)
      return bench.outcomes
    }
    #expect(outcomes { _, _ in } == [.doze, .doze, .doze])
    let lowered = outcomes {
      $0.lowered = 1
      $1.push.request.androidPriority = .high
    }
    #expect(lowered == [.deprioritized, .deprioritized, .deprioritized])
    let capped = outcomes {
      $0.frequentPushes = 0
      $0.frequentAfter = .minutes(1)
      $1.push.request.androidPriority = .high
    }
    #expect(capped == [.bucketQuota, .bucketQuota, .bucketQuota])
    let stopped = outcomes { rules, _ in
      rules.swipeStops = true
      (rules.lightAfter, rules.deepAfter) = (.hours(48), .hours(48))
    }
    #expect(stopped == [.stopped, .stopped, .stopped])
  }

  @Test("AFC1: a stored push is delivered when the phone is used, moves or comes onto its charger")
  func beforeWindow() throws {
    let opened = Self.bench()
    opened.advance(until: .minutes(140))
    opened.request()
    opened.advance(until: .minutes(145))
    #expect(opened.pushesDelivered.isEmpty)
    opened.open()
    // In the window of light Doze from 145 to 146 min.
    let moving = Self.bench(way: [
      .stay(.seconds(8_705)), .ride(.minutes(30), metersPerSecond: 8), .stay(.hours(24)),
    ])
    moving.advance(until: .minutes(140))
    moving.request()
    for bench in [opened, moving] {
      bench.advance(until: .minutes(240))
      try #require(bench.pushesDelivered.count == 1)
      #expect((145...147).contains(Self.delivered(bench)[0]))
    }
    // Deep Doze has windows at 22:50 and 2:55, and the charger comes at 23:00.
    let charged = Self.bench { $0.fleet.phone.chargesAtNight = 1 }
    charged.advance(until: .minutes(15 * 60 + 27))
    charged.request()
    charged.advance(until: .hours(18))
    try #require(charged.pushesDelivered.count == 1)
    #expect((930...931).contains(Self.delivered(charged)[0]))
  }

  /// Returns the outcomes of messages, sent a minute apart to a phone that is offline for some hours.
  static func stored(
    _ count: Int, _ change: @escaping (inout Scenario) -> Void = { _ in }
  ) -> PhoneBench {
    var policy = PolicySettings.quiet
    policy.onPush = .cached
    var os = OSProfile.android14
    os.system.android?.lightAfter = .hours(48)
    os.system.android?.deepAfter = .hours(48)
    let bench = PhoneBench(policy, os: os, way: [.stay(.hours(48))], seed: 47) {
      $0.push.expiration = .hours(24)
      change(&$0)
    }
    bench.advance(until: .minutes(10))
    bench.loseConnection(for: .minutes(190))
    for _ in 0..<count {
      bench.advance(.minutes(1))
      bench.request()
    }
    bench.advance(until: .hours(5))
    bench.shard.closePushes(at: bench.now)
    #expect(bench.shard.messages.isEmpty && bench.outcomes.count == count)
    #expect(Set(bench.shard.pushEndings.map(\.id)).count == count)
    return bench
  }

  @Test("AFC5: messages wait beside each other, unless they have a collapse key, and come together")
  func beside() {
    let plain = Self.stored(3)
    #expect(plain.outcomes == [.noFix, .noFix, .noFix] && plain.pushesDelivered.count == 1)
    let collapsing = Self.stored(3) { $0.push.request.collapseIDLength = 8 }
    #expect(collapsing.outcomes == [.overwritten, .overwritten, .noFix])
    let short = Self.stored(3) { $0.push.expiration = .seconds(188 * 60 + 30) }
    #expect(short.outcomes == [.expired, .noFix, .noFix], "back after 189, 188 and 187 min")
    let gone = Self.stored(3) { $0.push.expiration = .minutes(5) }
    #expect(gone.outcomes == [.expired, .expired, .expired] && gone.pushesDelivered.isEmpty)
  }

  @Test("AFC5: a message beyond 100 discards all, and the app is told")
  func full() throws {
    func heard(_ bench: PhoneBench) -> [SimInstant] {
      bench.delivered.compactMap { if case .messagesDiscarded = $0.event { $0.at } else { nil } }
    }
    let most = Self.stored(100)
    #expect(most.outcomes.allSatisfy { $0 == .noFix } && heard(most).isEmpty)
    let many = Self.stored(101)
    #expect(many.outcomes.allSatisfy { $0 == .storeFull } && many.pushesDelivered.isEmpty)
    #expect(heard(many) == [many.scenario.start + .minutes(200)])
    let more = Self.stored(103)
    #expect(more.outcomes.count { $0 == .noFix } == 2 && more.pushesDelivered.count == 1)
    #expect(heard(more).count == 1)
    let collapsing = Self.stored(150) { $0.push.request.collapseIDLength = 8 }
    #expect(collapsing.outcomes.count { $0 == .overwritten } == 149 && heard(collapsing).isEmpty)
  }

  @Test("AFC5: messages that come together end by their own times, of one fix")
  func together() {
    var policy = PolicySettings.quiet
    policy.onPush = .burst
    policy.android.service = .always
    let bench = PhoneBench(policy, os: .android14, way: [.stay(.hours(48))], seed: 47) {
      $0.fleet.phone.battery.unlocksPerDay = 1
      $0.push.expiration = .hours(24)
      $0.push.within = .minutes(30)
    }
    bench.advance(until: .minutes(80))
    for _ in 0..<4 {
      bench.request()
      bench.advance(.minutes(10))
    }
    // Deep Doze has a window at 125 min.
    bench.advance(until: .minutes(140))
    #expect(bench.outcomes == [.late, .late, .caused, .caused])
    #expect(bench.pushesDelivered.count == 1)
  }

  @Test("ANW2: with Data Saver an app without a service sends on Wi-Fi only in the background")
  func dataSaver() {
    func life(saves: Double, wifi: Double, _ service: AndroidUse.Service) -> PhoneBench {
      var policy = PolicySettings.quiet
      policy.android.service = service
      policy.android.work = .minutes(15)
      var os = OSProfile.android14
      os.system.android?.savesData = saves
      let bench = PhoneBench(policy, os: os, way: [.stay(.hours(48))], seed: 47) {
        $0.fleet.phone.battery.unlocksPerDay = 1
        $0.fleet.phone.wifiAtStays = wifi
      }
      bench.advance(until: .hours(8))
      return bench
    }
    let kept = life(saves: 1, wifi: 0, .never)
    #expect(kept.results.allSatisfy { $0 == .offline } && kept.results.count > 3)
    #expect(kept.metrics.stale[.waitingForWifi] > .hours(4) && kept.phone.outbox.count > 1)
    for bench in [
      life(saves: 0, wifi: 0, .never), life(saves: 1, wifi: 1, .never),
      life(saves: 1, wifi: 0, .always),
    ] {
      #expect(bench.results.count { $0 == .acknowledged } > 3)
    }
  }

  @Test("AFL2: a request costs one event a position, and few at rest behind a distance filter")
  func events() {
    func events(_ filter: DistanceFilter) -> Int {
      var policy = PolicySettings.quiet
      policy.android.service = .always
      policy.background.service.pattern = .polled(every: .minutes(1), timeout: .seconds(30))
      policy.background.service.accuracy = .hundredMeters
      policy.background.service.distanceFilter = filter
      policy.background.filter.rule = .minimum(time: .zero, distance: .kilometers(50))
      let bench = PhoneBench(policy, os: .android14, way: [.stay(.hours(48))], seed: 47)
      bench.advance(until: .hours(24))
      return bench.shard.metrics[.events]
    }
    #expect((1_400...1_700).contains(events(.none)))
    #expect((100...400).contains(events(.atLeast(.meters(500)))))
  }
}
