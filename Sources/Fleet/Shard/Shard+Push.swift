internal import Measure
internal import Phone
internal import PushService
internal import Scenarios
package import SimulationCore
internal import Telemetry

/// Performs what a silent push brings about: asks the provider, keeps its instants on the calendar,
/// tells the push's `PushDelivery` how it went, and writes down what it ends as. Asks
/// the phone's gates, which let it wake the app, hold it, or throw it away.
extension Shard {
  /// The server's request reaches the provider.
  mutating func receivePush(_ i: Int, _ push: SilentPush, now: SimInstant) {
    account(i, upTo: now)
    tallies.notePush(i)
    let decision = context.provider.send(
      push, context.scenario.push.request, to: reach(i, now: now), slot: &phones[i].provider,
      at: now)
    pushStatuses.append((push.id, decision.status))
    if let displaced = decision.displaced { advancePush(i, .undelivered(displaced), now: now) }
    // One that goes no further leaves the push before it where it is.
    if let ending = PushDelivery.turnedAway(push, decision) {
      trace(i, at: now, .pushRequested)
      return noteEnding(i, ending, now: now)
    }
    advancePush(i, .requested(push), now: now)
    trace(i, at: now, .pushRequested)
    switch decision {
    case .deliver(let at):
      phones[i].due[.push] = max(at + groupingWait(i, push.id, at: at), now)
    case .stored:
      advancePush(i, .stored, now: now)
      phones[i].due[.push] = .distantFuture
      armPushGate(i, now: now)
    case .rejected, .unregistered, .undelivered: break
    }
  }

  /// How the provider sees the phone.
  private func reach(_ i: Int, now: SimInstant) -> DeviceReach {
    let isKnown =
      switch context.scenario.push.request.kind {
      case .background, .alert: true
      case .location: context.os(Int(phones[i].cohort)).hasLocationPushExtension
      }
    return DeviceReach(
      isConnected: !phones[i].isCutOff(at: now),
      isSwitchedOff: phones[i].switchedOff.contains(now),
      isRestricted: restrictedUntil(i, now: now) != nil,
      hasValidToken: phones[i].tokenIsValid && isKnown
        && !context.people[Int(phones[i].cohort)].tokenIsStale(at: now, phone: phones[i].id))
  }

  private func groupingWait(_ i: Int, _ id: UInt64, at t: SimInstant) -> SimDuration {
    PushGrouping.wait(
      id, phone: phones[i].id.rawValue, seed: context.scenario.seed,
      priority: context.scenario.push.request.priority,
      isForeground: phones[i].process.state == .foreground,
      isCharging: context.people[Int(phones[i].cohort)].isCharging(
        at: t, phone: phones[i].id, clock: context.scenario.clock),
      context.scenario.push.phone)
  }

  /// The data path is back, the phone is on again or saves power no longer: what was stored comes.
  mutating func reconnect(_ i: Int, now: SimInstant) {
    guard phones[i].provider.stored != nil else { return }
    if let gate = storageGate(i, now: now) {
      if gate == .restricted { armPushGate(i, now: now) }
      return
    }
    account(i, upTo: now)
    switch context.provider.reconnect(phones[i].id, slot: &phones[i].provider, at: now) {
    case .nothing:
      break
    case .deliver(let id, let at):
      advancePush(i, .reconnected(id: id), now: now)
      phones[i].due[.push] = at
    case .expired(let gone):
      advancePush(i, .undelivered(gone), now: now)
    }
  }

  /// What keeps a push at the provider now; nil: nothing.
  private func storageGate(_ i: Int, now: SimInstant) -> StorageGate? {
    if phones[i].switchedOff.contains(now) { return .switchedOff }
    if phones[i].isCutOff(at: now) { return .offline }
    return restrictedUntil(i, now: now) == nil ? nil : .restricted
  }

  /// Until when the provider keeps pushes of this priority for later; nil: it does not.
  func restrictedUntil(_ i: Int, now: SimInstant) -> SimInstant? {
    guard context.scenario.push.request.priority < 10 else { return nil }
    return context.people[Int(phones[i].cohort)].restrictedUntil(
      now, phone: phones[i].id, clock: context.scenario.clock)
  }

