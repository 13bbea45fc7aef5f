import Core
import PhoneSupport
@testable import Phone
import Push
import Scenarios
import TestSupport
import Testing

@Suite("Pushes to Android", .quick)
struct AndroidPushTests {
  /// High priority, which no phone lowers.
  static func urgent(_ change: (inout AndroidSetup) -> Void = { _ in }) -> PhoneLife {
    PhoneLife.android {
      $0.world.request.androidPriority = .high
      $0.rules.lowered = 0
      change(&$0)
    }
  }

  /// In deep Doze, before the window at 125 min.
  static let idle = SimDuration.minutes(100)
  static let window = SimDuration.minutes(125)

  @Test("AFC1: in Doze a push of normal priority waits for a window, or for use of the phone")
  func normal() {
    let life = PhoneLife.android()
    #expect(life.restrictedUntil == nil)
    let (birth, use) = (life.truth.birth, life.nextUse.start)
    let waits: [(at: SimDuration, until: SimInstant?)] = [
      (.minutes(10), birth + .minutes(17)), (.minutes(17), nil), (Self.idle, birth + Self.window),
      (Self.window, nil), (.minutes(131), birth + .minutes(250)), (.minutes(501), use),
      (use - birth, nil),
    ]
    for (at, until) in waits {
      life.advance(until: at)
      #expect(life.restrictedUntil == until, "\(at)")
      #expect((life.restriction?.gate == .doze) == (until != nil))
    }
  }

  @Test("AFC2: a push of high priority reaches a dozing phone and runs its app for 20 s")
  func high() {
    let life = Self.urgent {
      $0.app = PushTimelineTests.app()
      $0.rules.handlerTime = .seconds(20)
    }
    life.advance(until: Self.idle)
    #expect(life.doze.isIdle && life.restrictedUntil == nil)
    life.push()
    life.advance(.seconds(19))
    #expect(life.pushesDelivered.count == 1 && life.state == .background)
    life.advance(.seconds(2))
    #expect(life.state == .suspended && life.crashes.isEmpty)
  }

  /// How many pushes of high priority reach a dozing phone, at most 20.
  static func reach(_ life: PhoneLife) -> Int {
    #expect(life.doze.isIdle)
    var count = 0
    while life.restrictedUntil == nil, count < 20 {
      life.push()
      count += 1
    }
    return count
  }

  @Test("AFC3: until Android 12 buckets cap the pushes of high priority, each day anew")
  func cap() {
    func capped(_ change: (inout AndroidSetup) -> Void = { _ in }) -> PhoneLife {
      Self.urgent {
        $0.rules.frequentPushes = 10
        $0.rules.rarePushes = 5
        change(&$0)
      }
    }
    let active = capped()
    active.advance(until: Self.idle)
    #expect(Self.reach(active) == 20)
    let frequent = capped()
    frequent.advance(until: .hours(31))
    #expect(frequent.bucket == .frequent && Self.reach(frequent) == 10)
    #expect(frequent.restriction?.gate == .bucketQuota)
    let rare = capped { $0.traits = .unopened }
    rare.advance(until: Self.idle)
    #expect(Self.reach(rare) == 5)
    // Midnight in Greenwich is at 1 h.
    rare.advance(until: .minutes(17 * 60 + 25))
    #expect(Self.reach(rare) == 0)
    rare.advance(until: .minutes(17 * 60 + 35))
    #expect(Self.reach(rare) == 5)
    let modern = Self.urgent { $0.traits = .unopened }
    modern.advance(until: Self.idle)
    #expect(Self.reach(modern) == 20, "no cap since Android 13")
  }

  @Test("AFC4: on some phones pushes that show nothing count as normal ones, alerts never")
  func lowered() {
    func until(_ lowered: Double, _ kind: PushRequest.Kind) -> SimDuration? {
      let life = Self.urgent {
        $0.rules.lowered = lowered
        $0.world.request.kind = kind
      }
      life.advance(until: Self.idle)
      return life.restrictedUntil.map { $0 - life.truth.birth }
    }
    #expect(until(0, .background) == nil && until(1, .background) == Self.window)
    #expect(until(1, .alert) == nil)
    let one = Self.urgent { $0.rules.lowered = 1 }
    one.advance(until: Self.idle)
    #expect(one.restriction?.gate == .deprioritized)
    let lowered = (0..<1_000).map { number in
      let life = Self.urgent {
        $0.number = UInt32(number)
        $0.rules.lowered = 0.5
      }
      return !life.phone.isUrgent(.ofScenario, at: life.now, life.context)
    }
    #expect((0.45...0.55).contains(lowered.share { $0 }))
  }

