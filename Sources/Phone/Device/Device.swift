package import Core
package import Push
package import Scenarios

/// One phone: its person's position, its operating system, its one app with outbox and upload, and
/// the accounts of its results.
///
/// A device is a state machine without a clock, queue or random state. The inputs are an event, an
/// instant and the `Context` that many phones share. The app answers a callback within the same
/// event. The device makes no calls, but appends effects, in order, to `Effects` for its owner.
///
/// A device is a plain value of about 1,000 bytes in contiguous storage, without heap objects or
/// references. Members that are not `mutating` are inlined, since a call would copy the device.
package struct Device: Sendable, BitwiseCopyable {
  // owner
  /// The highest authorization that the phone's owner would grant.
  package internal(set) var user: Authorization
  package internal(set) var authorization = Authorization.notDetermined
  package let traits: PhoneTraits
  package internal(set) var link = Link()
  /// The phone's number, which keys its draws. The members up to here fill 8 bytes.
  package let id: PhoneID

  // world
  package internal(set) var segment: Segment
  /// The current or next time without a network. The world sets `offline` and the windows below.
  package internal(set) var offline = Window.never
  package internal(set) var switchedOff = Window.never
  /// The current or next time in airplane mode (NO4).
  package internal(set) var airplane = Window.never
  package var session = Window.never

  // system
  package internal(set) var process = AppProcess()
  package internal(set) var consent: Consent
  /// A bit for each `AppTimer` that came due while the app was suspended (LC2).
  package internal(set) var overdueTimers: UInt8 = 0
  package internal(set) var pendingNotices = PendingNotices()
  /// LU2: Whether the app has a background activity session, which outlasts its process.
  package internal(set) var holdsSession = false
  package internal(set) var turn = Turn()
  package internal(set) var services = LocationServices()
  package internal(set) var places = PlaceWatch()
  package internal(set) var standard = StandardService()
  /// The components that have been drawing power since `drawnSince`. The member fills the last word
  /// of `standard`.
  package internal(set) var draw = EnergyDraw()
  package internal(set) var android = AndroidState()
  /// The value of `CLLocationManager.location`.
  package internal(set) var lastKnown: Fix?
  /// The instant up to which the energy used has been reported.
  package var drawnSince = SimInstant.distantPast
  package var battery: Battery
  package internal(set) var pushes: PushState
  package internal(set) var transfer = BackgroundTransfer()
  /// The phone's calendar, with entries of the system, the world and the app.
  package var due = DueSlots()

  // app
  package var tracker = TrackerStateMachine()
  package let cohort: UInt8
  /// The index of the tracker's settings. `rollout` is the number, from 1, of the rollout that
  /// brought the settings, or 0 if none did. `policy` and `rollout` outlast the process.
  package var policy: UInt8
  package var rollout: UInt8 = 0
  /// Whether the last push met a closed gate and no report has arrived since.
  package var pushWasGated = false
  /// LC16: The number of reinstallations, each of which begins the phone's next epoch.
  package var reinstalls: UInt8 = 0
  package var isRemoved = false
  /// LC16: Whether the app was deleted and the server has no token of the new installation yet.
  package var hasOldToken = false
  package var outbox = OutboxHandle()
  package var upload = UploadState()

  // push
  package var provider = ProviderSlot()
  package var delivery = PushDelivery()

  // accounts
  package var stored = StoredFix()
  /// The instant up to which the accounts of freshness are closed.
  package var mark = SimInstant.distantPast
  package var world = HashChain()
  package var behaviour = HashChain()
  package var energy = EnergyAccount()

  package init(
    _ id: PhoneID, user: Authorization, traits: PhoneTraits, segment: Segment, battery: Battery,
    pushes: PushState, consent: Consent = [], cohort: UInt8 = 0, policy: UInt8 = 0
  ) {
    self.id = id
    self.user = user
    self.traits = traits
    self.segment = segment
    self.battery = battery
    self.pushes = pushes
    self.consent = consent
    self.cohort = cohort
    self.policy = policy
    if traits.contains(.imprecise) { self.consent.insert(.reduced) }
    if traits.contains(.provisional) { self.consent.insert(.promptAhead) }
  }

  package mutating func handle(
    _ event: Event, at now: SimInstant, _ context: borrowing Context, _ out: inout Effects
  ) {
    out.now = now
    switch event {
    case .entered(let next, let link): enter(next, link, context, &out)
    case .offline(let window): lose(window, now, context)
    case .airplane(let window): fly(window, now, context)
    case .switchedOff(let window): switchOff(window, context, &out)
    case .opened: open(context, &out)
    case .left: leave(context, &out)
    case .swipedAway: swipeAway(context, &out)
    case .permissionChanged(let new):
      decide(new, context, &out)
    case .due(let slot): happen(slot, context, &out)
    case .pushArrived: receivePush(context, &out)
    case .pushGateAwaited: watchPushGate(now, context)
    case .messagesDiscarded: noteDiscarded(context, &out)
    case .terminated: die(context, &out)
    case .updated(let needsOpening):
      end(by: .update, needsOpening: needsOpening && !context.isAndroid, context, &out)
      startLater(now, context)
    case .removed: remove(context, &out)
    case .ended: suspendIfIdle(context, &out)
    case .meterRead: readMeter(context, &out)
    case .appEvent(let event, let evenIfStopped):
      if process.mayRunCode || evenIfStopped { answer(event, context, &out) }
    case .transferDue: lookAtTransfer(context, &out)
    case .transferAnswered:
      if transfer.stage == .sending { finishTransfer(context, &out) }
    case .transferInterrupted: resumeTransfer(now, context)
    }
  }

  private mutating func happen(
    _ slot: DueSlot, _ context: borrowing Context, _ out: inout Effects
  ) {
    switch slot {
    case .regionExit: watchRegion(context, &out)
    case .significantChange: changeSignificantly(context, &out)
    case .visit: visit(context, &out)
    case .standard: lookAtStandard(out.now, context)
    case .pause: pauseStandard(context, &out)
    case .motion: recogniseMotion(context, &out)
    case .consent: consentIsDue(context, &out)
    case .settings: changeSettings(context, &out)
    case .stopTimer: timerDue(.stopStandard, context, &out)
    case .sendTimer: timerDue(.send, context, &out)
    case .restartTimer: timerDue(.restart, context, &out)
    case .stillTimer: timerDue(.still, context, &out)
    case .backgroundExpiry: endBackgroundTime(context, &out)
    case .pushGate: releaseHeldPush(context, &out)
    case .battery: lookAtBattery(context, &out)
    case .place: watchPlaces(context, &out)
    case .memory: lookAtMemory(context, &out)
    case .refresh: context.isAndroid ? work(context, &out) : refresh(context, &out)
    case .process: processIsDue(context, &out)
    case .background: backgroundIsDue(context, &out)
    case .segment, .offlineEdge, .powerEdge, .airplaneEdge, .swipe, .session, .installation,
      .stored, .push, .uploadOutcome:
      preconditionFailure("\(slot) belongs to the world or the app, not to the system")
    }
  }
}

