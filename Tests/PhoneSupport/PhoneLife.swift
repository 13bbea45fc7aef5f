package import Core
package import Phone
package import Scenarios

/// Simulates one phone without a fleet: its person's day, its system, and an app that answers as
/// the test states.
///
/// The phone starts with its app never opened. An upload is acknowledged after a second, unless its
/// app stops before.
///
///     let life = PhoneLife(.way([.stay(.hours(9))])) { event in
///       event.isActivation ? [.requestAuthorization(.always), .startVisits] : []
///     }
///     life.open()
///     life.leave()
///     life.advance(.hours(8))
///     #expect(life.visits.first?.hasEnded == false)
package final class PhoneLife {
  package typealias App = (OSEvent) -> [OSCommand]
  /// An app that needs the instant of the event.
  package typealias TimedApp = (OSEvent, SimInstant) -> [OSCommand]

  package private(set) var now: SimInstant
  package private(set) var delivered: [(at: SimInstant, event: OSEvent)] = []
  package private(set) var effectsInTime: [(at: SimInstant, effect: Device.Effect)] = []
  package private(set) var pushSteps: [Device.PushStep] = []
  package var waitingEvents: [AppEvent] { effectsOfPhone.events[phone.id]?.waiting ?? [] }
  package private(set) var phone: Device
  package let context: Device.Context
  package let truth: Truth
  private var effectsOfPhone: Effects
  /// The data path and the cells of all places and trips.
  private let link: Link

  /// Where the phone is, from its birth on.
  package struct Truth {
    package let birth: SimInstant
    package let seed: UInt64
    package let maker: FixMaker
    private let phone: PhoneID
    fileprivate let course: Course

    package init(
      birth: SimInstant, seed: UInt64, maker: FixMaker, _ course: Course, phone number: UInt32 = 0
    ) {
      (self.birth, self.seed, self.maker) = (birth, seed, maker)
      (phone, self.course) = (PhoneID(rawValue: number), course)
    }

    /// The segment with start ≤ instant < end.
    package func segment(_ instant: SimInstant) -> Segment {
      course.segment(of: phone, at: instant)
    }

    /// A scripted way that begins on a Monday at half past seven.
    package static func way(_ stretches: [Stretch], seed: UInt64 = 1) -> Truth {
      let birth = SimInstant(microseconds: 1_772_433_000_000_000)
      let track = RecordedTrack(Stretch.recording(stretches, from: birth), shift: .zero)
      let maker = FixMaker(seed: seed, projection: track.projection)
      return Truth(birth: birth, seed: seed, maker: maker, .recorded(track))
    }
  }

  package convenience init(
    _ truth: Truth, _ number: UInt32 = 0, os profile: OSProfile = .standard,
    user: Authorization = .always, traits: PhoneTraits = [], consent: Consent = [],
    manifest: AppManifest = .standard,
    pushes: (inout PushWorld) -> Void = { _ in }, app: @escaping App
  ) {
    var policy = PolicySettings.standard
    policy.app = manifest
    self.init(
      truth, number, os: profile, user: user, traits: traits, consent: consent, policy: policy,
      pushes: pushes, timedApp: { event, _ in app(event) })
  }

  package init(
    _ truth: Truth, _ number: UInt32 = 0, os profile: OSProfile = .standard,
    user: Authorization = .always, traits: PhoneTraits = [], consent: Consent = [],
    policy: PolicySettings, places: PlaceBook? = nil,
    pushes change: (inout PushWorld) -> Void = { _ in }, timedApp: @escaping TimedApp
  ) {
    var world = PushWorld()
    change(&world)
    link = world.link
    self.truth = truth
    now = truth.birth
    let seed = truth.seed
    let clock = CivilClock(utcOffset: .hours(1))
    let prices = EnergyPrices(world.energy)
    let conditions = BatteryConditions(seed: seed, mix: world.owner, clock: clock, prices)
    phone = Device(
      PhoneID(rawValue: number), user: user, traits: traits,
      segment: truth.segment(truth.birth),
      battery: conditions.battery(of: PhoneID(rawValue: number), at: truth.birth),
      pushes: PushState(
        world.request.kind, world.limits, on: profile.system, now: truth.birth,
        isUnopened: traits.contains(.unopened)),
      consent: consent)
    context = Device.Context(
      seed: seed, profile: profile, significantChange: profile.significantChange, policy: policy,
      maker: truth.maker, battery: conditions,
      push: PushConditions(
        seed: seed, profile.system, world.request, world.limits, mix: world.owner, clock: clock),
      permission: PermissionConditions(seed: seed, mix: world.owner), places: places,
      memory: MemoryConditions(seed: seed, mix: world.owner, app: policy.app), prices: prices,
      clocks: PhoneClocks(seed: seed, mix: world.owner),
      path: DataPath(seed: seed, model: Scenario.standard(phones: 1).network), course: truth.course)
    effectsOfPhone = Effects(freshFor: .minutes(30)) { event, now, commands in
      for command in timedApp(event, now) { commands.append(command) }
    }
    effectsOfPhone.isTraced = true
    phone.drawnSince = truth.birth
    meet(.entered(phone.segment, link))
    meet(.due(.battery))
    meet(.due(.memory))
    phone.due[.settings] = context.permission.nextChange(after: truth.birth, phone: phone.id)
  }

  // MARK: Events

  package func open() { meet(.opened) }
  package func leave() { meet(.left) }
  package func kill() { meet(.terminated) }
  /// LC16: The owner deletes the app.
  package func remove() { meet(.removed) }
  /// LC15: A new version of the app is installed.
  package func update(needsOpening: Bool = false) { meet(.updated(needsOpening: needsOpening)) }
  /// A silent push reaches the phone.
  package func push() { meet(.pushArrived) }
  package func swipeAway() { meet(.swipedAway) }
  package func settings(_ permission: Authorization) { meet(.permissionChanged(permission)) }

  package func turnOff(for time: SimDuration) {
    meet(.switchedOff(Window(start: now, end: now + time)))
  }

  package func loseConnection(for time: SimDuration) {
    meet(.offline(Window(start: now, end: now + time)))
  }

  package func fly(for time: SimDuration) {
    meet(.airplane(Window(start: now, end: now + time)))
  }

  /// The app gives commands in a callback that the test makes.
  package func ask(_ commands: OSCommand...) {
    act { phone, context, out in
      for command in commands { phone.perform(command, context, &out) }
      phone.follow(context, &out)
    }
  }

  /// An event reaches the phone now.
  package func act(
    _ body: (inout Device, borrowing Device.Context, inout Effects) -> Void
  ) {
    during(.standard) {
      var phone = phone
      effectsOfPhone.now = now
      body(&phone, context, &effectsOfPhone)
      self.phone = phone
      settle()
    }
  }

  package func advance(_ time: SimDuration) { advance(until: now + time) }

  /// - Parameter age: since birth.
  package func advance(until age: SimDuration) { advance(until: truth.birth + age) }

  package func advance(until end: SimInstant) {
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
    case .segment: system(.entered(truth.segment(phone.segment.end), link))
    case .uploadOutcome where phone.transfer.stage == .queued: system(.transferDue)
    case .uploadOutcome where phone.transfer.stage == .sending: system(.transferAnswered)
    case .uploadOutcome:
      phone.upload.isInFlight = false
      system(.appEvent(.uploadFinished(.acknowledged), evenIfStopped: false))
    case .powerEdge: system(.switchedOff(.never))
    case .offlineEdge: system(.offline(.never))
    case .airplaneEdge: system(.airplane(.never))
    case .swipe, .session, .installation, .stored, .push: break
    case .regionExit, .significantChange, .visit, .standard, .pause, .motion, .place, .memory,
      .refresh, .process, .background, .consent, .settings, .stopTimer, .sendTimer,
      .restartTimer, .stillTimer, .backgroundExpiry, .pushGate, .battery:
      system(.due(slot))
    }
  }

  private func meet(_ event: Device.Event) { during(.standard) { system(event) } }

  private func during(_ slot: DueSlot, _ body: () -> Void) {
    phone.begin(at: now, &effectsOfPhone)
    var phone = phone
    phone.deliverFixes(upTo: now, before: slot, context, &effectsOfPhone)
    self.phone = phone
    settle()
    body()
    system(.ended)
  }

  private func system(_ event: Device.Event) {
    var phone = phone
    phone.handle(event, at: now, context, &effectsOfPhone)
    self.phone = phone
    settle()
  }

  private func settle() {
    for (effect, at) in effectsOfPhone.take() {
      effectsInTime.append((at, effect))
      switch effect {
      case .delivered(let event, _, _): delivered.append((at, event))
      case .push(let step, _): pushSteps.append(step)
      case .stopped:
        if phone.transfer.stage == .none { phone.due[.uploadOutcome] = .distantFuture }
      case .uploadStarted:
        phone.due[.uploadOutcome] = at + .seconds(1)
        phone.due[.stored] = .distantFuture
      case .permission, .launched, .woken, .crashed, .killed, .ends, .drew, .scanned, .charged,
        .hour, .battery, .firstEmpty, .discharged, .region, .consent, .kept, .evicted,
        .fixTaken, .commanded, .batchCut, .uploadOffline, .sent, .uploadLost, .forgot, .stored,
        .settingsCame, .event, .passed:
        break
      }
    }
  }
}
