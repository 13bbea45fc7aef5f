package import Mobility
package import Scenarios
package import SimulationCore
package import Telemetry
internal import Synchronization

/// Models the operating system of one phone, which decides when its one app may run and what is
/// delivered to the app.
///
/// It is a state machine without a clock, queue or random state: it takes an event, its instant and
/// the `Context` that many phones share, and emits effects in order. An app answers a callback at
/// once with commands, so effects are handed to the owner while the event is handled: on `.notify`
/// the owner lets the app answer, and hands each of its commands back as an event.
///
/// It is a plain value of some hundred bytes. Members that are not `mutating` are inlined, since a
/// call would copy all of it.
package struct PhoneOS: Sendable, BitwiseCopyable {
  // owner
  /// Is the most that the owner would grant.
  package internal(set) var user: Authorization
  /// Is the app's present location permission.
  package internal(set) var authorization = Authorization.notDetermined
  /// Holds the phone's permanent traits, such as Background App Refresh switched off.
  package let traits: PhoneTraits
  /// Is true where the data path of the present segment is Wi-Fi.
  package internal(set) var isOnWifi = false
  /// Is the phone's number, which keys its draws.
  package let id: PhoneID

  // world
  /// Is the present segment of the phone's truth: a stay or a way.
  package internal(set) var segment: Segment
  /// Is the present or next loss of the data path; set by the world.
  package internal(set) var offline = Window.never
  /// Is the present or next time that the phone is switched off; set by the world.
  package internal(set) var switchedOff = Window.never
  /// Is the present or next time in airplane mode (NO4); set by the world.
  package internal(set) var airplane = Window.never
  /// Is the present or next time in which the owner swipes the app away after each use (LC11); at
  /// its end they open it and leave it in the app switcher. Set by the world.
  package var forceQuit = Window.never
  /// Is the present or next time that the owner uses the app in the foreground; set by the world.
  package var session = Window.never

  // system
  /// Is the state of the app's process.
  package internal(set) var process = AppProcess()
  /// Is how owner and system stand about location, beside `authorization`.
  package internal(set) var consent: Consent
  /// Holds a bit for each `AppTimer` that came due while the app was suspended (LC2).
  var overdueTimers: UInt8 = 0
  var pendingNotices = PendingNotices()
  /// LU2: Is true while the app has a background activity session, which survives its process.
  package internal(set) var holdsSession = false
  /// Holds what the system remembers only while it handles one event.
  package internal(set) var turn = Turn()
  /// Is the set of parts that have been drawing power since `drawnSince`.
  package internal(set) var draw = EnergyDraw()
  /// Holds the app's region, significant changes and visits.
  package internal(set) var services = LocationServices()
  /// Holds the app's regions round places; nothing where its policy names none.
  package internal(set) var places = PlaceWatch()
  /// Is the app's standard location service.
  package internal(set) var standard = StandardService()
  /// Is the value of `CLLocationManager.location`.
  package internal(set) var lastKnown: Fix?
  /// Is the instant up to which the drawn power has been reported.
  package var drawnSince = SimInstant.distantPast
  /// Is the state of charge at `drawnSince`, and what follows from it.
  package var battery: Battery
  /// Holds the push budget, and the push that the phone holds.
  package internal(set) var pushes: PushState
  /// Is the upload that the app has handed to the system.
  package internal(set) var transfer = BackgroundTransfer()
  /// Is the phone's calendar, with entries of the system, the world and the app.
  package var due = DueSlots()

  /// Makes a phone whose app is installed and not running, with nothing on its calendar.
  package init(
    _ id: PhoneID, user: Authorization, traits: PhoneTraits, segment: Segment, battery: Battery,
    pushes: PushState, consent: Consent = []
  ) {
    self.id = id
    self.user = user
    self.traits = traits
    self.segment = segment
    self.battery = battery
    self.pushes = pushes
    self.consent = consent
    if traits.contains(.imprecise) { self.consent.insert(.reduced) }
    if traits.contains(.provisional) { self.consent.insert(.promptAhead) }
  }
}