extension Device {
  @inline(__always) package var isOnWifi: Bool { link.contains(.wifi) }

  @inline(__always) package var tokenIsValid: Bool {
    !traits.contains(.deadToken) && !android.flags.contains(.withoutPlay)
  }

  /// Whether the server can expect fixes and can reach the phone.
  @inline(__always) package var isReachable: Bool { authorization == .always && tokenIsValid }

  /// Returns a copy of this initial phone with likely values in the members that change later.
  /// Phones are stored as differences from the copy. A member omitted here only costs bytes.
  package func typical(
    at birth: SimInstant, centre: Coordinate, _ settings: PolicySettings, _ profile: OSProfile
  ) -> Device {
    var phone = self
    let fix = Fix(
      coordinate: centre, time: FixTime(birth), accuracyMeters: 50, speedDecimetersPerSecond: -1,
      courseDegrees: -1)
    let window = Window(start: birth, end: birth)
    phone.link = .wifi
    phone.consent = [.askedForAlways, .reminderIsLate]
    (phone.offline, phone.switchedOff, phone.airplane) = (window, window, window)
    phone.session = window
    phone.process.launch(intoForeground: false, now: birth)
    phone.process.hasManager = true
    phone.services.regionIsSet = true
    phone.services.significantChangeIsOn = true
    phone.services.visitsAreOn = true
    phone.services.significantLast = birth
    phone.services.reportedArrival = birth
    phone.services.regionRadius = max(
      profile.regions.radiusMin.meters, settings.regionRadius?.meters ?? 0)
    phone.standard.configure(ServiceRequest(settings.background.service, settings.app))
    phone.standard.startedAt = birth
    phone.standard.firstFixAt = birth
    phone.standard.lastTick = birth
    phone.standard.hasDelivered = true
    phone.lastKnown = fix
    (phone.drawnSince, phone.pushes.runsSince) = (birth, birth)
    for slot in DueSlot.allCases { phone.due[slot] = birth }
    phone.tracker = .typical(fix, at: birth)
    phone.upload.isRegistered = true
    phone.upload.perceivedAt = birth
    phone.upload.newest = fix.time
    phone.upload.newestPlace = centre
    phone.delivery = .typical(at: birth)
    phone.stored.time = birth
    phone.stored.place = centre
    phone.mark = birth
    phone.energy.tailUntil = birth
    return phone
  }
}

package struct UploadState: Sendable, BitwiseCopyable {
  /// The number of upload attempts so far, which keys the draw of the network time.
  package var attempt: UInt32 = 0
  package var lastCut: UInt32 = 0
  package var perceivedAt = SimInstant.distantPast
  /// The time of the newest fix uploaded so far, whose position is `newestPlace`.
  package var newest = FixTime(centiseconds: .min)
  package var newestPlace = Coordinate(latitudeE6: 0, longitudeE6: 0)
  package var isInFlight = false
  package var newRollout: UInt8 = 0
  package var result = UploadResult.acknowledged
  /// Whether a suspension lost the answer. The app's next wake reports the result as unknown.
  package var answerIsLost = false
  /// Whether the app has registered its authorization and token with the server since its launch.
  package var isRegistered = false
  package var bringsToken = false
  /// Whether the last upload is that of an event.
  package var isEvent = false

  package init() {}
}

package struct StoredFix: Sendable, BitwiseCopyable {
  package var time = SimInstant.distantPast
  package var place = Coordinate(latitudeE6: 0, longitudeE6: 0)
  package var isNever: Bool { time == .distantPast }
}
