import Core
import PhoneSupport
@testable import Phone
import Push
@testable import Scenarios

/// What a test states about a phone with Android 14, its owner and its app. By default nothing
/// happens by chance: no process ends by itself, every crossing of a fence is soon noticed, and the
/// owner unlocks the phone once a day, on Monday at 18:40 and on Tuesday at 18:25.
struct AndroidSetup {
  var rules = {
    var rules = AndroidRules.standard
    rules.cachedLife = .hours(1_000_000)
    rules.serviceDeathsPerDay = 0
    rules.activeAppsStops = 0
    rules.ownerRestricts = 0
    rules.lackNothing()
    return rules
  }()
  var use = AndroidUse.none
  var way = [Stretch.stay(.hours(72))]
  /// East of the phone's first position, in metres.
  var places: [Double] = []
  /// The cushion of the fences, in metres; nil for the profile's.
  var cushion: Double?
  var number: UInt32 = 0
  var user = Authorization.always
  var traits = PhoneTraits()
  var consent = Consent()
  /// When the owner is reminded of locations in the background; nil for never.
  var reminder: SimDuration?
  var world = {
    var world = PushWorld()
    world.owner.battery.unlocksPerDay = 1
    return world
  }()
  var app = DeviceTests.careful()

  fileprivate var os: OSProfile {
    var os = OSProfile.android14
    os.system.android = rules
    os.regions.promptShare = 1
    os.regions.promptShareTerminated = 1
    os.regions.promptMedian = .seconds(10)
    os.regions.promptMedianWithoutWifi = .seconds(10)
    os.regions.missed = 0
    os.system.rules.reminderFirst = reminder
    if let cushion { os.regions.cushion = .meters(cushion) }
    os.regions.leapsSeen = 0
    return os
  }

  fileprivate var policy: PolicySettings {
    var policy = PolicySettings.standard
    policy.android = use
    policy.places =
      places.isEmpty
      ? nil : PlaceRule(radius: .meters(150), others: places.count - 2, choose: .first)
    return policy
  }
}

extension AndroidRules {
  mutating func neverDoze() {
    lightAfter = .hours(10_000)
    deepAfter = .hours(10_000)
    deepAgain = .hours(10_000)
  }
}

extension PhoneLife {
  /// The phone of an owner who opens the app on a Monday at half past seven, and leaves it.
  static func android(_ change: (inout AndroidSetup) -> Void = { _ in }) -> PhoneLife {
    var setup = AndroidSetup()
    change(&setup)
    let (world, app) = (setup.world, setup.app)
    let life = PhoneLife(
      .way(setup.way, seed: 47), setup.number, os: setup.os, user: setup.user,
      traits: setup.traits, consent: setup.consent, policy: setup.policy,
      places: setup.places.isEmpty ? nil : PlaceTests.places(setup.places, from: setup.way),
      pushes: { $0 = world }, timedApp: { event, _ in app(event) })
    life.open()
    life.leave()
    return life
  }

  /// The owner's next use of the phone.
  var nextUse: Window {
    context.battery.use.next(
      after: now, phone: phone.id, screenShare: context.battery.screenShare(of: phone.id))
  }

  var doze: Doze { phone.doze(at: now, context) }

  var bucket: StandbyBucket? {
    context.profile.system.android.map { phone.bucket(at: now, context, $0) }
  }

  var isStopped: Bool { phone.isStopped(at: now, context) }

  /// Until when the phone takes no push of the scenario's kind; nil if it takes them now.
  var restrictedUntil: SimInstant? { restriction?.until }

  var restriction: (gate: StorageGate, until: SimInstant)? {
    phone.restriction(now, .ofScenario, context)
  }

  /// The phone's age at each run of the app's periodic work.
  var workRuns: [SimDuration] {
    delivered.compactMap {
      if case .refreshed = $0.event { $0.at - truth.birth } else { nil }
    }
  }

  /// When the system started the app by itself.
  var systemStarts: [SimInstant] {
    delivered.compactMap { if case .launched(.system) = $0.event { $0.at } else { nil } }
  }

  /// When the system ended the app's process.
  var ends: [SimInstant] {
    effectsInTime.compactMap { if case .ends(.memory) = $0.effect { $0.at } else { nil } }
  }

  /// The phone starts again, and waits for its first unlock.
  func restart() {
    act { phone, context, out in
      phone.restart(context, &out)
      phone.scheduleBattery(out.now, context)
    }
  }

  /// When the phone was first unlocked after its start.
  var firstUnlock: SimInstant? { steps.first { $0.step == .firstUnlock }?.at }
}
