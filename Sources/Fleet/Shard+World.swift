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
    account(i, upTo: now)
    let next = context.segment(
      of: phones[i].id, cohort: Int(phones[i].cohort), at: phones[i].os.segment.end)
    enterSegment(i, next, now: now)
  }

  mutating func enterSegment(_ i: Int, _ segment: Segment, now: SimInstant) {
    let cohort = Int(phones[i].cohort)
    let wifi = context.habits(cohort).isOnWifi(
      segmentStart: segment.start, moving: segment.isMoving, phone: phones[i].id)
    trace(i, at: now, .truth(segment, wifi: wifi))
    let target = context.projection(of: phones[i].id, cohort: cohort)
      .coordinate(of: segment.position(at: segment.end))
    phones[i].world.combine(
      2, segment.end,
      UInt64(UInt32(bitPattern: target.latitudeE6)) << 32
        | UInt64(UInt32(bitPattern: target.longitudeE6)) ^ (wifi ? 1 : 0))
    system(i, .entered(segment, wifi: wifi), now: now)
    // Without a SIM the way out is Wi-Fi alone.
    if phones[i].traits.contains(.withoutSIM) { reconnect(i, now: now) }
  }

  mutating func airplaneEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    var window = phones[i].os.airplane
    if window.end <= now || window == .never {
      window = context.habits(Int(phones[i].cohort)).airplane(
        endingAfter: now, phone: phones[i].id, clock: context.scenario.clock)
    }
    phones[i].world.combine(7, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.airplane, begins: window.contains(now)))
    system(i, .airplane(window), now: now)
    if !window.contains(now) { reconnect(i, now: now) }
  }

  /// The data path is lost or comes back; a push that waited is delivered then.
  mutating func offlineEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    let cohort = Int(phones[i].cohort)
    var window = phones[i].os.offline
    let next = context.habits(cohort).offline(
      endingAfter: now, phone: phones[i].id, cohort: cohort)
    // A scripted outage may begin while a chance window lasts, and the reverse: look again.
    if window.end <= now || window == .never || next.contains(now) { window = next }
    phones[i].world.combine(3, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.offline, begins: window.contains(now)))
    system(i, .offline(window), now: now)
    if !window.contains(now) { reconnect(i, now: now) }
  }

  mutating func powerEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    var window = phones[i].os.switchedOff
    if window.end <= now || window == .never {
      window = context.habits(Int(phones[i].cohort)).switchedOff(
        endingAfter: now, phone: phones[i].id)
    }
    phones[i].world.combine(4, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.switchedOff, begins: window.contains(now)))
    system(i, .switchedOff(window), now: now)
    if !window.contains(now) { reconnect(i, now: now) }
  }

  /// The owner swipes the app away, or opens it again.
  mutating func forceQuitEdge(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    var window = phones[i].os.forceQuit
    if window.end <= now || window == .never {
      let ended = window.end <= now
      window = context.habits(Int(phones[i].cohort)).forceQuit(
        endingAfter: now, phone: phones[i].id)
      phones[i].os.forceQuit = window
      if ended, phones[i].os.endForceQuit(at: now) {
        // A short look: the app is launched by its user and left again.
        openApp(i, now: now)
        leaveApp(i, now: now)
      }
    }
    phones[i].world.combine(5, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.forceQuit, begins: window.contains(now)))
    phones[i].os.due[.forceQuitEdge] = window.contains(now) ? window.end : window.start
    if window.contains(now) { forceQuit(i, now: now) }
  }

  private func session(_ i: Int, endingAfter now: SimInstant) -> Window {
    context.habits(Int(phones[i].cohort)).session(
      endingAfter: now, phone: phones[i].id, clock: context.scenario.clock)
  }

  mutating func nextSession(_ i: Int, after now: SimInstant) {
    var next = session(i, endingAfter: now)
    // A session that runs already when the phone's life begins is left out.
    if next.start < now { next = session(i, endingAfter: next.end) }
    phones[i].os.session = next
    phones[i].os.due[.session] = next.start
  }

  /// The owner opens the app, or leaves it.
  mutating func sessionEdge(_ i: Int, now: SimInstant) {
    let window = phones[i].os.session
    phones[i].world.combine(6, now, window.contains(now) ? 1 : 0)
    trace(i, at: now, .edge(.lookedAt, begins: window.contains(now)))
    if window.contains(now) {
      phones[i].os.due[.session] = window.end
      // While the app is force-quit its owner does not use it; a phone that is off neither.
      if phones[i].switchedOff.contains(now) || phones[i].process.isForceQuit { return }
      openApp(i, now: now)
    } else {
      leaveApp(i, now: now)
      let next = session(i, endingAfter: now)
      phones[i].os.session = next
      phones[i].os.due[.session] = next.start
    }
  }
}
