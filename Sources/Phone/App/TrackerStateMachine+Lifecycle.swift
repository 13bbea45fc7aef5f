package import Core
internal import Scenarios

// Handles the app's life: launch, foreground, background, permission, settings and tasks.

extension TrackerStateMachine {
  /// LC8: An app must start its services again after a relaunch. Without services the app misses
  /// the events of the relaunch until its user opens it.
  mutating func launched(
    _ reason: LaunchReason, _ now: SimInstant, _ context: borrowing Context,
    _ out: inout CommandList
  ) {
    memory = Memory()
    sending = EventSending()
    memory.isSending = isHandedOver
    memory.isInert = context.settings.app.mistakes.startsNothingAtLaunch && reason != .user
    guard !memory.isInert else { return }
    startLastingServices(context, &out)
    // LU2: A relaunched app loses its background activity session unless it resumes the session
    // now.
    let isLive = context.settings.background.service.liveUpdates
    if isLive, context.settings.app.activitySession == .retaken, reason != .user {
      steady(context, &out)
    }
    // ALC8, ABO2: An app that Android starts by itself locates as before.
    if reason == .system, use(context).pattern.runsByItself {
      startStandard(now, context, force: false, &out)
    }
  }

  /// AU10: Starts all lasting services. Motion activity also needs the owner's permission.
  private mutating func startLastingServices(
    _ context: borrowing Context, _ out: inout CommandList
  ) {
    out.append(
      context.settings.significantChange ? .startSignificantChange : .stopSignificantChange)
    if context.settings.visits { out.append(.startVisits) }
    if context.settings.places != nil {
      keepsPlaces = true
      out.append(.monitorPlaces(near: here))
    }
    if Self.readsMotion(context.settings.foreground)
      || Self.readsMotion(context.settings.background) || context.settings.android.motion != .off
    {
      out.append(.startMotionActivity)
    }
  }

  private static func readsMotion(_ mode: TrackerMode) -> Bool {
    guard let rest = mode.rest else { return false }
    switch rest.sign {
    case .motion: return true
    case .still: return false
    }
  }

  mutating func becameActive(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    if memory.isInert {
      memory.isInert = false
      startLastingServices(context, &out)
    } else if let places = context.settings.places, !places.opensMonitor {
      // CM2: An app that did not open its `CLMonitor` at launch opens it now.
      out.append(.monitorPlaces(near: here))
    }
    ask(context, &out)
    let before = standingRequest(context)
    memory.isForeground = true
    // PT2: Opening the app ends a pause.
    memory.isPaused = false
    noticeOpening(context, &out)
    // A standard service that a background wake started is restarted with the foreground's settings
    // (EF2: stop first). A push that waits for its fix continues to wait.
    if before == nil || before != standingRequest(context) { stopStandard(&out) }
    startStandard(now, context, force: memory.pushIsPending, &out)
    if case .dutyCycle = context.settings.background.service.pattern { endAllTasks(context, &out) }
    armStill(now, context, &out)
    armSendTimer(now, context, &out)
    work(context, &out)
  }

  /// AU1–AU3, AU6: Requests permission when the user first opens the app, at later openings if the
  /// policy says so (AU17), and again once the answer no longer applies (AU14).
  private mutating func ask(_ context: borrowing Context, _ out: inout CommandList) {
    let plan = context.settings.app.request
    let request = hasAsked ? plan.later : plan.first
    guard request != .nothing else { return }
    hasAsked = true
    out.append(.requestAuthorization(request))
  }

  /// AU11: Asks for Always as soon as When In Use is granted.
  private func askForAlways(_ context: borrowing Context, _ out: inout CommandList) {
    switch context.settings.app.request {
    case .whenInUseThenAlways: out.append(.requestAuthorization(.always))
    case .nothing, .whenInUse, .always, .alwaysAtNextOpening: break
    }
  }

  /// LC6: Blocks the main thread if the policy simulates this mistake, for which the watchdog kills
  /// an app after 10 s. Callers call `work` last, after the rest of the callback.
  private func work(_ context: borrowing Context, _ out: inout CommandList) {
    let work = context.settings.app.mistakes.mainThreadWork
    if work > .zero { out.append(.blockMainThread(work)) }
  }

  mutating func enteredBackground(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    let before = standingRequest(context)
    memory.isForeground = false
    memory.sendIsTimed = false
    out.append(.cancelTimer(.send))
    reviewRest(context, &out)
    // AU7: A foreground session with the same settings continues, since no new session could start.
    if before == nil || before != standingRequest(context) { stopStandard(&out) }
    if case .dutyCycle = use(context).pattern {
      // DC4: The app begins a new background task and starts updates.
      beginCycleTask(context, &out)
      startStandard(now, context, force: false, &out)
    } else {
      holdBackgroundTask(context, &out)
      if use(context).pattern.runsByItself {
        startStandard(now, context, force: false, &out)
      } else {
        memory.pushIsPending = false
        keepRegion(here, context, &out)
      }
    }
    armStill(now, context, &out)
    trySend(now, context, force: true, &out)
    release(context, &out)
    work(context, &out)
  }