  /// The push is there: the provider takes it back, or the phone's gates decide.
  mutating func pushArrived(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    if let gate = storageGate(i, now: now) {
      // One from before the measured time is nobody's, and is let go.
      if phones[i].delivery.stage == .inTransit { takeBack(i, gate, now: now) }
      return
    }
    advancePush(i, .arrived(lastReport: phones[i].stored.time), now: now)
    meetGates(i, now: now)
  }

  private mutating func takeBack(_ i: Int, _ gate: StorageGate, now: SimInstant) {
    let decision = context.provider.takeBack(
      phones[i].delivery.id, from: phones[i].id, gate: gate, slot: &phones[i].provider, at: now)
    switch decision {
    case .stored:
      advancePush(i, .stored, now: now)
      armPushGate(i, now: now)
    case .undelivered(let gone, displaced: _): advancePush(i, .undelivered(gone), now: now)
    case .rejected, .unregistered, .deliver:
      preconditionFailure("a push that was accepted can only be stored or end, not \(decision)")
    }
  }

  // MARK: What the push's wake came to

  /// A fix was kept: it may be the one that the open push was sent for.
  mutating func pushFixTaken(_ i: Int, _ fix: Fix, now: SimInstant) {
    // Asked for every fix that is kept, and few are kept while a push waits for one.
    guard phones[i].delivery.stage == .woken,
      Double(fix.accuracyMeters) <= context.scenario.push.terms.accuracyLimit.meters
    else { return }
    advancePush(i, .fixTaken(fix.time), now: now)
  }

  /// The app that a push woke runs no longer.
  mutating func pushWakeEnded(_ i: Int, crashed: Bool, now: SimInstant) {
    advancePush(i, .wakeEnded(crashed: crashed), now: now)
  }

  /// The collector holds a newer fix: was it the answer?
  mutating func pushReported(_ i: Int, now: SimInstant) {
    phones[i].pushes.wasGated = false
    advancePush(
      i,
      .reported(newest: phones[i].stored.time, at: now, within: context.scenario.push.terms.within),
      now: now)
  }

  // MARK: Endings

  /// Tells the open push what happened to it.
  mutating func advancePush(_ i: Int, _ event: PushDelivery.Event, now: SimInstant) {
    guard let ending = phones[i].delivery.handle(event, of: phones[i].id) else { return }
    noteEnding(i, ending, now: now)
  }

  private mutating func noteEnding(_ i: Int, _ ending: PushEnding, now: SimInstant) {
    trace(i, at: now, .pushEnded(ending.outcome))
    pushEndings.append(ending)
  }

  /// Gives every open push its outcome at the end of a run.
  package mutating func closePushes(at now: SimInstant) {
    let within = context.scenario.push.terms.within
    for i in 0..<count {
      if let gone = phones[i].provider.expire(at: now) {
        advancePush(i, .undelivered(gone), now: now)
      }
      let gate = phones[i].provider.storedFor
      advancePush(i, .closed(at: now, within: within, storedFor: gate), now: now)
    }
  }

  // MARK: - The phone's gates (rule book 2.2 and section 5)

  /// A push that has reached its phone.
  mutating func meetGates(_ i: Int, now: SimInstant) {
    let gate = pushGate(i, now: now)
    guard let outcome = WakeOutcome(gate) else {
      phones[i].pushes.wasGated = false
      return runForPush(i, now: now)
    }
    phones[i].pushes.wasGated = true
    guard holds(gate) else { return advancePush(i, .stopped(by: outcome), now: now) }
    // One is held, and the newest wins: what was held before has ended already.
    phones[i].pushes.deferredBy = gate
    advancePush(i, .deferred(by: outcome), now: now)
    armPushGate(i, now: now)
  }

  private func holds(_ gate: PushGate) -> Bool {
    switch (context.scenario.push.request.kind, gate) {
    case (.location, _), (_, .forceQuit), (_, .open): false
    case (.background, _), (.alert, _): context.scenario.push.phone.holds
    }
  }

  private var mayWake: Bool { context.scenario.push.request.priority > 1 }

