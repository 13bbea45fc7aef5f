internal import Core
internal import Phone
internal import Push
internal import Scenarios

/// Simulates one phone. Changes in the phone's world reach it as events. The phone's effects are
/// counted, traced and reported to the delivery of its push.
extension Shard {
  mutating func system(_ phone: inout Device, _ event: Device.Event, now: SimInstant) {
    phone.handle(event, at: now, context.systems[context.system(of: phone)], &effects)
    settle(&phone)
  }

  mutating func account(_ phone: inout Device, upTo now: SimInstant) {
    effects.now = now
    phone.account(context.systems[context.system(of: phone)], &effects)
    settle(&phone)
  }

  /// Performs the phone's pending effects, and clears them.
  mutating func settle(_ phone: inout Device) {
    metrics[.fixesGenerated] += effects.generated
    effects.generated = 0
    if effects.isEmpty { return }
    var list = effects.take()
    for k in list.indices { perform(list[k].effect, of: &phone, now: list[k].at) }
    effects.giveBack(&list)
  }

  private mutating func perform(
    _ effect: Device.Effect, of phone: inout Device, now: SimInstant
  ) {
    let (cohort, counts) = (Int(phone.cohort), !effects.isDraining)
    switch effect {
    case .permission(let new): trace(phone.id, at: now, .authorized(new))
    case .launched: metrics[.launches] += 1
    case .woken:
      metrics[.wakes] += 1
      if counts { metrics.energy.cohorts[cohort] += .wake }
    case .stopped: advancePush(&phone, .wakeEnded(crashed: false), now: now)
    case .crashed(let reason): trace(phone.id, at: now, .crashed(reason))
    case .killed:
      metrics[.kills] += 1
      advancePush(&phone, .wakeEnded(crashed: true), now: now)
    case .ends(let cause): note(cause, of: phone.id, now: now)
    case .push(let step, let report): perform(step, lastReport: report, of: &phone, now: now)
    case .drew(let draw, let time, let scans, let fixes) where counts:
      metrics.energy.cohorts[cohort] += EnergyMeter(
        draw, for: time, scans: scans, fixes: Int64(fixes))
    case .sent(let use, let radio) where counts:
      metrics.energy.cohorts[cohort] += EnergyMeter(use, over: radio)
    case .scanned where counts: metrics.energy.cohorts[cohort] += .scan
    case .drew, .sent, .scanned: break
    case .charged(let flow) where counts: metrics.batteries[cohort].add(flow)
    case .hour(let hour, let percent) where counts:
      metrics.batteries[cohort].noteHour(hour, percent: percent)
    case .discharged(let time, let ranEmpty) where counts:
      metrics.batteries[cohort].noteDischarge(time, ranEmpty: ranEmpty)
    case .firstEmpty where counts: metrics.batteries[cohort].phonesEmptied += 1
    case .charged, .hour, .discharged, .firstEmpty: break
    case .battery(let step): note(step, of: phone, now: now)
    case .region(let step, let place): trace(phone.id, at: now, .region(step, place: place))
    case .consent(let step): trace(phone.id, at: now, .consent(step))
    case .kept(let source, let meters):
      metrics.sources.add(source, offMeters: meters)
      metrics[.fixesPersisted] += 1
    case .evicted: metrics[.fixesEvicted] += 1
    case .fixTaken(let fix): pushFixTaken(&phone, fix, now: now)
    case .delivered(let event, let source, let isKept):
      traceDelivery(of: event, source, isKept: isKept, phone, now: now)
    case .commanded(let command): trace(phone.id, at: now, .command(command))
    case .batchCut: metrics[.batchesCut] += 1
    case .uploadOffline: metrics[.uploadsOffline] += 1
    case .uploadStarted(let reachesServer): noteUpload(&phone, reachesServer, now: now)
    case .uploadLost: metrics[.uploadsLost] += 1
    case .forgot(let count, let result, let hash): noteAnswer(count, result, hash)
    case .stored(let newest):
      trace(phone.id, at: now, .stored(newest))
      let within = context.scenario.push.terms.within
      advancePush(&phone, .reported(newest: newest, at: now, within: within), now: now)
    case .settingsCame: takeSettings(&phone, now: now)
    case .event(let step): note(step)
    case .passed(let stretch): note(stretch, phone)
    }
  }

  /// Counts an end of the app that the app did not cause (LC13–LC16).
  private mutating func note(_ cause: AppProcess.Ending, of phone: PhoneID, now: SimInstant) {
    let (count, edge): (Count, TraceEvent.Edge)
    switch cause {
    case .none: return
    case .memory: (count, edge) = (.endedForMemory, .endedForMemory)
    case .update: (count, edge) = (.updates, .updated)
    case .reinstall: (count, edge) = (.reinstalls, .reinstalled)
    }
    metrics[count] += 1
    trace(phone, at: now, .edge(edge, begins: true))
  }

  mutating func suspendIfIdle(_ phone: inout Device, now: SimInstant) {
    system(&phone, .ended, now: now)
  }

  // MARK: - The world

  // Events such as a movement, a failing carrier, or an opened app are hashed into the world
  // digest, and do not depend on tracker or server.

  mutating func segmentEnded(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    let next = context.segment(of: phone.id, cohort: Int(phone.cohort), at: phone.segment.end)
    enterSegment(&phone, next, now: now)
  }

