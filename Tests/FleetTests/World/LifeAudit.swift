import Core
import Phone
import Scenarios

@testable import Fleet

/// Lists invariants of every phone.
enum Law: CaseIterable {
  case authorization, suspension, backgroundTasks, region, significantChanges, outbox
  case ledger, staleTime, pushes, determinism, battery, android
}

/// Reads the diary of one phone, in order, and records violations.
///
/// A diary notes the process and the outbox when an event is over; within one, the state follows
/// from what is delivered to the app.
struct LifeAudit {
  let settings: PolicySettings
  /// NW1: Whether any policy of the world hands its uploads to the system.
  let handsOver: Bool
  /// AFG1: Whether the app may run a foreground service under any policy of the world.
  let serves: Bool
  /// AAR2: Whether the phone tells transitions to the app under any policy of the world.
  let tellsMotion: Bool
  /// AFG4: Whether the world's pushes have high priority.
  let pushesAreUrgent: Bool
  /// AFG4: Whether an alarm may be exact under any policy of the world.
  let alarmsAreExact: Bool
  /// ABL2: Whether a location may bring a batch under any policy of the world.
  let batches: Bool
  /// AFG6: Whether a service may run without permission to locate under any policy of the world.
  let servesOthers: Bool
  let os: OSProfile
  let projection: Projection
  private(set) var faults: [Law: [String]] = [:]
  /// The outbox according to the commands, and every fix that left it with an acknowledgement.
  private(set) var outbox: [Fix] = []
  private(set) var acknowledged: [Fix] = []

  private var pagesRead = 0
  private var authorization: Authorization
  /// After the last event, and now.
  private var current = AppProcess.State.notRunning
  private var state = AppProcess.State.notRunning
  private var segment: Segment?
  private var openTasks = 0
  private var asksStandard = false
  /// Since when only background tasks keep the app running.
  private var onTasksSince: SimInstant?
  private var region: (centre: Coordinate, radius: Distance)?
  /// The region as the event begins, since the app may move it before the exit is delivered.
  private var standingRegion: (centre: Coordinate, radius: Distance)?
  private var lastChange = SimInstant.distantPast
  private var isEmpty = false
  /// False from the moment the phone runs empty to its first unlock.
  private var mayRun = true
  /// LU2: True while the app may have a background activity session.
  private var mayHoldSession = false
  /// AFG1: True while the app may run a foreground service.
  private var mayServe = false

  init(_ scenario: Scenario, cohort: Int, as born: Authorization) {
    let policies = scenario.policies.map(\.settings)
    settings = policies[scenario.fleet.cohorts[cohort].policy]
    handsOver = policies.contains { $0.send.session == .background }
    os = scenario.fleet.cohorts[cohort].os.value
    serves =
      os.system.android != nil && settings.app.backgroundMode
      && policies.contains { $0.android.service != .never }
    tellsMotion =
      os.system.android != nil && policies.contains { $0.android.motion == .transitions }
    pushesAreUrgent = scenario.push.request.isHigh(.ofScenario)
    batches = policies.contains { $0.android.batch != nil }
    servesOthers = policies.contains { $0.android.serviceType != .location }
    alarmsAreExact = policies.contains { $0.android.alarm?.exact == true }
    projection = scenario.projection
    authorization = born
  }

  private mutating func fault(_ law: Law, _ what: String, at now: SimInstant) {
    faults[law, default: []].append("\(what), at \(now.microseconds)")
  }

  /// Reads the notes since the last call.
  mutating func readOn(_ entries: [(at: SimInstant, what: TraceEvent)]) {
    var first = pagesRead
    pagesRead = entries.count
    while first < entries.count {
      var end = first
      repeat {
        end += 1
      } while end < entries.count && entries[end].at == entries[first].at
        && !(entries[end - 1].what.closesEvent && !entries[end].what.closesEvent)
      event(entries[first..<end], at: entries[first].at)
      first = end
    }
  }

