package import Mobility
package import Scenarios
package import SimulationCore
package import Telemetry

/// The operating system of one phone: when its one app may run, and what the app is told.
///
/// A state machine without clock, queue or chance of its own: an event, its instant and the
/// `Context` that many phones share go in; effects come out, in order. An app that is told
/// something asks the system for something at once, so effects are handed to the owner while the
/// event is handled: on `.tell` the owner lets the app answer, and hands its commands back as
/// events of their own.
///
/// A plain value of some hundred bytes: whatever is not `mutating` here is inlined, since it would
/// be called with a copy of all of it.
package struct PhoneOS: Sendable, BitwiseCopyable {
  // owner
  /// What the owner would grant at most.
  package let user: Authorization
  /// What the app may do now.
  package internal(set) var authorization = Authorization.notDetermined
  package let traits: PhoneTraits
  package internal(set) var isOnWifi = false
  package let id: PhoneID

  // world
  package internal(set) var segment: Segment
  package internal(set) var offline = Window.never
  package internal(set) var switchedOff = Window.never
  package internal(set) var airplane = Window.never
  /// From the swipe that force-quits the app to its owner's next look; set by the world.
  package var forceQuit = Window.never
  /// The present or next time that the owner looks at the app; set by the world.
  package var session = Window.never

  // system
  package internal(set) var process = AppProcess()
  /// A bit for each `AppTimer` that came due while the app was suspended (LC2).
  var overdueTimers: UInt8 = 0
  var pendingNotices = PendingNotices()
  package internal(set) var turn = Turn()
  /// What has been drawing power since `drawnSince`, unchanged.
  package internal(set) var draw = EnergyDraw()
  package internal(set) var services = LocationServices()
  package internal(set) var standard = StandardService()
  /// What `CLLocationManager.location` holds.
  package internal(set) var lastKnown: Fix?
  /// Since when the power that is drawn has not been reported.
  package var drawnSince = SimInstant.distantPast
  /// The phone's calendar: the system's own entries, and those of the world and of the app.
  package var due = DueSlots()

  package init(
    _ id: PhoneID, user: Authorization, traits: PhoneTraits, segment: Segment
  ) {
    self.id = id
    self.user = user
    self.traits = traits
    self.segment = segment
  }
}

extension PhoneOS {
  /// What the systems of many phones share and do not change.
  ///
  /// Not copyable, since it would be copied an event: some 600 bytes.
  package struct Context: ~Copyable, Sendable {
    package let seed: UInt64
    package let profile: OSProfile
    package let significantChange: SignificantChangeProfile
    /// Info.plist and habits of the installed app.
    package let app: AppManifest
    /// SF3: the app's manager pauses in the background and is for vehicles.
    package let pausesForVehicles: Bool
    /// How long fixes of the standard service may pile up before they are looked at.
    package let pace: SimDuration
    /// Makes fixes on the plane on which the truth of these phones lies.
    package let maker: FixMaker

    package init(
      seed: UInt64, profile: OSProfile, significantChange: SignificantChangeProfile,
      policy: PolicySettings, maker: FixMaker
    ) {
      self.seed = seed
      self.profile = profile
      self.significantChange = significantChange
      app = policy.app
      let use = policy.background.service
      pausesForVehicles = use.pausesAutomatically && use.activityType == .automotive
      pace = Self.pace(policy)
      self.maker = maker
    }

    /// What fixes make the app send starts no earlier than they are looked at, so an app that
    /// sends every fix is looked at each time.
    private static func pace(_ policy: PolicySettings) -> SimDuration {
      guard case .everything = policy.background.filter.rule else { return .minutes(1) }
      return min(.minutes(1), max(StandardService.interval, policy.send.interval))
    }
  }

  /// Something that happens to the phone.
  package enum Event: Sendable, BitwiseCopyable {
    // world
    case entered(Segment, wifi: Bool)
    case offline(Window)
    case airplane(Window)
    case switchedOff(Window)

    // owner
    case opened
    case left
    /// LC11: swiped away in the app switcher.
    case swipedAway
    /// The answer in Settings is another one now (AU6).
    case permissionChanged(Authorization)

    // system
    /// One of the system's or the app's entries on the calendar; it is off the calendar already.
    case due(DueSlot)
    /// - asExtension: an app that does not run is left so; its extension runs (iOS 15).
    case wake(LaunchReason, asExtension: Bool)
    /// The system ends the process.
    case terminated
    /// Where the phone was at an instant that `.recallsSegment` asked for.
    case recalled(Segment, at: SimInstant)
    /// The event is over: what nothing holds is suspended.
    case ended
    /// Reports what was drawn up to now.
    case meterRead

    // app
    /// News that do not come from the system; a drain lets even an app that has stopped hear them.
    case appEvent(OSEvent, evenIfStopped: Bool)
    /// What the app asks of the system; not what passes between it, its disk and its server.
    case command(OSCommand)
    /// The app has returned from a callback, and its commands are performed.
    case returned
  }

  /// What the system asks of its owner, in order.
  package enum Effect: Sendable, BitwiseCopyable {
    /// The app runs a callback: hand its commands back, then `.returned`.
    case notify(OSEvent)
    /// A position was made for the app.
    case located(Fix)
    /// Permission is about to change.
    case willChangePermission
    case permission(Authorization)
    case launched
    /// The app gets time to run that it did not have: from suspension, or by a launch.
    case woken
    /// It runs again after a suspension.
    case resumed
    /// It runs no longer, suspended or dead; its connections are gone (LC3).
    case stopped
    /// It has made a mistake that costs its life.
    case crashed(CrashReason)
    /// It died of its mistake.
    case killed
    /// It no longer runs for a push alone.
    case pushRunOver
    case satellitesUsed
    /// What drew power for a time, and the scans for significant changes in it.
    case drew(EnergyDraw, SimDuration, scans: Int64)
    /// One position from Wi-Fi.
    case scanned
    /// Where was the phone then? Answered by `.recalled`.
    case recallsSegment(at: SimInstant)
  }

