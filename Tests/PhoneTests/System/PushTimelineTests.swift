import Core
import PhoneSupport
import Scenarios
import TestSupport
import Testing
@testable import Phone

@Suite("Silent pushes on one phone, without a fleet", .quick)
struct PushTimelineTests {
  /// Requests Always, and holds a background task for a push until its time is up.
  static func app(onPush wishes: [OSCommand] = []) -> PhoneLife.App {
    { event in
      if event.isActivation { return [.requestAuthorization(.always)] }
      if case .silentPush = event { return [.beginBackgroundTask] + wishes }
      return event.isExpiry ? [.stopStandard, .endBackgroundTask] : []
    }
  }

  /// Opened once and left.
  static func life(
    os: OSProfile = .standard, user: Authorization = .always, traits: PhoneTraits = [],
    onPush wishes: [OSCommand] = [], _ change: (inout PushWorld) -> Void = { _ in }
  ) -> PhoneLife {
    DeviceTests.installed(
      PhoneLife(os: os, user: user, traits: traits, pushes: change, app: app(onPush: wishes)))
  }

  /// From birth to three at night.
  static let untilThree = SimDuration.hours(23)

  // MARK: Wakes

  @Test("C13: a push wakes a suspended app and grants at most its run time", arguments: [30, 180])
  func wake(budget: Int64) {
    var os = OSProfile.standard
    os.system.rules.backgroundTaskBudget = .seconds(budget)
    let life = Self.life(os: os)
    #expect(life.state == .suspended)
    life.push()
    #expect(life.pushSteps == [.passed, .woke] && life.pushesDelivered == [life.now])
    life.advance(.seconds(29))
    #expect(life.state == .background)
    life.advance(.seconds(2))
    #expect(life.state == .suspended && life.crashes.isEmpty)
  }

  @Test("a push launches a dead app, and no app of a phone that is off")
  func launch() {
    let life = Self.life()
    life.kill()
    life.push()
    #expect(life.launches == [.user, .push] && life.pushesDelivered.count == 1)
    life.turnOff(for: .hours(1))
    life.push()
    #expect(life.pushSteps.suffix(2) == [.passed, .failed(isSwitchedOff: true)])
    #expect(life.pushesDelivered.count == 1 && life.state == .notRunning)
  }