  private mutating func event(
    _ entries: ArraySlice<(at: SimInstant, what: TraceEvent)>, at now: SimInstant
  ) {
    checkWake(entries, at: now)
    noteService(entries)
    standingRegion = region
    for entry in entries {
      switch entry.what {
      case .delivered(let event):
        // BT3, BT5: no app runs from the end of the charge to the first unlock.
        if !mayRun, case .launched = event { fault(.battery, "launched while locked", at: now) }
        delivered(event, entries, at: now)
      case .command(let command): performed(command, at: now)
      case .fix(let fix, let manager, _, _): located(fix, manager, entries, at: now)
      case .process(let new): became(new)
      case .truth(let new, wifi: _): segment = new
      case .outbox(let count):
        if count != outbox.count {
          fault(.outbox, "\(count) fixes wait, but \(outbox.count) were kept", at: now)
        }
      case .authorized(let new): authorization = new
      case .edge(.batteryEmpty, let begins):
        mayRun = false
        if begins == isEmpty { fault(.battery, "empty or full twice", at: now) }
        isEmpty = begins
      case .edge(.firstUnlock, let begins): mayRun = begins
      case .edge(.reinstalled, let begins):
        // LC16: The app's outbox is deleted with it, and the system forgets its region.
        if begins { forget() }
      case .edge(.offline, _), .edge(.switchedOff, _), .edge(.airplane, _), .edge(.forceQuit, _),
        .edge(.lookedAt, _), .edge(.charger, _), .edge(.lowPower, _), .edge(.endedForMemory, _),
        .edge(.updated, _), .crashed, .pushRequested, .pushEnded, .stored, .cause, .live, .region,
        .consent:
        break
      }
    }
    state = current
    checkTasks(entries, at: now)
  }

  private mutating func forget() {
    mayHoldSession = false
    outbox = []
    region = nil
    standingRegion = nil
    lastChange = .distantPast
  }

  // MARK: LC1, LC2, AU5

  /// An app that does not run receives only the event that wakes it.
  private mutating func checkWake(
    _ entries: ArraySlice<(at: SimInstant, what: TraceEvent)>, at now: SimInstant
  ) {
    let callbacks = entries.filter(\.what.isCallback)
    guard let first = callbacks.first else { return }
    switch current {
    case .foreground, .background: break
    case .notRunning:
      guard case .delivered(.launched) = first.what else {
        return fault(.suspension, "told \(first.what) without being launched", at: now)
      }
    case .suspended:
      // LC8: An app that made no manager at launch does not receive the event that woke it.
      if settings.app.mistakes.startsNothingAtLaunch { return }
      // LU1: Live updates resume with a movement, and bring the first position some seconds later.
      if mayHoldSession { return }
      // NW1: The system resumes the app to report the result of its upload.
      if handsOver, callbacks.contains(where: \.what.endsUpload) { return }
      // AAR2: A transition wakes the app.
      if tellsMotion, callbacks.contains(where: \.what.isMotion) { return }
      // AU8: Its reaction killed it before it received the event that woke it.
      let crashed = entries.contains { if case .crashed = $0.what { true } else { false } }
      if !crashed && !callbacks.contains(where: \.what.wakes) {
        fault(.suspension, "told \(first.what) while suspended", at: now)
      }
    }
    // LC16: A new installation that its owner opens may receive its position as soon as they allow
    // it.
    let isAllowed = entries.contains {
      if case .authorized(.always) = $0.what { true } else { false }
    }
    for entry in callbacks where entry.what.isLocationWake && !current.runs {
      // LU3: With a session When In Use is enough to relaunch it.
      let bySession = mayHoldSession && authorization == .whenInUse && entry.what.isLocationLaunch
      if authorization != .always, !(isAllowed && first.what.isOpening), !bySession {
        fault(.authorization, "woken by \(entry.what) with \(authorization)", at: now)
      }
    }
  }

