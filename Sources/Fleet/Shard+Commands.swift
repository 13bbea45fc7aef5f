internal import Mobility
internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry
internal import Tracker

/// Performs what the tracker asks of the operating system.
extension Shard {
  /// One event in, its commands performed in order.
  ///
  /// LC1: an app that does not run hears nothing. When a run drains, phones hear the outcome of
  /// their last upload all the same, so that the ledgers close.
  mutating func tell(_ i: Int, _ event: OSEvent, now: SimInstant) {
    guard phones[i].process.mayRunCode || isDraining else { return }
    commands.removeAll()
    phones[i].tracker.handle(
      event, of: phones[i].id, now: now, context.trackers[Int(phones[i].policy)],
      into: &commands)
    traceTold(i, event, now: now)
    for k in 0..<commands.count { perform(commands[k], i, now: now) }
    follow(i, now: now)
  }

  mutating func perform(_ command: OSCommand, _ i: Int, now: SimInstant) {
    switch command {
    case .requestAuthorization(let request):
      requestAuthorization(i, request, now: now)
    case .startStandard(let request):
      phones[i].process.hasManager = true
      startStandard(i, request, now: now)
    case .stopStandard:
      stopStandard(i, now: now)
    case .startSignificantChange:
      startSignificantChange(i, now: now)
    case .stopSignificantChange:
      phones[i].process.hasManager = true
      phones[i].services.significantChangeIsOn = false
      phones[i].due[.significantChange] = .distantFuture
    case .startVisits:
      startVisits(i, now: now)
    case .stopVisits:
      phones[i].services.visitsAreOn = false
      phones[i].services.toldArrival = .distantFuture
      phones[i].due[.visit] = .distantFuture
    case .startMotionActivity:
      startMotion(i, now: now)
    case .blockMainThread(let time):
      blockMainThread(i, time, now: now)
    case .stopMonitoringRegion:
      phones[i].services.regionIsSet = false
      phones[i].due[.regionExit] = .distantFuture
    case .monitorRegion(let centre, let radius):
      monitorRegion(i, centre, radius, now: now)
    case .setTimer(let timer, let at):
      // A fix that is evaluated late may ask for an instant that is over.
      phones[i].due[Self.slot(timer)] = max(at, now, eventInstant)
    case .cancelTimer(let timer):
      phones[i].due[Self.slot(timer)] = .distantFuture
      phones[i].overdueTimers &= ~(1 << timer.rawValue)
    case .beginBackgroundTask:
      if phones[i].process.openBackgroundTasks < .max { phones[i].process.openBackgroundTasks += 1 }
    case .endBackgroundTask:
      // Ending a task twice, or one that the process before began, does nothing.
      if phones[i].process.openBackgroundTasks > 0 { phones[i].process.openBackgroundTasks -= 1 }
    case .persist(let fix):
      // What the phone's silence is charged to changes with its first waiting fix.
      if phones[i].outbox.count == 0 { account(i, upTo: now) }
      pool.append(fix, to: &phones[i].outbox)
      figures.fixesPersisted += 1
    case .evictOldest(let cut):
      pool.remove(at: Int(cut), from: &phones[i].outbox)
      figures.fixesEvicted += 1
    case .upload(let sequence, let count):
      startUpload(i, sequence, count, now: max(now, eventInstant))
    case .forget(let count, let result):
      forget(i, count, result)
    }
  }

  private static func slot(_ timer: AppTimer) -> DueSlot {
    switch timer {
    case .stopStandard: .stopTimer
    case .send: .sendTimer
    case .restart: .restartTimer
    case .still: .stillTimer
    }
  }

  private mutating func startSignificantChange(_ i: Int, now: SimInstant) {
    let isNewHere = !phones[i].process.hasManager
    phones[i].process.hasManager = true
    authorizeImplicitly(i, now: now)
    let isOn = phones[i].services.significantChangeIsOn
    if !isOn {
      phones[i].services.startSignificantChange(
        at: phones[i].segment.position(at: now), now: now)
      carryServices(i, now: now)
    }
    // SL5; an app that was launched for a location gets that one instead.
    let isFirst = !isOn || isNewHere && !isWokenForLocation
    if isFirst, phones[i].authorization == .always, !given.contains(.cachedChange) {
      given.insert(.cachedChange)
      aftermath.insert(.cachedChange)
    }
  }

  private mutating func startVisits(_ i: Int, now: SimInstant) {
    phones[i].process.hasManager = true
    authorizeImplicitly(i, now: now)
    guard !phones[i].services.visitsAreOn else { return }
    phones[i].services.visitsAreOn = true
    phones[i].services.missedArrival = phones[i].segment.start < now
    carryServices(i, now: now)
  }

  private mutating func monitorRegion(
    _ i: Int, _ centre: Coordinate, _ radius: Distance, now: SimInstant
  ) {
    phones[i].process.hasManager = true
    authorizeImplicitly(i, now: now)
    phones[i].services.monitorRegion(
      centre: fixMaker(i).projection.point(of: centre), radius: radius.meters,
      from: phones[i].segment.position(at: now), context.os(Int(phones[i].cohort)).regions)
    guard servicesRun(i, now: now) else { return }
    armRegion(i, now: now)
  }
}
