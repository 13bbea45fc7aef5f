internal import Measure
internal import Phone
internal import PushService
internal import Scenarios
package import SimulationCore
internal import Telemetry

/// Performs what a silent push brings about: asks the provider, keeps its instants on the calendar,
/// tells the push's `PushDelivery` how it went, and writes down what it ends as. What the phone
/// does with it: `Shard+PushGates.swift`.
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
        && !context.habits(Int(phones[i].cohort)).tokenIsStale(at: now, phone: phones[i].id))
  }

  private func groupingWait(_ i: Int, _ id: UInt64, at t: SimInstant) -> SimDuration {
    PushGrouping.wait(
      id, phone: phones[i].id.rawValue, seed: context.scenario.seed,
      priority: context.scenario.push.request.priority,
      isForeground: phones[i].process.state == .foreground,
      isCharging: context.habits(Int(phones[i].cohort)).isCharging(
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
    return context.habits(Int(phones[i].cohort)).restrictedUntil(
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
    advancePush(i, .arrived(lastReport: phones[i].held.time), now: now)
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
      Double(fix.accuracyMeters) <= context.scenario.push.accuracyLimit.meters
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
      .reported(newest: phones[i].held.time, at: now, within: context.scenario.push.within),
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
    let within = context.scenario.push.within
    for i in 0..<count {
      if let gone = phones[i].provider.expire(at: now) {
        advancePush(i, .undelivered(gone), now: now)
      }
      let gate = phones[i].provider.storedFor
      advancePush(i, .closed(at: now, within: within, storedFor: gate), now: now)
    }
  }
}
