internal import Phone
internal import Scenarios
internal import SimulationCore
internal import Telemetry

// What brings locations, and what the app makes of them: fixes, wakes, visits, pushes.

extension TrackerStateMachine {
  mutating func standardFix(
    _ fix: Fix, _ now: SimInstant, _ context: Context, _ out: inout CommandList
  ) {
    guard !memory.isInert else { return }
    memory.isPaused = false
    let filter = filter(context)
    let isSound = filter.isSound(fix, now: now)
    let isKept = keep(fix, now, context, &out)
    if isSound {
      memory.newest = fix.coordinate
      feelMotion(fix, now, context, &out)
    }
    switch memory.standard {
    case .off, .timed: break
    // NO3: the old point that a start may bring is no first fix; a vague new one is.
    case .waiting: if now - fix.time.instant <= filter.maxAge { firstFix(now, context, &out) }
    case .asking: if isSound { endAsking(isKept: isKept, now, context, &out) }
    case .steady:
      if isSound { stretch(fix, context, &out) }
      if isKept { keptOnTheWay(now, context, &out) }
    }
  }

  /// The service stays on: a pending push's answer goes out at once, the rest when it may.
  private mutating func keptOnTheWay(
    _ now: SimInstant, _ context: Context, _ out: inout CommandList
  ) {
    if memory.pushIsPending {
      memory.pushIsPending = false
      trySend(now, context, force: true, &out)
    } else {
      sendWhenAllowed(now, context, &out)
    }
  }

  /// The one location that was asked for is there.
  private mutating func endAsking(
    isKept: Bool, _ now: SimInstant, _ context: Context, _ out: inout CommandList
  ) {
    steady(context, &out)
    if isKept { keptOnTheWay(now, context, &out) }
    release(context, &out)
  }

  /// HY3: while a burst or the foreground's service runs, what the imprecise manager brings is
  /// ignored; else it first changes the tracking, then passes the filter.
  mutating func impreciseFix(
    _ fix: Fix, _ now: SimInstant, _ context: Context, _ out: inout CommandList
  ) {
    guard !memory.isInert else { return }
    if standardIsOn && (memory.isForeground || !use(context).pattern.runsByItself) { return }
    keep(fix, now, context, &out)
    memory.newest = fix.coordinate
    woken(at: fix.coordinate, now, context, &out)
  }

  /// HY3: the position by which the system found the phone outside is an imprecise one like others.
  mutating func leftRegion(
    _ cached: Fix?, _ now: SimInstant, _ context: Context, _ out: inout CommandList
  ) {
    if let cached {
      impreciseFix(cached, now, context, &out)
    } else {
      woken(at: nil, now, context, &out)
    }
  }

  /// VI3: a visit that was told before is stored already, and only that one.
  mutating func visited(
    _ visit: Visit, _ now: SimInstant, _ context: Context, _ out: inout CommandList
  ) {
    guard !memory.isInert, visit.key != lastVisit else { return }
    lastVisit = visit.key
    if visit.hasEnded {
      impreciseFix(visit.fix, now, context, &out)
    } else {
      arrived(visit.fix, now, context, &out)
    }
  }

  /// RG4: a wake re-enables the standard service if it may run again, else renews the region.
  mutating func woken(
    at coordinate: Coordinate?, _ now: SimInstant, _ context: Context,
    _ out: inout CommandList
  ) {
    guard !memory.isInert else { return }
    holdBackgroundTask(context, &out)
    endStillRest(now, context, &out)
    if use(context).pattern.runsByItself {
      // What the system suspended or paused is asked for again; a running service takes no notice.
      resume(now, context, &out)
      keepRegion(coordinate ?? here, context, &out)
      trySend(now, context, force: false, &out)
    } else if !standardIsOn {
      startStandard(now, context, force: false, &out)
      if !standardIsOn {
        keepRegion(coordinate ?? here, context, &out)
        trySend(now, context, force: false, &out)
      }
    }
    release(context, &out)
  }

  /// SP2: a push gives time for a position and a send.
  mutating func pushed(
    _ cached: Fix?, _ now: SimInstant, _ context: Context, _ out: inout CommandList
  ) {
    holdBackgroundTask(context, &out)
    switch context.settings.onPush {
    case .nothing: break
    case .cached:
      if let cached { keep(cached, now, context, &out) }
      trySend(now, context, force: true, &out)
    case .burst:
      memory.pushIsPending = true
      switch memory.standard {
      case .off: startStandard(now, context, force: true, &out)
      case .steady: askIfFiltered(now, context, &out)
      case .waiting, .timed, .asking: break
      }
    }
    release(context, &out)
  }

  /// - Returns: whether the fix is in the outbox now.
  @discardableResult
  mutating func keep(
    _ fix: Fix, _ now: SimInstant, _ context: Context, _ out: inout CommandList
  ) -> Bool {
    // A push asks "where are you now?": what answers it is kept, moved or not.
    let answersPush = memory.pushIsPending && memory.standard != .timed
    guard
      filter(context).accepts(fix, after: lastAccepted, now: now, always: answersPush)
    else { return false }
    lastAccepted = fix
    if outboxCount >= UInt16(clamping: context.settings.outbox.capacity) {
      guard outboxCount > cutCount else { return false }
      out.append(.evictOldest(after: cutCount))
      outboxCount -= 1
    }
    out.append(.persist(fix))
    outboxCount += 1
    return true
  }

  /// Where the phone was last known to be, whether or not that was news.
  var here: Coordinate? { memory.newest ?? lastAccepted?.coordinate }

  func keepRegion(
    _ centre: Coordinate?, _ context: Context, _ out: inout CommandList
  ) {
    guard let radius = context.settings.regionRadius, let centre else { return }
    out.append(.monitorRegion(centre: centre, radius: radius))
  }
}

extension Visit {
  /// VI2, VI3: both dates. Either may be the sentinel, and `arrival || departure` would store every
  /// visit of unknown arrival under `distantPast`.
  struct Key: Equatable, Sendable, BitwiseCopyable {
    let arrival: SimInstant
    let departure: SimInstant
  }

  var key: Key { Key(arrival: arrival, departure: departure) }
}