  @Test("ABT4: in Battery Saver normal pushes wait from the first minute on, high ones do not")
  func batterySaver() {
    for priority in PushRequest.AndroidPriority.allCases {
      let life = Self.urgent {
        $0.world.request.androidPriority = priority
        $0.world.owner.lowPower = 1
      }
      life.advance(until: .minutes(2))
      #expect(life.restrictedUntil == (priority == .normal ? life.truth.birth + .minutes(61) : nil))
    }
  }

  @Test("AFC2: a scenario's push has its own priority on Android, and a message has that it says")
  func priorities() {
    var request = PushSettings.standard.request
    (request.kind, request.priority) = (.alert, 10)
    #expect(!request.isHigh(.ofScenario))
    request.androidPriority = .high
    #expect(request.isHigh(.ofScenario))
    for priority in [5, 10] {
      let manner = PushManner(.background, priority: priority, asksToRun: true)
      #expect(request.isHigh(manner) == (priority == 10))
    }
    let life = PhoneLife.android { $0.world.request.priority = 1 }
    life.push()
    #expect(life.pushSteps == [.passed, .woke], "the priority for APNs has no part")
  }

  @Test("AFC11: a stopped app gets no push, of any priority, until it is opened")
  func stopped() {
    for priority in PushRequest.AndroidPriority.allCases {
      let life = Self.urgent {
        $0.world.request.androidPriority = priority
        $0.rules.swipeStops = true
      }
      life.swipeAway()
      life.push()
      #expect(life.pushSteps == [.stopped(.stopped)] && life.launches == [.user])
      life.open()
      life.leave()
      life.push()
      #expect(life.pushesDelivered.count == 1)
    }
  }

  @Test("AFC11: a stopped app shows no alert")
  func stoppedAlert() {
    for stops in [false, true] {
      let life = PhoneLife.android {
        $0.world.request.kind = .alert
        $0.world.request.contentAvailable = false
        $0.world.owner.notificationsAllowed = 1
        $0.rules.swipeStops = stops
      }
      life.swipeAway()
      life.push()
      #expect(life.pushSteps == (stops ? [.stopped(.stopped)] : [.shown, .stopped(.alertOnly)]))
    }
  }

  @Test("AFC14: an app that answers in a job does so when Doze ends, though the push came")
  func job() {
    for answersInJob in [false, true] {
      let life = Self.urgent { $0.use.pushJobs = answersInJob }
      life.advance(until: Self.idle)
      life.push()
      #expect((life.pushSteps.first == .stored(.doze)) == answersInJob)
      life.advance(until: .minutes(126))
      let arrives = life.truth.birth + (answersInJob ? Self.window : Self.idle)
      #expect(life.pushesDelivered == [arrives])
      life.push()
      #expect(life.pushesDelivered.count == 2, "in a window it answers at once")
    }
  }

  @Test("AFC14: the job of a push runs when the owner opens the app")
  func jobRunsEarly() {
    let life = Self.urgent { $0.use.pushJobs = true }
    life.advance(until: Self.idle)
    life.push()
    life.advance(.minutes(5))
    life.open()
    #expect(life.pushesDelivered == [life.now])
  }

  @Test("ABO1: a push to a phone that was not unlocked since its start waits for the first unlock")
  func beforeFirstUnlock() throws {
    let life = Self.urgent {
      $0.world.limits.holds = true
      $0.world.owner.battery.unlocksPerDay = 100
    }
    life.advance(until: .minutes(100))
    life.restart()
    life.push()
    #expect(life.pushSteps == [.stored(.beforeFirstUnlock)] && life.state == .notRunning)
    life.advance(until: .hours(8))
    let unlock = try #require(life.firstUnlock)
    #expect(life.pushesDelivered == [unlock + .milliseconds(1)])
  }
}
