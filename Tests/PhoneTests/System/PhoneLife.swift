import Mobility
@testable import Scenarios
import SimulationCore
import Telemetry

@testable import Phone

/// Simulates one phone without a fleet: its person's day, its system, and an app that answers as
/// the test states.
///
/// The phone is born on a Monday at 04:00, at home, with its app never opened.
///
///     let life = PhoneLife { event in event.isActivation ? [.startVisits] : [] }
///     life.open()
///     life.leave()
///     life.live(.hours(8))
///     #expect(life.visits.first?.hasEnded == false)
final class PhoneLife {
  typealias App = (OSEvent) -> [OSCommand]

  private(set) var now: SimInstant
  private(set) var delivered: [(at: SimInstant, event: OSEvent)] = []
  private(set) var effectsInTime: [(at: SimInstant, effect: PhoneOS.Effect)] = []
  private(set) var pushSteps: [PhoneOS.PushStep] = []
  private(set) var phone: PhoneOS
  let context: PhoneOS.Context
  private let truth: Truth
  private let prices: EnergyPrices
  private let app: App
  private var memory = SightingMemory()

  /// Describes where the phone is, from its birth on.
  struct Truth {
    var birth: SimInstant
    var seed: UInt64
    var maker: FixMaker
    /// The segment with start ≤ instant < end.
    var segment: (SimInstant) -> Segment

    /// A commuter of the town.
    static func commuter(_ number: UInt32) -> Truth {
      let life = World.life(number)
      return Truth(birth: World.monday, seed: 42, maker: World.maker) { life.segment(at: $0) }
    }

    /// A scripted way that begins at half past seven.
    static func way(_ stretches: [Stretch]) -> Truth {
      let birth = World.monday + .minutes(210)
      let track = RecordedTrack(Stretch.recording(stretches, from: birth), shift: .zero)
      let maker = FixMaker(seed: 1, projection: track.projection)
      return Truth(birth: birth, seed: 1, maker: maker) { track.segment(at: $0) }
    }
  }

  convenience init(
    _ number: UInt32 = 0, os: OSProfile = .standard, user: Authorization = .always,
    traits: PhoneTraits = [], manifest: AppManifest = .standard,
    pushes: (inout PushWorld) -> Void = { _ in }, app: @escaping App
  ) {
    self.init(
      .commuter(number), number, os: os, user: user, traits: traits, manifest: manifest,
      pushes: pushes, app: app)
  }

  init(
    _ truth: Truth, _ number: UInt32 = 0, os profile: OSProfile = .standard,
    user: Authorization = .always,
    traits: PhoneTraits = [], manifest: AppManifest = .standard,
    pushes change: (inout PushWorld) -> Void = { _ in }, app: @escaping App
  ) {
    var world = PushWorld()
    change(&world)
    var policy = PolicySettings.standard
    policy.app = manifest
    self.truth = truth
    prices = EnergyPrices(world.energy)
    now = truth.birth
    let seed = truth.seed
    let conditions = BatteryConditions(
      seed: seed, mix: world.owner, clock: World.town.clock, EnergyPrices(world.energy))
    phone = PhoneOS(
      PhoneID(rawValue: number), user: user, traits: traits,
      segment: truth.segment(truth.birth),
      battery: conditions.battery(of: PhoneID(rawValue: number), at: truth.birth),
      pushes: PushState(world.request.kind, world.limits, now: truth.birth))
    context = PhoneOS.Context(
      seed: seed, profile: profile, significantChange: profile.significantChange, policy: policy,
      maker: truth.maker, battery: conditions,
      push: PushConditions(
        seed: seed, world.request, world.limits,
        PowerHabits(seed: seed, mix: world.owner, clock: World.town.clock)))
    self.app = app
    phone.drawnSince = truth.birth
    meet(.entered(phone.segment, wifi: true))
    meet(.due(.battery))
  }

  // MARK: What happens

  func open() { meet(.opened) }
  func leave() { meet(.left) }
  func kill() { meet(.terminated) }
  /// A silent push reaches the phone.
  func push() { meet(.pushArrived) }
  func send(bytes: Int) { meet(.sent(bytes: bytes)) }
  func swipeAway() { meet(.swipedAway) }
  /// Lets the owner open a force-quit app again.
  func endForceQuit() { _ = phone.endForceQuit(at: now) }
  func settings(_ permission: Authorization) { meet(.permissionChanged(permission)) }

  func turnOff(for time: SimDuration) {
    meet(.switchedOff(Window(start: now, end: now + time)))
  }