extension PhoneOS {
  /// Holds what the systems of many phones share and do not change.
  ///
  /// It is not copyable, since its 1,000 bytes or so would otherwise be copied for each event.
  package struct Context: ~Copyable, Sendable {
    /// Keeps the compiler from lending a copy: a value with a member that cannot be loaded is
    /// passed by its address.
    private let anchor = Mutex(())
    /// Is the scenario's seed, which keys all draws.
    package let seed: UInt64
    /// Is the profile of the phones' operating system, with its rules.
    package let profile: OSProfile
    /// Is the profile of the service for significant changes.
    package let significantChange: SignificantChangeProfile
    /// Is the manifest of the installed app: its Info.plist and its habits.
    package let app: AppManifest
    /// Says how the app sends its batches.
    package let send: SendSettings
    /// SF3: Is true if the app's manager pauses in the background and declares vehicle navigation.
    package let pausesForVehicles: Bool
    /// Is how long fixes of the standard service may accumulate before they are evaluated.
    package let pace: SimDuration
    /// Makes fixes on the plane on which the truth of these phones lies.
    package let maker: FixMaker
    /// Holds how the phones' batteries are charged and emptied.
    package let battery: BatteryConditions
    /// Holds the conditions under which silent pushes pass.
    package let push: PushConditions
    /// Holds what owners decide about location after the first prompt.
    package let permission: PermissionConditions
    /// Says round which places the app keeps regions; nil: round none.
    package let placeRule: PlaceRule?
    /// Is true if the policy keeps a region round the last fix.
    package let keepsRegion: Bool
    /// Finds the places of each phone; nil where the policy names none.
    package let places: PlaceBook?
    /// Decides when the phones need memory.
    package let memory: MemoryConditions

    /// Makes the context of the phones that share a plane and a policy.
    package init(
      seed: UInt64, profile: OSProfile, significantChange: SignificantChangeProfile,
      policy: PolicySettings, maker: FixMaker, battery: BatteryConditions,
      push: consuming PushConditions, permission: PermissionConditions, places: PlaceBook? = nil,
      memory: MemoryConditions
    ) {
      self.seed = seed
      self.profile = profile
      self.significantChange = significantChange
      app = policy.app
      send = policy.send
      let use = policy.background.service
      pausesForVehicles = use.pausesAutomatically && use.activityType == .automotive
      pace = Self.pace(policy)
      self.maker = maker
      self.battery = battery
      self.push = push
      self.permission = permission
      placeRule = policy.places
      keepsRegion = policy.regionRadius != nil
      self.places = places
      self.memory = memory
    }

    /// Returns how often fixes are evaluated. An upload starts no earlier than its fixes are
    /// evaluated, so an app that sends every fix gets each one in time.
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
    /// The owner has changed the permission in Settings (AU6).
    case permissionChanged(Authorization)

    // system
    /// An entry of the system or the app on the calendar is due; it is off the calendar already.
    case due(DueSlot)
    /// A silent push has reached the phone.
    case pushArrived
    /// The owner, too, waits for a closed push gate; the system answers with `.watchesPushGate`.
    case pushGateAwaited
    /// The system ends the process.
    case terminated
    /// LC15: A new version of the app is about to replace the one that runs.
    case updated(needsOpening: Bool)
    /// LC16: The owner deletes the app. It can be opened again once it is installed anew.
    case removed
    /// The owner answers `.recallsSegment` with the segment at that instant.
    case recalled(Segment, at: SimInstant)
    /// The event is over, so the system suspends the app if nothing keeps it running.
    case ended
    /// The owner reads the meter: the system reports the draw up to now.
    case meterRead

    // app
    /// An event for the app comes from outside the system; in a drain it reaches even a stopped
    /// app.
    case appEvent(OSEvent, evenIfStopped: Bool)
    /// NW1: The app hands the batch that is cut to a background session.
    case transferQueued
    /// The background session may be able to begin the upload now.
    case transferDue
    /// The upload of the background session has ended; the owner knows how.
    case transferAnswered
    /// The upload of the background session was cut short.
    case transferInterrupted
    /// The app has sent something.
    case sent(bytes: Int)
    /// The app gives the system a command; commands for its disk and its server are not among them.
    case command(OSCommand)
    /// The app has returned from a callback, and its commands have been performed.
    case returned
  }

  /// Lists what the system hands to its owner, in order.
  package enum Effect: Sendable, BitwiseCopyable {
    /// The app runs a callback: the owner hands its commands back, then `.returned`.
    case notify(OSEvent)
    /// A position was made for the app, or handed to it again.
    case located(LocatedFix)
    /// The standard service is about to begin or to end looking for a position, or has found one
    /// after a while.
    case searchChanges
    /// Permission is about to change.
    case willChangePermission
    case permission(Authorization)
    case launched
    /// The app gets time to run that it did not have: from suspension, or by a launch.
    case woken
    /// The app runs again after a suspension.
    case resumed
    /// The app has stopped, suspended or dead, and its connections are gone (LC3).
    case stopped
    /// The app has made an error for which the system kills it.
    case crashed(CrashReason)
    /// The app's process has ended because of that error.
    case killed
    /// The app's process is about to end, through no doing of its owner and no error of its own.
    case ends(AppProcess.Ending)
    /// A silent push has taken a step on the phone.
    case push(PushStep)
    /// The calendar has the instant at which a closed gate may open; an owner that waits for
    /// another gate may set it earlier.
    case watchesPushGate
    /// These parts drew power for a time, in which there were so many scans for significant
    /// changes.
    case drew(EnergyDraw, SimDuration, scans: Int64)
    /// The phone made one position from Wi-Fi.
    case scanned
    /// This went through the battery in the time that the last `.drew` reported.
    case charged(BatteryFlow)
    /// A full hour of the day has passed, at which the phone showed this charge.
    case hour(Int, percent: Int)
    /// Something happens to the phone because of its charge.
    case battery(BatteryStep)
    /// A phone that had left its charger full was this long without one.
    case discharged(SimDuration, ranEmpty: Bool)
    /// The system needs the segment at an earlier instant; the owner answers with `.recalled`.
    case recallsSegment(at: SimInstant)
    /// A crossing of a region's border is not told, or not yet; of a place, with its number.
    case region(RegionStep, place: UInt8?)
    /// The upload of a background session is about to take a step.
    case transfer(BackgroundTransfer.Step)
    /// Owner and system are about to take a step about location.
    case consent(ConsentStep)
  }