  /// The first closed gate. An open one has taken what it costs.
  private mutating func pushGate(_ i: Int, now: SimInstant) -> PushGate {
    switch context.scenario.push.request.kind {
    case .background, .alert: return appGate(i, now: now)
    case .location: return extensionGate(i, now: now)
    }
  }

  private mutating func appGate(_ i: Int, now: SimInstant) -> PushGate {
    let habits = context.habits(Int(phones[i].cohort))
    let clock = context.scenario.clock
    let id = phones[i].id
    var situation = PushSituation()
    situation.isForceQuit = phones[i].process.isForceQuit
    situation.isForeground = phones[i].process.state == .foreground
    situation.lowPower = !mayWake || habits.lowPower(at: now, phone: id, clock: clock)
    situation.refreshOff = phones[i].refreshIsOff
    situation.isUnopened = phones[i].traits.contains(.unopened)
    return PushGate.decide(situation) {
      phones[i].pushes.budget.take(
        now: now, day: habits.pushDay(at: now, phone: id, clock: clock).number,
        context.scenario.push.phone
      ) { habits.refillPace(at: $0, phone: id, clock: clock, context.scenario.push.phone) }
    }
  }

  /// The location push extension asks for nothing but its own budget: neither force-quit nor
  /// Background App Refresh nor Low Power Mode keeps it from running (rule book, section 5).
  private mutating func extensionGate(_ i: Int, now: SimInstant) -> PushGate {
    let isForeground = phones[i].process.state == .foreground
    if !mayWake && !isForeground { return .lowPower }
    let granted = phones[i].pushes.budget.take(
      now: now, capacity: context.scenario.push.phone.extensionCapacity,
      refillPerHour: context.scenario.push.phone.extensionRefillPerHour)
    return granted ? .open : .throttled
  }

  // MARK: Runs

  private mutating func runForPush(_ i: Int, now: SimInstant) {
    if phones[i].authorization != .always { advancePush(i, .noPermission, now: now) }
    // It finds its app in the foreground, or not at all: it has woken nobody.
    if !mayWake { advancePush(i, .stopped(by: .lowPower), now: now) }
    let isExtension = context.scenario.push.request.kind == .location
    if isExtension, phones[i].authorization != .always { return }
    beginPushRun(i, now: now)
    guard wake(i, .push, now: now, asExtension: isExtension) else {
      phones[i].pushes.runsSince = .distantFuture
      let isOff = phones[i].switchedOff.contains(now)
      return advancePush(i, .wakeFailed(isSwitchedOff: isOff), now: now)
    }
    advancePush(i, .woke, now: now)
    notify(i, .silentPush(cached: phones[i].lastKnown), now: now)
    // With the service on already, the next fix answers the push: it is looked at when it comes.
    if phones[i].standard.isOn {
      phones[i].due[.standard] = max(phones[i].standard.firstFixAt, now + StandardService.interval)
    }
  }

  /// An app that runs already does not run for the push.
  private mutating func beginPushRun(_ i: Int, now: SimInstant) {
    switch phones[i].process.state {
    case .foreground, .background: return
    case .suspended, .notRunning: break
    }
    phones[i].pushes.beginRun(now: now)
  }

  /// How long an app may run for a push with nothing else to keep it running.
  func pushRunLimit(_ i: Int) -> SimInstant {
    guard phones[i].pushes.runsSince < .distantFuture, phones[i].process.state == .background
    else { return .distantFuture }
    return phones[i].pushes.runsSince + context.scenario.push.phone.runTime
  }

  /// It runs no longer, or for another reason: the day's budget is charged, and a heavy run is
  /// remembered.
  mutating func pushRunEnded(_ i: Int, now: SimInstant) {
    guard let run = phones[i].pushes.endRun(now: now), isChargedForPushes else { return }
    phones[i].pushes.budget.charge(
      run: run, satellites: phones[i].pushes.usedSatellites, day: pushDay(i, now: now).number,
      context.scenario.push.phone)
  }

  /// What the app sends while it runs for a push.
  mutating func chargePushData(_ i: Int, bytes: Int, now: SimInstant) {
    guard phones[i].pushes.runsSince < .distantFuture, isChargedForPushes else { return }
    phones[i].pushes.budget.charge(bytes: bytes, day: pushDay(i, now: now).number)
  }