  /// AU1: Starts the services again after a grant, since a start without permission was ignored.
  mutating func authorized(
    _ answer: Authorization, _ now: SimInstant, _ context: borrowing Context,
    _ out: inout CommandList
  ) {
    if answer == .notDetermined { hasAsked = false }
    guard !memory.isInert else { return }
    if answer == .whenInUse, memory.isForeground { askForAlways(context, &out) }
    switch answer {
    case .always, .whenInUse:
      startLastingServices(context, &out)
      if memory.isForeground || use(context).pattern.runsByItself {
        startStandard(now, context, force: false, &out)
      }
    case .denied, .notDetermined:
      stopStandard(&out)
      memory.pushIsPending = false
      release(context, &out)
    }
  }

  /// HY2: Restarts all services with the new settings, but keeps outbox, batch numbers and last
  /// fix.
  mutating func settingsChanged(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard !memory.isInert else { return }
    stopStandard(&out)
    cancelStill(&out)
    memory.isResting = false
    memory.restAnchor = nil
    startLastingServices(context, &out)
    if !context.settings.visits { out.append(.stopVisits) }
    if keepsPlaces, context.settings.places == nil {
      keepsPlaces = false
      out.append(.stopMonitoringPlaces)
    }
    if context.settings.regionRadius == nil {
      out.append(.stopMonitoringRegion)
    } else {
      keepRegion(here, context, &out)
    }
    if memory.isForeground || memory.pushIsPending || use(context).pattern.runsByItself {
      startStandard(now, context, force: memory.pushIsPending, &out)
    }
    armStill(now, context, &out)
    if memory.isForeground { armSendTimer(now, context, &out) }
    release(context, &out)
  }
}

// MARK: - Background tasks

extension TrackerStateMachine {
  /// The limit of open tasks, which only an app that leaks tasks can reach.
  private static let openTasksMax: UInt8 = 200

  /// HY6: Holds a background task around every wake and send. LC4: An app that leaks tasks begins a
  /// task per wake and never ends it.
  mutating func holdBackgroundTask(_ context: borrowing Context, _ out: inout CommandList) {
    guard context.settings.send.backgroundTask, !memory.isForeground else { return }
    let leaks = context.settings.app.mistakes.leaksBackgroundTasks
    guard memory.openTasks == 0 || (leaks && memory.openTasks < Self.openTasksMax) else { return }
    memory.openTasks += 1
    out.append(.beginBackgroundTask)
  }

  /// DC5: Begins a task. Besides the first task, only the newest task stays open.
  mutating func beginCycleTask(_ context: borrowing Context, _ out: inout CommandList) {
    guard !memory.isForeground, memory.openTasks < Self.openTasksMax else { return }
    memory.openTasks += 1
    out.append(.beginBackgroundTask)
    guard memory.openTasks > 2, !context.settings.app.mistakes.leaksBackgroundTasks else { return }
    memory.openTasks -= 1
    out.append(.endBackgroundTask)
  }

  /// LC7: Ends the background tasks once their work is done, whatever the result.
  mutating func release(_ context: borrowing Context, _ out: inout CommandList) {
    guard memory.openTasks > 0, !memory.isSending || isHandedOver else { return }
    switch memory.standard {
    case .waiting, .timed, .asking: return
    case .steady: if memory.pushIsPending { return }
    case .off: break
    }
    // DC1: Between two cycles only background tasks keep the app running.
    if memory.restartIsTimed, !memory.isForeground, case .dutyCycle = use(context).pattern {
      return
    }
    endAllTasks(context, &out)
  }

  mutating func endAllTasks(_ context: borrowing Context, _ out: inout CommandList) {
    guard !context.settings.app.mistakes.leaksBackgroundTasks else { return }
    while memory.openTasks > 0 {
      memory.openTasks -= 1
      out.append(.endBackgroundTask)
    }
  }

  /// LC4, LC5: Ends all background tasks, since the system kills an app that leaves one open. DC6:
  /// An app that ignores the expiration does nothing here.
  mutating func expiring(_ context: borrowing Context, _ out: inout CommandList) {
    guard !context.settings.app.mistakes.ignoresExpiration else { return }
    if memory.standard == .steady || memory.standard == .asking {
      // Only the task ends. The location session continues if the system allows it.
      memory.standard = .steady
      out.append(.cancelTimer(.stopStandard))
    } else {
      stopBurst(&out)
      keepRegion(here, context, &out)
    }
    memory.pushIsPending = false
    endAllTasks(context, &out)
  }
}

// Restores the state that an installation had on disk when its fleet was killed.

extension TrackerStateMachine {
  /// - Parameter sequence: the sequence number of the newest batch.
  /// - Parameter outbox: the number of fixes that are in no batch.
  package mutating func restore(lastSequence sequence: UInt32, outbox: Int) {
    lastSequence = sequence
    outboxCount = UInt16(clamping: outbox)
    eventCount = 0
    hasEvents = false
    cutCount = 0
    if isHandedOver { memory.isSending = false }
    isHandedOver = false
  }
}

extension TrackerStateMachine {
  /// Returns a machine with likely values, from which other machines are stored as differences.
  package static func typical(_ fix: Fix, at instant: SimInstant) -> Self {
    var machine = Self()
    machine.lastAccepted = fix
    machine.lastSend = instant
    machine.notBefore = instant
    machine.lastVisit = Visit.Key(arrival: instant, departure: instant)
    machine.memory.lastBurst = instant
    machine.memory.newest = fix.coordinate
    machine.memory.restAnchor = fix.coordinate
    return machine
  }
}