  /// Performs the effects; the system is lent to it so that the app can answer at once.
  package typealias Owner = (inout PhoneOS, Effect, SimInstant) -> Void

  /// Lets the system meet an event.
  ///
  /// - Returns: whether the event let the app run (`opened`, `wake`, `swipedAway`: took place);
  ///   true for all others.
  @discardableResult
  package mutating func handle(
    _ event: Event, at now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) -> Bool {
    switch event {
    case .entered(let next, let wifi): enter(next, wifi: wifi, now, context, owner)
    case .offline(let window): lose(window, now)
    case .airplane(let window): fly(window, now, context)
    case .switchedOff(let window): switchOff(window, now, context, owner)
    case .opened: return open(now, context, owner)
    case .left: leave(now, context, owner)
    case .swipedAway: return swipeAway(now, context, owner)
    case .permissionChanged(let new): changePermission(to: new, now, context, owner)
    case .due(let slot): happen(slot, now, context, owner)
    case .wake(let reason, let asExtension):
      return wake(reason, asExtension: asExtension, now, context, owner)
    case .terminated: die(now, context, owner)
    case .recalled(let segment, let then): recall(segment, then, now, context, owner)
    case .ended: suspendIfIdle(now, context, owner)
    case .meterRead: readMeter(now, context, owner)
    case .appEvent(let event, let evenIfStopped):
      if process.mayRunCode || evenIfStopped { owner(&self, .notify(event), now) }
    case .command(let command): perform(command, now, context, owner)
    case .returned: follow(now, context, owner)
    }
    return true
  }

  private mutating func happen(
    _ slot: DueSlot, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    switch slot {
    case .regionExit: leaveRegion(now, context, owner)
    case .significantChange: changeSignificantly(now, context, owner)
    case .visit: visit(now, context, owner)
    case .standard: lookAtStandard(now, context)
    case .pause: pauseStandard(now, context, owner)
    case .motion: recogniseMotion(now, context, owner)
    case .stopTimer: timerDue(.stopStandard, now, owner)
    case .sendTimer: timerDue(.send, now, owner)
    case .restartTimer: timerDue(.restart, now, owner)
    case .stillTimer: timerDue(.still, now, owner)
    case .backgroundExpiry: endBackgroundTime(now, context, owner)
    case .segment, .offlineEdge, .powerEdge, .airplaneEdge, .forceQuitEdge, .session, .stored,
      .push,
      .pushGate, .uploadOutcome:
      preconditionFailure("\(slot) belongs to the world or the app, not to the system")
    }
  }
}

extension PhoneOS {
  /// The same phone with a likely value in every member that life will set, for who stores phones
  /// as they differ from it.
  package func typical(
    at birth: SimInstant, known fix: Fix, _ request: ServiceRequest, regionRadius: Distance,
    _ profile: OSProfile
  ) -> PhoneOS {
    var phone = self
    let window = Window(start: birth, end: birth)
    phone.isOnWifi = true
    phone.offline = window
    phone.switchedOff = window
    phone.airplane = window
    phone.forceQuit = window
    phone.session = window
    phone.process.launch(intoForeground: false, now: birth)
    phone.process.hasManager = true
    phone.services.regionIsSet = true
    phone.services.significantChangeIsOn = true
    phone.services.visitsAreOn = true
    phone.services.significantLast = birth
    phone.services.reportedArrival = birth
    phone.services.regionRadius = max(profile.regions.radiusMin.meters, regionRadius.meters)
    phone.standard.configure(request)
    phone.standard.startedAt = birth
    phone.standard.firstFixAt = birth
    phone.standard.lastTick = birth
    phone.standard.hasDelivered = true
    phone.lastKnown = fix
    phone.drawnSince = birth
    for slot in DueSlot.allCases { phone.due[slot] = birth }
    return phone
  }
}

/// What happened while the app did not run, and is told when it does.
struct PendingNotices: OptionSet, Sendable, BitwiseCopyable {
  let rawValue: UInt8
  static let authorization = PendingNotices(rawValue: 1)
  static let motion = PendingNotices(rawValue: 2)
}

/// What the system keeps in mind while one event is handled, and forgets when it is over.
package struct Turn: Sendable, BitwiseCopyable {
  /// What the system answers when the commands of a callback are performed.
  package internal(set) var answers = SystemAnswers()
  /// An app that restarts a service with each cached position gets one an event (SL5, NO3).
  var given = SystemAnswers()
  /// The app is launched, opened or left just now (LC6).
  var isChangingState = false
  /// A location is what wakes the app just now.
  var isWokenForLocation = false
  /// The instant of the event. Fixes of the standard service are evaluated lazily and lie before
  /// it; what they make the app do starts no earlier than this.
  package internal(set) var instant = SimInstant.distantPast
}

/// What follows an app's command once all commands of its callback are performed: the system
/// answers in a callback of its own, never in the middle of the app's.
package struct SystemAnswers: OptionSet, Sendable, BitwiseCopyable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The owner answered the prompt.
  static let authorization = SystemAnswers(rawValue: 1)
  /// SL5: starting the significant changes brings a cached position.
  static let cachedChange = SystemAnswers(rawValue: 2)
  /// NO3: so may starting the standard service.
  static let cachedStandard = SystemAnswers(rawValue: 4)
  static let crash = SystemAnswers(rawValue: 8)
}