  /// Names the steps of a silent push on its phone.
  package enum PushStep: Equatable, Sendable, BitwiseCopyable {
    /// Every gate is open.
    case passed
    /// The gate that held the push has opened.
    case released
    /// The phone discards the push at this gate.
    case stopped(PushGate)
    /// The phone holds the push until this gate opens.
    case stored(PushGate)
    /// The phone no longer holds the push: the app was force-quit, or its user opened it.
    case discarded
    /// The app may not use location in the background.
    case withoutPermission
    /// The push may not wake the app; it reaches an app in the foreground only.
    case wakesNobody
    /// The app runs for the push.
    case woke
    /// The app could not run for the push.
    case failed(isSwitchedOff: Bool)
    /// The phone shows the push to its owner (AL1).
    case shown
  }

  /// Performs the effects; the system is lent to it so that the app can answer at once.
  package typealias Owner = (inout PhoneOS, Effect, SimInstant) -> Void

  /// Lets the system meet an event.
  package mutating func handle(
    _ event: Event, at now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    switch event {
    case .entered(let next, let wifi): enter(next, wifi: wifi, now, context, owner)
    case .offline(let window): lose(window, now, context)
    case .airplane(let window): fly(window, now, context)
    case .switchedOff(let window): switchOff(window, now, context, owner)
    case .opened: open(now, context, owner)
    case .left: leave(now, context, owner)
    case .swipedAway: swipeAway(now, context, owner)
    case .permissionChanged(let new):
      decide(new, now, context, owner)
    case .due(let slot): happen(slot, now, context, owner)
    case .pushArrived: receivePush(now, context, owner)
    case .pushGateAwaited: watchPushGate(now, context, owner)
    case .terminated: die(now, context, owner)
    case .updated(let needsOpening):
      end(
        by: .update, needsOpening: needsOpening, now, context, owner)
    case .removed: remove(now, context, owner)
    case .recalled(let segment, let then): recall(segment, then, now, context, owner)
    case .ended: suspendIfIdle(now, context, owner)
    case .meterRead: readMeter(now, context, owner)
    case .appEvent(let event, let evenIfStopped):
      if process.mayRunCode || evenIfStopped { owner(&self, .notify(event), now) }
    case .transferQueued: queueTransfer(now, context)
    case .transferDue: lookAtTransfer(now, context, owner)
    case .transferAnswered:
      if transfer.stage == .sending { finishTransfer(now, context, owner) }
    case .transferInterrupted: resumeTransfer(now, context)
    case .sent(let bytes): pushes.charge(bytes: bytes, of: id, at: now, context.push)
    case .command(let command): perform(command, now, context, owner)
    case .returned: follow(now, context, owner)
    }
  }

  private mutating func happen(
    _ slot: DueSlot, _ now: SimInstant, _ context: borrowing Context, _ owner: Owner
  ) {
    switch slot {
    case .regionExit: watchRegion(now, context, owner)
    case .significantChange: changeSignificantly(now, context, owner)
    case .visit: visit(now, context, owner)
    case .standard: lookAtStandard(now, context)
    case .pause: pauseStandard(now, context, owner)
    case .motion: recogniseMotion(now, context, owner)
    case .consent: consentIsDue(now, context, owner)
    case .settings: changeSettings(now, context, owner)
    case .stopTimer: timerDue(.stopStandard, now, owner)
    case .sendTimer: timerDue(.send, now, owner)
    case .restartTimer: timerDue(.restart, now, owner)
    case .stillTimer: timerDue(.still, now, owner)
    case .backgroundExpiry: endBackgroundTime(now, context, owner)
    case .pushGate: releaseHeldPush(now, context, owner)
    case .battery: lookAtBattery(now, context, owner)
    case .place: watchPlaces(now, context, owner)
    case .memory: lookAtMemory(now, context, owner)
    case .segment, .offlineEdge, .powerEdge, .airplaneEdge, .forceQuitEdge, .session, .installation,
      .stored, .push, .uploadOutcome:
      preconditionFailure("\(slot) belongs to the world or the app, not to the system")
    }
  }
}

extension PhoneOS {
  /// Returns the same phone with a likely value in every member that changes later, so that a store
  /// can keep each phone as its difference to it.
  package func typical(
    at birth: SimInstant, known fix: Fix, _ request: ServiceRequest, regionRadius: Distance,
    _ profile: OSProfile
  ) -> PhoneOS {
    var phone = self
    let window = Window(start: birth, end: birth)
    phone.isOnWifi = true
    phone.consent = [.askedForAlways, .reminderIsLate]
    (phone.offline, phone.switchedOff, phone.airplane) = (window, window, window)
    (phone.forceQuit, phone.session) = (window, window)
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
    (phone.drawnSince, phone.pushes.runsSince) = (birth, birth)
    for slot in DueSlot.allCases { phone.due[slot] = birth }
    return phone
  }
}