  @Test("a push reaches an app without Always as well, and notes that it may not locate")
  func withoutAlways() {
    let life = Self.life(user: .whenInUse)
    life.push()
    #expect(
      life.pushSteps == [.passed, .withoutPermission, .woke] && life.pushesDelivered.count == 1)
  }

  // MARK: Gates

  struct OneGate: Sendable {
    let gate: PushGate
    var traits = PhoneTraits()
    var change: @Sendable (inout PushWorld) -> Void = { _ in }
  }

  static let gates = [
    OneGate(gate: .lowPower) { $0.owner.lowPower = 1 },
    OneGate(gate: .lowPower) { $0.request.priority = 1 },
    OneGate(gate: .refreshOff, traits: .refreshOff),
    OneGate(gate: .throttled) { $0.limits.window.grants = 0 },
    OneGate(gate: .throttled) { $0.limits.nightSlot = .minutes(20) },
  ]

  @Test("BR1: a closed gate stops the push, unless the app is in the foreground", arguments: gates)
  func alone(closed: OneGate) {
    let life = Self.life(traits: closed.traits, closed.change)
    life.advance(Self.untilThree)
    life.push()
    #expect(life.pushSteps == [.stopped(closed.gate)] && life.pushesDelivered.isEmpty)
    life.open()
    life.push()
    #expect(life.pushSteps.count > 1 && life.pushSteps[1] == .passed)
    #expect(life.pushesDelivered == [life.now])
  }

  @Test("C13, LC11: no push wakes a force-quit app until its user opens it")
  func forceQuit() {
    let life = PhoneLife(app: Self.app())
    life.open()
    life.swipeAway()
    for _ in 0..<24 {
      life.push()
      life.advance(.minutes(30))
    }
    #expect(life.pushSteps == Array(repeating: .stopped(.forceQuit), count: 24))
    #expect(life.pushesDelivered.isEmpty && life.launches == [.user])
    life.open()
    #expect(life.state == .foreground && !life.phone.process.isForceQuit)
    life.leave()
    life.push()
    #expect(life.pushesDelivered == [life.now])
  }

  @Test("a push of priority 1 wakes no app: it reaches only an app in the foreground")
  func priorityOne() {
    let life = Self.life { $0.request.priority = 1 }
    life.push()
    life.open()
    life.push()
    #expect(life.pushSteps == [.stopped(.lowPower), .passed, .wakesNobody, .woke])
    #expect(!life.launches.contains(.push) && life.pushesDelivered.count == 1)
  }

  // MARK: Alerts

  /// Low Power Mode is on, Background App Refresh off, and the budget empty.
  static func closed(
    _ kind: PushRequest.Kind, allowed: Double = 1, contentAvailable: Bool = true
  ) -> PhoneLife {
    life(traits: .refreshOff) {
      $0.request.kind = kind
      $0.request.contentAvailable = contentAvailable
      $0.owner.lowPower = 1
      $0.owner.notificationsAllowed = allowed
      $0.limits.window.grants = 0
    }
  }

  @Test("AL1: an alert runs the app and is shown although every gate of a silent push is closed")
  func alert() {
    let silent = Self.closed(.background)
    silent.push()
    #expect(silent.pushSteps == [.stopped(.lowPower)] && silent.pushesDelivered.isEmpty)
    let alert = Self.closed(.alert)
    alert.push()
    #expect(alert.pushSteps == [.shown, .passed, .woke] && alert.pushesDelivered == [alert.now])
    alert.advance(.seconds(31))
    #expect(alert.state == .suspended)
    let muted = Self.closed(.alert, allowed: 0)
    muted.push()
    #expect(muted.pushSteps == [.passed, .woke])
    let bare = Self.closed(.alert, contentAvailable: false)
    bare.push()
    #expect(bare.pushSteps == [.shown, .stopped(.alertOnly)] && bare.pushesDelivered.isEmpty)
  }

  @Test("AL1, LC11: an alert to a force-quit app is shown and runs nothing until it is opened")
  func alertAfterForceQuit() {
    let life = Self.closed(.alert)
    life.open()
    life.swipeAway()
    life.push()
    #expect(life.pushSteps == [.shown, .stopped(.forceQuit)] && life.pushesDelivered.isEmpty)
    life.advance(.seconds(40))
    life.open()
    #expect(!life.phone.process.isForceQuit)
    life.push()
    #expect(life.pushSteps.suffix(2) == [.passed, .woke], "an app in use shows no alert")
    life.leave()
    life.push()
    #expect(life.pushSteps.suffix(3) == [.shown, .passed, .woke])
  }

  @Test("AL2: an alert of priority 10 does not wait, and is not held for a phone that saves power")
  func urgentAlert() {
    for (priority, isUrgent) in [(10, true), (5, false)] {
      let life = Self.life {
        $0.request.kind = .alert
        $0.request.priority = priority
        $0.limits.pendingLaunch = .seconds(2)
        $0.owner.restrictedAtNight = 1
      }
      life.advance(Self.untilThree)
      let wait = life.context.push.launchWait(isForeground: false)
      let until = life.context.push.restrictedUntil(life.now, phone: life.phone.id)
      #expect((wait == .zero) == isUrgent && (until == nil) == isUrgent)
    }
  }

  // MARK: Budgets

  @Test("C13: pushed every five minutes for a day, an app runs two or three times an hour")
  func budget() {
    let life = Self.life {
      $0.limits.holds = true
      $0.limits.dayRunTime = .zero
    }
    for _ in 0..<(24 * 12) {
      life.push()
      life.advance(.minutes(5))
    }
    let perHour = Double(life.pushesDelivered.count) / 24
    #expect(perHour > 2 && perHour <= 3, "\(perHour) an hour")
  }

  @Test("a run with satellites lowers the refill; one with a known position does not")
  func penalty() {
    for isHeavy in [true, false] {
      let wishes = isHeavy ? [OSCommand.startStandard(.background)] : []
      let life = Self.life(onPush: wishes) {
        $0.limits.penaltyFactor = 0.1
        $0.limits.penaltyFloor = 0.1
        $0.limits.budget = .drip
        $0.limits.bucketCapacity = 1
        $0.limits.penaltyAfter = .seconds(40)
      }
      for _ in 0..<10 {
        life.push()
        life.advance(.minutes(30))
      }
      // Full again after 24 minutes, or after four hours.
      #expect(isHeavy ? life.pushesDelivered.count <= 2 : life.pushesDelivered.count == 10)
    }
  }

  @Test("runs use up the day's allowance, which is renewed at an hour that differs by phone")
  func dayBudget() {
    let life = Self.life {
      $0.limits.window.grants = 100
      $0.limits.dayRunTime = .seconds(1)
      $0.limits.runCost = 1
    }
    for _ in 0..<(40 * 6) {
      life.push()
      life.advance(.minutes(10))
    }
    let delivered = life.pushesDelivered
    #expect(delivered.count == 2 || delivered.count == 3)
    // Each but the first is the first after a full hour, always the same one.
    let resets = delivered.dropFirst().map { World.town.clock.timeOfDay(at: $0).seconds / 3_600 }
    #expect(resets.allSatisfy { $0 - $0.rounded(.down) < 0.2 })
    #expect(Set(resets.map { Int($0) }).count == 1)
  }

  @Test("only bytes sent during a push's run count against the day's allowance")
  func dayData() {
    for isForPush in [true, false] {
      let life = Self.life {
        $0.limits.window.grants = 100
        $0.limits.dayData = ByteCount(bytes: 1)
      }
      if isForPush { life.push() } else { life.open() }
      life.send(bytes: 100)
      life.leave()
      life.advance(.minutes(1))
      life.push()
      #expect((life.pushSteps.last == .stopped(.throttled)) == isForPush)
    }
  }

  // MARK: The extension

  @Test("a location push runs the extension of a force-quit app and leaves it force-quit")
  func locationExtension() {
    var os = OSProfile.standard
    os.system.rules.relaunchesAfterForceQuit = false
    let life = PhoneLife(
      os: os, traits: .refreshOff,
      pushes: {
        $0.request.kind = .location
        $0.owner.lowPower = 1
        $0.limits.extensionInLowPower = 1
      }, app: Self.app())
    life.advance(Self.untilThree)
    life.open()
    life.swipeAway()
    for n in 1...5 {
      life.push()
      #expect(life.pushesDelivered.count == n && life.phone.process.isExtension)
      life.advance(.seconds(31))
      #expect(life.state == .notRunning && life.phone.process.isForceQuit)
    }
  }

  @Test("SP14: in Low Power Mode a location push runs the extension in a share of the pushes")
  func extensionInLowPower() {
    var os = OSProfile.standard
    os.system.rules.relaunchesAfterForceQuit = false
    let life = PhoneLife(
      os: os,
      pushes: {
        $0.request.kind = .location
        $0.owner.lowPower = 1
        $0.limits.extensionInLowPower = 0
      }, app: Self.app())
    life.advance(Self.untilThree)
    life.open()
    life.swipeAway()
    life.push()
    #expect(life.pushesDelivered.isEmpty && life.pushSteps.last == .stopped(.lowPower))
  }

  @Test("location pushes have a separate budget, and need Always")
  func locationGates() {
    let throttled = Self.life {
      $0.request.kind = .location
      $0.limits.extensionCapacity = 2
      $0.limits.extensionRefillPerHour = 0
      $0.limits.window.grants = 0
    }
    for _ in 0..<4 {
      throttled.push()
      throttled.advance(.minutes(10))
    }
    #expect(throttled.pushesDelivered.count == 2)
    #expect(throttled.pushSteps.suffix(2) == [.stopped(.throttled), .stopped(.throttled)])
    let withoutAlways = Self.life(user: .whenInUse) { $0.request.kind = .location }
    withoutAlways.push()
    #expect(withoutAlways.pushSteps == [.passed, .withoutPermission])
    #expect(withoutAlways.pushesDelivered.isEmpty)
  }

  // MARK: The held push

  /// The budget has one token, which the first push takes; the second is held.
  static func throttled() -> PhoneLife {
    let life = life {
      $0.limits.holds = true
      $0.limits.budget = .drip
      $0.limits.bucketCapacity = 1
    }
    life.push()
    life.advance(.minutes(1))
    life.push()
    #expect(life.pushSteps == [.passed, .woke, .stored(.throttled)])
    return life
  }

  @Test("a throttled push is delivered when the budget has a token again")
  func refill() {
    let life = Self.throttled()
    life.advance(.minutes(22))
    #expect(life.pushesDelivered.count == 1)
    life.advance(.minutes(2))
    let delivered = life.pushesDelivered
    #expect(delivered.count == 2 && life.pushSteps.suffix(2) == [.released, .woke])
    // 2.5 an hour: 24 minutes from token to token.
    let gap = ((delivered.last ?? .distantPast) - (delivered.first ?? .distantPast)).seconds
    #expect(abs(gap - 24 * 60) < 1)
  }

  @Test("a phone that is off when the gate of its held push opens gets it when it is on again")
  func heldWhileOff() {
    let life = Self.throttled()
    life.turnOff(for: .hours(2))
    let isOn = life.now + .hours(2)
    life.advance(.hours(3))
    #expect(life.pushesDelivered.count == 2 && life.pushesDelivered.last == isOn)
  }

  @Test("BT2: a push held for Low Power Mode is delivered when charging ends that mode")
  func lowPowerEnds() {
    let life = Self.life {
      $0.limits.holds = true
      $0.owner.chargesAtNight = 1
      $0.owner.battery.lowPowerWhenLow = 1
      $0.energy.batteryWattHours = 1.8
    }
    // Started at four on its charger, the phone warns in the evening.
    life.advance(until: .hours(17))
    life.push()
    #expect(life.batterySteps.contains(.lowPowerBegins))
    #expect(life.pushesDelivered.isEmpty && life.phone.pushes.deferredBy == .lowPower)
    life.advance(until: .hours(20))
    #expect(life.batterySteps.last == .lowPowerEnds)
    #expect(life.pushesDelivered.count == 1 && life.phone.pushes.deferredBy == .open)
  }

  @Test("a held push is delivered once, when the user opens the app")
  func opened() {
    let life = Self.life(traits: .refreshOff) { $0.limits.holds = true }
    life.push()
    life.advance(.hours(2))
    #expect(life.pushesDelivered.isEmpty)
    for _ in 0..<2 {
      let opened = life.now
      life.open()
      #expect(life.pushSteps == [.stored(.refreshOff), .discarded])
      #expect(life.pushesDelivered.count == 1 && life.pushesDelivered[0] <= opened)
      life.leave()
      life.advance(.minutes(5))
    }
  }

  @Test("LC11: a force-quit discards the held push")
  func discarded() {
    let life = Self.life(traits: .refreshOff) { $0.limits.holds = true }
    life.push()
    life.advance(.minutes(5))
    life.swipeAway()
    #expect(life.pushSteps == [.stored(.refreshOff), .discarded])
    life.open()
    #expect(life.pushesDelivered.isEmpty)
  }

  @Test("SP5: of several held pushes one is delivered, however many were held")
  func newest() {
    let life = Self.life(traits: .refreshOff) { $0.limits.holds = true }
    for _ in 0..<4 {
      life.push()
      life.advance(.minutes(30))
    }
    life.open()
    #expect(life.pushesDelivered == [life.now])
  }
}