  /// AFG3–AFG5: A process that does not run has no service. A wake gives it one for certain causes
  /// alone, and only with Always.
  private mutating func noteService(
    _ entries: ArraySlice<(at: SimInstant, what: TraceEvent)>
  ) {
    guard let rules = os.system.android, serves, !current.runs else { return }
    // AWM1: Work takes a position, for which it does not run.
    let isRun = entries.contains {
      if case .delivered(.refreshed) = $0.what { true } else { false }
    }
    let isWork = isRun && !alarmsAreExact
    mayServe =
      (authorization == .always || servesOthers)
      && entries.contains {
        if tellsMotion, $0.what.isMotion { return true }
        if alarmsAreExact, isRun { return true }
        return switch $0.what.cause(isUrgent: pushesAreUrgent) {
        case .exempt: !isWork || rules.startsServicesInBackground
        case .other: rules.startsServicesInBackground
        case nil: false
        }
      }
  }

  private mutating func became(_ new: AppProcess.State) {
    current = new
    state = new
    if new == .notRunning {
      openTasks = 0
      asksStandard = false
    }
  }

  private mutating func delivered(
    _ event: OSEvent, _ entries: ArraySlice<(at: SimInstant, what: TraceEvent)>, at now: SimInstant
  ) {
    switch event {
    case .launched(let reason):
      state = .background
      // LU2: A relaunched app that does not take its session again loses it with this event.
      if settings.app.activitySession == .forgotten, reason != .user { mayHoldSession = false }
      openTasks = 0
      asksStandard = false
    case .becameActive: state = .foreground
    case .enteredBackground:
      state = .background
      mayServe =
        serves && (authorization == .always || authorization == .whenInUse || servesOthers)
    case .regionExited(.imprecise, let cached): leftRegion(cached, entries, at: now)
    case .location, .regionExited(.standard, _), .visit, .silentPush, .messagesDiscarded,
      .refreshed, .processing, .timer, .backgroundTimeExpiring, .uploadFinished,
      .authorizationChanged, .motionActivity,
      .standardPaused, .settingsChanged, .placeEntered, .placeExited, .regionsRefused:
      break
    }
  }

  // MARK: AU1, AU4, SL3

  private mutating func located(
    _ fix: Fix, _ manager: Manager?, _ entries: ArraySlice<(at: SimInstant, what: TraceEvent)>,
    at now: SimInstant
  ) {
    if os.system.android != nil, manager == .standard, state != .foreground, !mayServe {
      fault(.android, "a fix while \(state), without a service", at: now)
    }
    switch authorization {
    case .always: break
    case .denied, .notDetermined:
      fault(.authorization, "a fix with \(authorization)", at: now)
    case .whenInUse where os.system.android != nil:
      // AFG1, ABL5: So does one with a service.
      if state != .foreground && manager != .standard {
        fault(.authorization, "a fix when in use, while \(state)", at: now)
      }
    case .whenInUse:
      // AU7: a session that was begun in the foreground continues if all three flags are set. LU3:
      // so do live updates with a session.
      let goesOn =
        manager == .standard && settings.app.backgroundMode
        && (settings.app.allowsBackgroundUpdates || mayHoldSession)
      if state != .foreground && !goesOn {
        fault(.authorization, "a fix when in use, while \(state)", at: now)
      }
    }
    if manager == .imprecise {
      if let rules = os.system.android {
        located(at: now, every: rules.backgroundEvery)
      } else {
        changed(fix, entries, at: now)
      }
    }
  }

  /// ABL1: Two locations in the background have their distance in time, which the phone keeps in
  /// whole seconds. ABL2: A batch comes at once.
  private mutating func located(at now: SimInstant, every: SimDuration) {
    if batches, now == lastChange { return }
    if now < lastChange + every - .seconds(1) {
      fault(.android, "a location \((now - lastChange).seconds) s after the last", at: now)
    }
    lastChange = now
  }

