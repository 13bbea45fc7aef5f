internal import Scenarios
internal import Mobility
internal import Phone
internal import SimulationCore
internal import Telemetry

/// What the world does to a phone: its person moves, its carrier fails, its owner opens the app.
///
/// All of it is hashed into the world digest; none of it depends on tracker or server.
extension Shard {
  mutating func segmentEnded(_ i: Int, now: SimInstant) {
    let cohort = Int(phones[i].cohort)
    account(i, upTo: now)
    if phones[i].services.significantChangeIsOn { closeEnergy(i, upTo: now) }
    let next = context.segment(of: phones[i].id, cohort: cohort, at: phones[i].segment.end)
    enterSegment(i, next, now: now)
  }

  mutating func enterSegment(_ i: Int, _ segment: Segment, now: SimInstant) {
    let wasMoving = phones[i].segment.isMoving
    phones[i].segment = segment
    phones[i].isOnWifi = context.habits(Int(phones[i].cohort)).isOnWifi(
      segmentStart: segment.start, moving: segment.isMoving, phone: phones[i].id)
    trace(i, at: now, .truth(segment, wifi: phones[i].isOnWifi))
    if wasMoving { phones[i].services.toldArrival = .distantFuture }
    phones[i].services.missedArrival = false
    let target = fixMaker(i).projection.coordinate(of: segment.position(at: segment.end))
    phones[i].world.combine(
      2, segment.end,
      UInt64(UInt32(bitPattern: target.latitudeE6)) << 32
        | UInt64(UInt32(bitPattern: target.longitudeE6)) ^ (phones[i].isOnWifi ? 1 : 0))
    phones[i].due[.segment] = segment.end
    carryServices(i, now: now)
    carryStandard(i, now: now)
    armMotion(i, from: now)
    // NO5: without a SIM the way out is Wi-Fi alone.
    if phones[i].traits.contains(.withoutSIM) { reconnect(i, now: now) }
  }

  /// NO4: in airplane mode satellites are all that is left.
  mutating func airplaneEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    if phones[i].airplane.end <= now || phones[i].airplane == .never {
      phones[i].airplane = context.habits(Int(phones[i].cohort)).airplane(
        endingAfter: now, phone: phones[i].id, clock: context.scenario.clock)
    }
    let window = phones[i].airplane
    phones[i].world.combine(7, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.airplane, begins: window.contains(now)))
    phones[i].due[.airplaneEdge] = window.contains(now) ? window.end : window.start
    armServices(i, now: now)
    if !window.contains(now) { reconnect(i, now: now) }
  }

  /// The data path is lost or comes back; a push that waited is delivered then.
  mutating func offlineEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    let cohort = Int(phones[i].cohort)
    if phones[i].offline.end <= now || phones[i].offline == .never {
      phones[i].offline = context.habits(Int(phones[i].cohort)).offline(
        endingAfter: now, phone: phones[i].id, cohort: cohort)
    } else {
      // A scripted outage may begin while a chance window lasts, and the reverse: look again.
      let next = context.habits(Int(phones[i].cohort)).offline(
        endingAfter: now, phone: phones[i].id, cohort: cohort)
      if next.contains(now) { phones[i].offline = next }
    }
    phones[i].world.combine(3, now, phones[i].offline.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.offline, begins: phones[i].offline.contains(now)))
    let window = phones[i].offline
    phones[i].due[.offlineEdge] = window.contains(now) ? window.end : window.start
    if !window.contains(now) { reconnect(i, now: now) }
  }

  mutating func powerEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    if phones[i].switchedOff.end <= now || phones[i].switchedOff == .never {
      phones[i].switchedOff = context.habits(Int(phones[i].cohort)).switchedOff(
        endingAfter: now, phone: phones[i].id)
    }
    let window = phones[i].switchedOff
    phones[i].world.combine(4, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.switchedOff, begins: window.contains(now)))
    if window.contains(now) {
      phones[i].due[.powerEdge] = window.end
      die(i, now: now)
      armServices(i, now: now)
    } else {
      phones[i].due[.powerEdge] = window.start
      armServices(i, now: now)
      reconnect(i, now: now)
    }
  }

  /// The owner swipes the app away, or opens it again (LC10, LC11).
  mutating func forceQuitEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    if phones[i].forceQuit.end <= now || phones[i].forceQuit == .never {
      let ended = phones[i].forceQuit.end <= now
      phones[i].forceQuit = context.habits(Int(phones[i].cohort)).forceQuit(
        endingAfter: now, phone: phones[i].id)
      if ended { reopened(i, now: now) }
    }
    let window = phones[i].forceQuit
    phones[i].world.combine(5, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.forceQuit, begins: window.contains(now)))
    phones[i].due[.forceQuitEdge] = window.contains(now) ? window.end : window.start
    if window.contains(now) { forceQuit(i, now: now) }
  }

  mutating func forceQuit(_ i: Int, now: SimInstant) {
    // LC12: who was launched in the background is not there to be swiped away.
    guard phones[i].process.canBeSwiped else { return }
    phones[i].process.isForceQuit = true
    discardHeldPush(i, now: now)
    die(i, now: now)
  }

  /// A short look after a force-quit: the app is launched by its user and left again.
  private mutating func reopened(_ i: Int, now: SimInstant) {
    guard phones[i].process.isForceQuit else { return }
    phones[i].process.isForceQuit = false
    guard !phones[i].switchedOff.contains(now), phones[i].process.state != .foreground else {
      return
    }
    openApp(i, now: now)
    leaveApp(i, now: now)
  }

  mutating func nextSession(_ i: Int, after now: SimInstant) {
    phones[i].session = context.habits(Int(phones[i].cohort)).session(
      endingAfter: now, phone: phones[i].id, clock: context.scenario.clock)
    // A session that runs already when the phone's life begins is left out.
    if phones[i].session.start < now {
      phones[i].session = context.habits(Int(phones[i].cohort)).session(
        endingAfter: phones[i].session.end, phone: phones[i].id, clock: context.scenario.clock)
    }
    phones[i].due[.session] = phones[i].session.start
  }

  /// The owner opens the app, or leaves it.
  mutating func sessionEdge(_ i: Int, now: SimInstant) {
    let window = phones[i].session
    phones[i].world.combine(6, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.lookedAt, begins: window.contains(now)))
    if window.contains(now) {
      phones[i].due[.session] = window.end
      // While the app is force-quit its owner does not use it; a phone that is off neither.
      if phones[i].switchedOff.contains(now) || phones[i].process.isForceQuit { return }
      openApp(i, now: now)
    } else {
      if phones[i].process.state == .foreground { leaveApp(i, now: now) }
      phones[i].session = context.habits(Int(phones[i].cohort)).session(
        endingAfter: now, phone: phones[i].id, clock: context.scenario.clock)
      phones[i].due[.session] = phones[i].session.start
    }
  }
}