  /// Lets the app give commands in a callback that the test makes.
  ///
  /// - Parameter changingState: while it is launched, opened or left.
  func ask(changingState: Bool = false, _ commands: OSCommand...) {
    during(.standard) {
      phone.turn.isChangingState = changingState
      for command in commands { system(.command(command)) }
      phone.turn.isChangingState = false
      system(.returned)
    }
  }

  /// Wakes the app for a location without an event, and lets it give commands.
  ///
  /// - Parameter continues: the location is a significant change (AU7).
  func wake(continues: Bool = false, _ commands: OSCommand...) {
    during(.standard) {
      var phone = phone
      _ = phone.wake(.location, continues: continues, now, context, perform)
      self.phone = phone
      for command in commands { system(.command(command)) }
    }
  }

  func loseConnection(for time: SimDuration) {
    meet(.offline(Window(start: now, end: now + time)))
  }

  func advance(_ time: SimDuration) { advance(until: now + time) }

  /// - Parameter age: since birth.
  func advance(until age: SimDuration) { advance(until: truth.birth + age) }

  func advance(until end: SimInstant) {
    while true {
      let (slot, due) = phone.due.earliest
      guard due < end else { break }
      now = due
      phone.due[slot] = .distantFuture
      during(slot) { happen(slot) }
    }
    now = end
  }

  private func happen(_ slot: DueSlot) {
    switch slot {
    case .segment: system(.entered(truth.segment(phone.segment.end), wifi: true))
    case .offlineEdge, .powerEdge, .airplaneEdge, .forceQuitEdge, .session, .stored, .push,
      .uploadOutcome:
      break
    case .regionExit, .significantChange, .visit, .standard, .pause, .motion, .stopTimer,
      .sendTimer, .restartTimer, .stillTimer, .backgroundExpiry, .pushGate, .battery:
      system(.due(slot))
    }
  }

  private func meet(_ event: PhoneOS.Event) { during(.standard) { system(event) } }

  private func during(_ slot: DueSlot, _ body: () -> Void) {
    phone.begin(at: now)
    var phone = phone
    phone.deliverFixes(upTo: now, before: slot, context, &memory, perform)
    self.phone = phone
    body()
    system(.ended)
  }

  private func system(_ event: PhoneOS.Event) {
    var phone = phone
    phone.handle(event, at: now, context, perform)
    self.phone = phone
  }

  private func perform(_ phone: inout PhoneOS, _ effect: PhoneOS.Effect, _ at: SimInstant) {
    effectsInTime.append((at, effect))
    switch effect {
    case .notify(let event):
      delivered.append((at, event))
      for command in app(event) { phone.handle(.command(command), at: at, context, perform) }
      phone.handle(.returned, at: at, context, perform)
    case .recallsSegment(let then):
      phone.handle(.recalled(truth.segment(then), at: then), at: at, context, perform)
    case .push(let step): pushSteps.append(step)
    case .drew(let draw, let time, let scans):
      phone.spend(prices.bill(EnergyMeter(draw, for: time, scans: scans)).total)
    case .located, .willChangePermission, .permission, .launched, .woken, .resumed, .stopped,
      .crashed, .killed, .watchesPushGate, .scanned, .charged, .hour, .battery, .discharged:
      break
    }
  }

  // MARK: What was seen

  var effects: [PhoneOS.Effect] { effectsInTime.map(\.effect) }
  var state: AppProcess.State { phone.process.state }
  var home: PlanePoint { truth.segment(truth.birth).position(at: truth.birth) }

  /// Of where the phone is now.
  var place: Coordinate {
    truth.maker.projection.coordinate(of: phone.segment.position(at: now))
  }

  /// When the person first leaves home.
  var leavesHome: SimInstant { truth.segment(truth.birth).end }

  var launches: [LaunchReason] {
    delivered.compactMap { if case .launched(let reason) = $0.event { reason } else { nil } }
  }

  var crashes: [CrashReason] {
    effects.compactMap { if case .crashed(let reason) = $0 { reason } else { nil } }
  }

  /// What its charge did to the phone.
  var batterySteps: [BatteryStep] {
    effects.compactMap { if case .battery(let step) = $0 { step } else { nil } }
  }

  var visits: [Visit] {
    delivered.compactMap { if case .visit(let visit) = $0.event { visit } else { nil } }
  }

  var permissionsDelivered: [Authorization] {
    delivered.compactMap { if case .authorizationChanged(let new) = $0.event { new } else { nil } }
  }

