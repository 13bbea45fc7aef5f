internal import Mobility
internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry
internal import Tracker

/// Performs what the tracker asks of the operating system.
extension Shard {
  /// One event in, its commands performed in order.
  mutating func tell(_ i: Int, _ event: OSEvent, now: SimInstant) {
    commands.removeAll()
    phones[i].tracker.handle(
      event, of: phones[i].id, now: now, context.trackers[Int(phones[i].policy)],
      into: &commands)
    traceTold(i, event, now: now)
    for k in 0..<commands.count { perform(commands[k], i, now: now) }
  }

  private mutating func perform(_ command: OSCommand, _ i: Int, now: SimInstant) {
    switch command {
    case .requestAuthorization: break
    case .startStandard(let request):
      startStandard(i, request, now: now)
    case .stopStandard:
      stopStandard(i, now: now)
    case .startSignificantChange:
      if !phones[i].services.significantChangeIsOn {
        let place = phones[i].segment.position(at: now)
        phones[i].services.startSignificantChange(at: place, now: now)
        armServices(i, now: now)
      }
    case .stopSignificantChange:
      phones[i].services.significantChangeIsOn = false
      phones[i].due[.significantChange] = .distantFuture
    case .startVisits:
      phones[i].services.visitsAreOn = true
    case .stopVisits:
      phones[i].services.visitsAreOn = false
    case .startMotionActivity, .blockMainThread: break
    case .stopMonitoringRegion:
      phones[i].services.regionIsSet = false
      phones[i].due[.regionExit] = .distantFuture
    case .monitorRegion(let centre, let radius):
      monitorRegion(i, centre, radius, now: now)
    case .setTimer(let timer, let at):
      phones[i].due[Self.slot(timer)] = max(at, now)
    case .cancelTimer(let timer):
      phones[i].due[Self.slot(timer)] = .distantFuture
      phones[i].overdueTimers &= ~(1 << timer.rawValue)
    case .beginBackgroundTask:
      phones[i].process.openBackgroundTasks += 1
    case .endBackgroundTask:
      phones[i].process.openBackgroundTasks -= 1
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

  private mutating func startStandard(
    _ i: Int, _ request: ServiceRequest, now: SimInstant
  ) {
    let phone = phones[i]
    let isForeground = phone.process.state == .foreground
    // AU1, AU4: without authorization nothing happens, and nobody is told.
    switch phone.authorization {
    case .always: break
    case .whenInUse: guard isForeground else { return }
    case .denied, .notDetermined: return
    }
    phones[i].standard.start(
      request, now: now,
      lastKnown: phone.lastKnown?.time.instant ?? .distantPast,
      surroundings: phone.segment.surroundings(at: now), keepsAppAlive: isForeground,
      seed: context.scenario.seed, phone: phone.id)
    let first = phones[i].standard.firstFixAt
    phones[i].due[.standard] = first
    noteDraw(i, now: now)
  }

  private mutating func monitorRegion(
    _ i: Int, _ centre: Coordinate, _ radius: Distance, now: SimInstant
  ) {
    phones[i].services.monitorRegion(
      centre: fixMaker(i).projection.point(of: centre), radius: radius.meters)
    guard phones[i].authorization == .always, !phones[i].switchedOff.contains(now) else { return }
    armRegion(i, now: now)
  }
}