  /// The extension has a budget of its own, and nothing else counts against it.
  private var isChargedForPushes: Bool { context.scenario.push.request.kind != .location }

  private func pushDay(_ i: Int, now: SimInstant) -> (number: Int32, ends: SimInstant) {
    context.people[Int(phones[i].cohort)].pushDay(
      at: now, phone: phones[i].id, clock: context.scenario.clock)
  }

  // MARK: The held push

  /// A gate that keeps a push, at the provider or on the phone, may be open now.
  mutating func pushGateEdge(_ i: Int, now: SimInstant) {
    reconnect(i, now: now)
    releaseDeferredPush(i, now: now)
    armPushGate(i, now: now)
  }

  private mutating func releaseDeferredPush(_ i: Int, now: SimInstant) {
    guard phones[i].pushes.deferredBy != .open, !phones[i].switchedOff.contains(now) else { return }
    let gate = pushGate(i, now: now)
    guard gate == .open else {
      phones[i].pushes.deferredBy = gate
      return
    }
    phones[i].pushes.deferredBy = .open
    account(i, upTo: now)
    phones[i].pushes.wasGated = false
    advancePush(i, .released(lastReport: phones[i].stored.time), now: now)
    runForPush(i, now: now)
  }

  /// The user opens the app: what was held comes at once, charged to what had held it.
  mutating func deliverDeferredPush(_ i: Int, now: SimInstant) {
    guard phones[i].pushes.deferredBy != .open else { return }
    dropDeferred(i, now: now)
    notify(i, .silentPush(cached: phones[i].lastKnown), now: now)
  }

  /// A force-quit throws it away.
  mutating func discardDeferredPush(_ i: Int, now: SimInstant) {
    guard phones[i].pushes.deferredBy != .open else { return }
    dropDeferred(i, now: now)
  }

  private mutating func dropDeferred(_ i: Int, now: SimInstant) {
    phones[i].pushes.deferredBy = .open
    advancePush(i, .discarded, now: now)
    armPushGate(i, now: now)
  }

  /// When a gate that keeps a push may open by itself.
  mutating func armPushGate(_ i: Int, now: SimInstant) {
    var next = SimInstant.distantFuture
    if phones[i].provider.stored != nil, let end = restrictedUntil(i, now: now) { next = end }
    next = min(next, deferredUntil(i, now: now))
    phones[i].due[.pushGate] = next < .distantFuture ? max(next, now + .milliseconds(1)) : next
  }

  /// When the held push may go on without its user; `distantFuture`: never.
  private func deferredUntil(_ i: Int, now: SimInstant) -> SimInstant {
    guard mayWake else { return .distantFuture }
    let habits = context.habits(Int(phones[i].cohort))
    let clock = context.scenario.clock
    let id = phones[i].id
    let opens: SimInstant
    switch phones[i].pushes.deferredBy {
    case .open, .forceQuit, .refreshOff: return .distantFuture
    case .lowPower: opens = habits.lowPowerEnds(at: now, phone: id, clock: clock) ?? now
    case .throttled:
      guard !phones[i].traits.contains(.unopened) else { return .distantFuture }
      let grant = phones[i].pushes.budget.nextGrant(after: now, context.scenario.push.phone) {
        habits.refillPace(at: $0, phone: id, clock: clock, context.scenario.push.phone)
      }
      let day = habits.pushDay(at: now, phone: id, clock: clock)
      let isUsedUp = phones[i].pushes.budget.isUsedUp(day.number, context.scenario.push.phone)
      opens = isUsedUp ? max(grant, day.ends) : grant
    }
    let isOff = phones[i].switchedOff.contains(now)
    return isOff ? max(opens, phones[i].switchedOff.end) : opens
  }
}

extension WakeOutcome {
  /// What a push that this gate stops is charged to; nil: the gate is open.
  init?(_ gate: PushGate) {
    switch gate {
    case .open: return nil
    case .forceQuit: self = .forceQuit
    case .lowPower: self = .lowPower
    case .refreshOff: self = .refreshOff
    case .throttled: self = .throttled
    }
  }
}