  mutating func enterSegment(_ phone: inout Device, _ segment: Segment, now: SimInstant) {
    let cohort = Int(phone.cohort)
    let link = context.people[cohort].link(of: segment, phone: phone.id, phone.traits)
    let wifi = link.contains(.wifi)
    trace(phone.id, at: now, .truth(segment, wifi: wifi))
    let target = context.projection(of: phone)
      .coordinate(of: segment.position(at: segment.end))
    phone.world.combine(
      2, segment.end,
      UInt64(UInt32(bitPattern: target.latitudeE6)) << 32
        | UInt64(UInt32(bitPattern: target.longitudeE6)) ^ (wifi ? 1 : 0))
    system(&phone, .entered(segment, link), now: now)
    // Without a SIM Wi-Fi is the only data path.
    if phone.traits.contains(.withoutSIM) { reconnect(&phone, now: now) }
  }

  mutating func airplaneEdge(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    var window = phone.airplane
    if window.isOver(at: now) {
      window = context.people[Int(phone.cohort)].airplane(
        endingAfter: now, phone: phone.id, clock: context.clock)
    }
    edge(of: window, .airplane, 7, &phone, .airplane(window), now: now)
  }

  mutating func offlineEdge(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    let cohort = Int(phone.cohort)
    var window = phone.offline
    let next = context.people[cohort].offline(endingAfter: now, phone: phone.id, cohort: cohort)
    // A scripted outage may begin during a random window, and a random window during an outage. The
    // next window is therefore computed again.
    if window.isOver(at: now) || next.contains(now) { window = next }
    edge(of: window, .offline, 3, &phone, .offline(window), now: now)
  }

  mutating func powerEdge(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    var window = phone.switchedOff
    if window.isOver(at: now) {
      window = context.people[Int(phone.cohort)].switchedOff(endingAfter: now, phone: phone.id)
    }
    edge(of: window, .switchedOff, 4, &phone, .switchedOff(window), now: now)
  }

  /// Begins or ends a window in which the phone is unreachable. The end delivers a waiting push.
  private mutating func edge(
    of window: Window, _ edge: TraceEvent.Edge, _ tag: UInt8, _ phone: inout Device,
    _ event: Device.Event, now: SimInstant
  ) {
    let begins = window.contains(now)
    phone.world.combine(tag, now, begins ? 1 : 0)
    trace(phone.id, at: now, .edge(edge, begins: begins))
    system(&phone, event, now: now)
    if !begins { reconnect(&phone, now: now) }
  }

  /// Force-quits the app if it is in the app switcher (LC12).
  mutating func swipe(_ phone: inout Device, now: SimInstant) {
    phone.due[.swipe] = .distantFuture
    phone.world.combine(5, now, 1)
    guard phone.process.state != .foreground, phone.process.canBeSwiped,
      !phone.process.isForceQuit, !phone.isOff(at: now)
    else { return }
    account(&phone, upTo: now)
    trace(phone.id, at: now, .edge(.forceQuit, begins: true))
    system(&phone, .swipedAway, now: now)
  }

  mutating func armSwipe(_ phone: inout Device, afterLeavingAt now: SimInstant) {
    phone.due[.swipe] =
      context.people[Int(phone.cohort)].swipe(afterLeavingAt: now, phone: phone.id)
      ?? .distantFuture
  }

  /// Opens the app for its owner, which ends a force-quit (LC11).
  mutating func lookAtApp(_ phone: inout Device, now: SimInstant) {
    if phone.isRemoved { return }
    trace(phone.id, at: now, .edge(.lookedAt, begins: true))
    // Opening the app releases an upload that waits at the system's discretion, so a silence from
    // now on has another cause.
    let isQueued = phone.transfer.stage == .queued
    if isQueued || phone.process.isForceQuit { account(&phone, upTo: now) }
    if phone.process.isForceQuit { trace(phone.id, at: now, .edge(.forceQuit, begins: false)) }
    system(&phone, .opened, now: now)
  }

  mutating func lookAway(_ phone: inout Device, now: SimInstant) {
    guard phone.process.state == .foreground else { return }
    trace(phone.id, at: now, .edge(.lookedAt, begins: false))
    system(&phone, .left, now: now)
  }

  private func session(_ phone: inout Device, endingAfter now: SimInstant) -> Window {
    context.people[Int(phone.cohort)].session(
      endingAfter: now, phone: phone.id, phone.traits, clock: context.clock)
  }

  mutating func nextSession(_ phone: inout Device, after now: SimInstant) {
    var next = session(&phone, endingAfter: now)
    // A session that began before the phone's history is skipped.
    if next.start < now { next = session(&phone, endingAfter: next.end) }
    phone.session = next
    phone.due[.session] = next.start
  }

  mutating func sessionEdge(_ phone: inout Device, now: SimInstant) {
    let window = phone.session
    phone.world.combine(6, now, window.contains(now) ? 1 : 0)
    if window.contains(now) {
      phone.due[.session] = window.end
      // A phone that is off is not in use.
      if !phone.isOff(at: now) { lookAtApp(&phone, now: now) }
    } else {
      // BR2: the system foresees the next session when the app leaves the foreground.
      let next = session(&phone, endingAfter: now)
      phone.session = next
      phone.due[.session] = next.start
      lookAway(&phone, now: now)
      armSwipe(&phone, afterLeavingAt: now)
    }
  }
}

extension Window {
  fileprivate func isOver(at now: SimInstant) -> Bool { end <= now || self == .never }
}