  /// Returns when pushes were delivered to the app.
  var pushesDelivered: [SimInstant] {
    delivered.compactMap { if case .silentPush = $0.event { $0.at } else { nil } }
  }

  /// When the manager handed a fix over.
  func fixes(_ manager: Manager) -> [SimInstant] {
    delivered.compactMap { entry in
      if case .location(_, manager) = entry.event { entry.at } else { nil }
    }
  }

  func count(_ isMeant: (OSEvent) -> Bool) -> Int { delivered.count { isMeant($0.event) } }

  /// The fixes that the manager handed over.
  func positions(_ manager: Manager) -> [Fix] {
    delivered.compactMap { if case .location(let fix, manager) = $0.event { fix } else { nil } }
  }

  /// How often the app got time that it did not have.
  var wakes: Int { effects.count { if case .woken = $0 { true } else { false } } }

  var activities: [(at: SimInstant, activity: MotionActivity?)] {
    delivered.compactMap { entry in
      if case .motionActivity(let activity) = entry.event { (entry.at, activity) } else { nil }
    }
  }

  /// Returns what was delivered since `let mark = life.mark`.
  var mark: Int { delivered.count }

  /// All but fixes.
  func delivered(since mark: Int) -> [OSEvent] {
    delivered.dropFirst(mark).map(\.event).filter {
      if case .location = $0 { false } else { true }
    }
  }

  func fixes(since mark: Int) -> [Fix] {
    delivered.dropFirst(mark).compactMap {
      if case .location(let fix, _) = $0.event { fix } else { nil }
    }
  }
}

/// Holds the conditions for the pushes of a `PhoneLife`: all gates are open, no push is held, and
/// runs have no penalty.
struct PushWorld {
  var request = PushSettings.standard.request
  var limits: PhonePushSettings = {
    var limits = PushSettings.standard.phone
    limits.penaltyFactor = 1
    limits.holds = false
    return limits
  }()
  var owner: PhoneMix = {
    var mix = PhoneMix.standard
    mix.lowPower = 0
    mix.chargesAtNight = 0
    mix.battery = .unused
    return mix
  }()
  var energy = EnergyProfile.standard
}

extension BatteryHabits {
  /// A new battery that is full and never charged, in a phone that nobody uses.
  static var unused: BatteryHabits {
    BatteryHabits(
      healthLeast: 1, chargeLeast: 1, chargesAtWork: 0, chargesInCar: 0, chargesWhenLow: 0,
      lowPowerWhenLow: 0, screenTime: .zero, screenTimeSigma: 0, unlocksPerDay: 100)
  }
}

/// A part of a scripted way.
enum Stretch {
  case stay(SimDuration)
  /// Eastwards.
  case ride(SimDuration, metersPerSecond: Double)

  /// Half an hour at home, half an hour in a car, and the day elsewhere.
  static let rides: [Stretch] = [
    .stay(.minutes(30)), .ride(.minutes(30), metersPerSecond: 12), .stay(.hours(10)),
  ]

  /// Adds a point each five minutes, so that a long ride is no gap in the recording.
  static func recording(_ way: [Stretch], from start: SimInstant) -> Recording {
    var points: [Recording.Point] = []
    var east = 0.0
    var now = start
    func add() {
      points.append(
        Recording.Point(time: now, latitude: 52.52, longitude: 13.405 + east / 67_660))
    }
    for stretch in way {
      let (lasts, speed) =
        switch stretch {
        case .stay(let lasts): (lasts, 0.0)
        case .ride(let lasts, let metersPerSecond): (lasts, metersPerSecond)
        }
      let end = now + lasts
      while now < end {
        add()
        let step = min(end - now, .minutes(5))
        east += speed * step.seconds
        now += step
      }
    }
    add()
    return Recording(path: "way.gpx", points: points, report: "")
  }
}

extension ServiceRequest {
  /// Ten metres, no filter, no pause; ends in the background.
  static var plain: ServiceRequest {
    var app = AppManifest.standard
    app.allowsBackgroundUpdates = false
    return ServiceRequest(.standard, app)
  }

  /// The same, and goes on in the background.
  static var background: ServiceRequest { ServiceRequest(.standard, .standard) }
}

extension OSEvent {
  var isActivation: Bool { if case .becameActive = self { true } else { false } }
  var isLaunch: Bool { if case .launched = self { true } else { false } }
  var isRegionExit: Bool { if case .regionExited = self { true } else { false } }
  var isExpiry: Bool { if case .backgroundTimeExpiring = self { true } else { false } }
  var isPause: Bool { if case .standardPaused = self { true } else { false } }
}