  private mutating func changed(
    _ fix: Fix, _ entries: ArraySlice<(at: SimInstant, what: TraceEvent)>, at now: SimInstant
  ) {
    // SL5: the old position that comes with a start is no change; AU12: one that waited for the
    // second prompt was noticed earlier.
    let starts = entries.contains {
      switch $0.what {
      case .command(.startSignificantChange), .consent(.secondPrompt(_)): true
      default: false
      }
    }
    if starts && fix.time < FixTime(now) { return }
    if now < lastChange + os.significantChange.gapMin {
      fault(.significantChanges, "\((now - lastChange).seconds) s after the last", at: now)
    }
    lastChange = now
  }

  // MARK: RG1, RG4, RG11

  private mutating func leftRegion(
    _ cached: Fix?, _ entries: ArraySlice<(at: SimInstant, what: TraceEvent)>, at now: SimInstant
  ) {
    // AU12: an exit that waited for the second prompt comes with the position of its own instant.
    let waited = entries.contains {
      if case .consent(.secondPrompt(_)) = $0.what { true } else { false }
    }
    if waited, let cached, cached.time < FixTime(now) { return }
    // RG10: The system, not the app, sets the region whose exit triggers the next choice of places.
    if standingRegion == nil, settings.places?.choose == .nearest { return }
    guard let region = standingRegion, let segment else {
      return fault(.region, "left a region that it does not monitor", at: now)
    }
    let centre = projection.point(of: region.centre)
    // RG11: The phone is outside, or the system believes so.
    let believed = cached.map { projection.point(of: $0.coordinate).distance(to: centre) } ?? 0
    let away = max(believed, segment.position(at: now).distance(to: centre))
    if away <= max(100, region.radius.meters) - 1 {
      fault(.region, "\(away) m from the centre of \(region.radius.meters) m", at: now)
    }
  }

  // MARK: LC4, LC5, HY4

  private mutating func performed(_ command: OSCommand, at now: SimInstant) {
    switch command {
    case .beginBackgroundTask: openTasks += 1
    case .endBackgroundTask:
      openTasks -= 1
      if openTasks < 0 { fault(.backgroundTasks, "ended more tasks than it began", at: now) }
    case .startStandard(let request):
      asksStandard = true
      if request.isLive, os.system.rules.hasLiveUpdates, state == .foreground,
        settings.app.activitySession != .none
      {
        mayHoldSession = true
      }
      // DC6: The budget restarts after a session, even one that ends in the same event.
      onTasksSince = nil
    case .stopStandard: asksStandard = false
    case .monitorRegion(let centre, let radius): region = (centre, radius)
    case .stopMonitoringRegion: region = nil
    case .persist(let fix): outbox.append(fix)
    case .evictOldest(let cut):
      guard Int(cut) < outbox.count else {
        return fault(.outbox, "evicts a fix behind \(cut) of \(outbox.count)", at: now)
      }
      outbox.remove(at: Int(cut))
    case .forget(let count, let result):
      guard Int(count) <= outbox.count else {
        return fault(.outbox, "forgets \(count) of \(outbox.count)", at: now)
      }
      if result == .acknowledged { acknowledged += outbox.prefix(Int(count)) }
      outbox.removeFirst(Int(count))
    case .requestAuthorization, .startSignificantChange, .stopSignificantChange, .startVisits,
      .stopVisits, .startMotionActivity, .setTimer, .cancelTimer, .blockMainThread, .upload,
      .monitorPlaces, .stopMonitoringPlaces, .uploadEvent, .forgetEvent:
      break
    }
  }

  private mutating func checkTasks(
    _ entries: ArraySlice<(at: SimInstant, what: TraceEvent)>, at now: SimInstant
  ) {
    if current == .suspended && openTasks > 0 {
      fault(.backgroundTasks, "suspended with \(openTasks) open background tasks", at: now)
    }
    let expired = entries.contains {
      if case .delivered(.backgroundTimeExpiring) = $0.what { true } else { false }
    }
    if expired && openTasks > 0 && current == .background {
      fault(.backgroundTasks, "lives on with \(openTasks) tasks after their expiry", at: now)
    }
    if let since = onTasksSince, now > since + os.system.rules.backgroundTaskBudget {
      fault(.backgroundTasks, "\((now - since).seconds) s on background tasks alone", at: now)
      onTasksSince = nil
    }
    // AFG1: A service keeps the process running, too.
    let isOnTasks = current == .background && openTasks > 0 && !asksStandard && !mayServe
    onTasksSince = isOnTasks ? onTasksSince ?? now : nil
  }
}

extension AppProcess.State {
  fileprivate var runs: Bool {
    switch self {
    case .foreground, .background: true
    case .suspended, .notRunning: false
    }
  }
}

private enum ServiceCause { case exempt, other }

extension TraceEvent {
  /// Noted when an event is over.
  fileprivate var closesEvent: Bool {
    switch self {
    case .process, .outbox, .cause: true
    case .truth, .edge, .authorized, .crashed, .delivered, .fix, .command, .pushRequested,
      .pushEnded,
      .stored, .live, .region, .consent:
      false
    }
  }

  /// True for events in which app code runs.
  fileprivate var isCallback: Bool {
    switch self {
    case .delivered, .fix: true
    case .truth, .edge, .process, .authorized, .crashed, .command, .outbox, .pushRequested,
      .pushEnded, .stored, .cause, .live, .region, .consent:
      false
    }
  }

  fileprivate var isLocationLaunch: Bool {
    if case .delivered(.launched(.location)) = self { true } else { false }
  }

  /// True if its owner launches the app.
  fileprivate var isOpening: Bool {
    if case .delivered(.launched(.user)) = self { true } else { false }
  }

  /// AU5: reaches an app that does not run only with Always.
  fileprivate var isLocationWake: Bool {
    switch self {
    case .delivered(.regionExited), .delivered(.placeEntered), .delivered(.placeExited),
      .delivered(.visit), .delivered(.launched(.location)),
      .fix(_, .imprecise?, _, _), .fix(_, nil, _, _):
      true
    case .delivered, .fix, .truth, .edge, .process, .authorized, .crashed, .command, .outbox,
      .pushRequested, .pushEnded, .stored, .cause, .live, .region, .consent:
      false
    }
  }

  /// AFG3, AFG4: Why the app runs: for a cause that lets it start a service in the background, or
  /// for another; nil if it does not say.
  fileprivate func cause(isUrgent: Bool) -> ServiceCause? {
    switch self {
    case .delivered(.launched(.user)), .delivered(.launched(.system)): .exempt
    case .delivered(.launched(.push)), .delivered(.silentPush): isUrgent ? .exempt : .other
    case .delivered(.launched(.refresh)), .delivered(.launched(.upload)), .delivered(.refreshed),
      .delivered(.messagesDiscarded), .delivered(.uploadFinished):
      .other
    case .delivered, .fix, .truth, .edge, .process, .authorized, .crashed, .command, .outbox,
      .pushRequested, .pushEnded, .stored, .cause, .live, .region, .consent:
      isLocationWake ? .exempt : nil
    }
  }

  fileprivate var isMotion: Bool {
    if case .delivered(.motionActivity) = self { true } else { false }
  }

  fileprivate var endsUpload: Bool {
    if case .delivered(.uploadFinished) = self { true } else { false }
  }

  /// True for events that give a suspended app time.
  fileprivate var wakes: Bool {
    switch self {
    case .delivered(.becameActive), .delivered(.silentPush), .delivered(.messagesDiscarded),
      .delivered(.refreshed):
      true
    case .delivered, .fix, .truth, .edge, .process, .authorized, .crashed, .command, .outbox,
      .pushRequested, .pushEnded, .stored, .cause, .live, .region, .consent:
      isLocationWake
    }
  }
}
