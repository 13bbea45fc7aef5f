internal import Measure
internal import Phone
internal import PushService
internal import Scenarios
package import SimulationCore
internal import Telemetry

/// A silent push, from the server's request over the provider to the phone, and to the fix that
/// answers it. What the phone does with it: `Shard+PushGates.swift`.
///
/// Every push ends in exactly one outcome, charged to the first gate that stopped it.
extension Shard {
  /// The server's request reaches the provider.
  mutating func receivePush(_ i: Int, _ push: SilentPush, now: SimInstant) {
    account(i, upTo: now)
    if !tallies.isEmpty { tallies[i].pushes += 1 }
    let decision = context.provider.send(
      push, context.scenario.push.request, to: reach(i, now: now), slot: &phones[i].provider,
      at: now)
    pushStatuses.append((push.id, decision.status))
    // One that goes no further leaves the push before it where it is.
    switch decision {
    case .rejected: return turnAway(i, push, .rejected, now: now)
    case .unregistered: return turnAway(i, push, .unregistered, now: now)
    case .undelivered(let gone, let displaced):
      if displaced?.id == phones[i].openPush.id { stored(i, endedAs: .expired, now: now) }
      return turnAway(i, push, WakeOutcome(gone.ending), now: now)
    case .deliver, .stored: break
    }
    closeOpenPush(i, displacedBy: decision, now: now)
    trace(i, at: now, .pushRequested)
    phones[i].openPush = OpenPush(
      id: push.id, requestedAt: push.requestedAt, stage: .inTransit,
      wasGated: phones[i].openPush.wasGated)
    switch decision {
    case .deliver(let at):
      phones[i].due[.push] = max(at + groupingWait(i, push.id, at: at), now)
    case .stored:
      phones[i].openPush.stage = .stored
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
      if id == phones[i].openPush.id { phones[i].openPush.stage = .inTransit }
      phones[i].due[.push] = at
    case .expired(let gone):
      if gone.id == phones[i].openPush.id { stored(i, endedAs: .expired, now: now) }
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
    let isOpen = phones[i].openPush.stage == .inTransit
    if let gate = storageGate(i, now: now) {
      // One from before the measured time is nobody's, and is let go.
      if isOpen { takeBack(i, gate, now: now) }
      return
    }
    if isOpen, phones[i].held.time > phones[i].openPush.requestedAt { end(i, .raced, now: now) }
    meetGates(i, now: now)
  }

  private mutating func takeBack(_ i: Int, _ gate: StorageGate, now: SimInstant) {
    let decision = context.provider.takeBack(
      phones[i].openPush.id, from: phones[i].id, gate: gate, slot: &phones[i].provider, at: now)
    switch decision {
    case .stored:
      phones[i].openPush.stage = .stored
      armPushGate(i, now: now)
    case .undelivered(let gone, displaced: _): end(i, WakeOutcome(gone.ending), now: now)
    case .rejected, .unregistered, .deliver:
      preconditionFailure("a push that was accepted can only be stored or end, not \(decision)")
    }
  }

  // MARK: What the push's wake came to

  /// A fix was kept: it may be the one that the open push was sent for.
  mutating func pushFixTaken(_ i: Int, _ fix: Fix) {
    guard phones[i].openPush.stage == .woken,
      fix.time.instant >= phones[i].openPush.requestedAt,
      Double(fix.accuracyMeters) <= context.scenario.push.accuracyLimit.meters
    else { return }
    phones[i].openPush.stage = .fixTaken
    phones[i].openPush.fixTime = fix.time
  }

  /// The app that a push woke runs no longer.
  mutating func pushWakeEnded(_ i: Int, crashed: Bool, now: SimInstant) {
    guard phones[i].openPush.stage == .woken else { return }
    end(i, crashed ? .appCrashed : .noFix, now: now)
  }

  /// The collector holds a newer fix: was it the answer?
  mutating func pushReported(_ i: Int, now: SimInstant) {
    phones[i].openPush.wasGated = false
    guard phones[i].openPush.stage == .fixTaken,
      FixTime(phones[i].held.time) >= phones[i].openPush.fixTime
    else { return }
    let inTime = now <= phones[i].openPush.requestedAt + context.scenario.push.within
    // What a gate had held it for does not matter any more: it brought its fix all the same.
    phones[i].openPush.stoppedBy = .open
    end(i, inTime ? .caused : .late, now: now, causedAt: now)
  }

  // MARK: Endings

  /// A newer push is on its way, or stored, while one is open.
  private mutating func closeOpenPush(
    _ i: Int, displacedBy decision: PushDecision, now: SimInstant
  ) {
    switch phones[i].openPush.stage {
    case .none: break
    // The provider groups pushes: the newer one has taken its place.
    case .inTransit: end(i, .overwritten, now: now)
    case .stored:
      var ending = UndeliveredPush.Ending.overwritten
      if case .stored(let displaced?) = decision { ending = displaced.ending }
      end(i, WakeOutcome(ending), now: now)
    case .held, .woken: end(i, .noFix, now: now)
    case .fixTaken: end(i, .uploadFailed, now: now)
    }
  }

  private mutating func stored(_ i: Int, endedAs outcome: WakeOutcome, now: SimInstant) {
    if phones[i].openPush.stage == .stored { end(i, outcome, now: now) }
  }

  /// A push that has ended at the provider as soon as it was asked for.
  private mutating func turnAway(
    _ i: Int, _ push: SilentPush, _ outcome: WakeOutcome, now: SimInstant
  ) {
    trace(i, at: now, .pushRequested)
    trace(i, at: now, .pushEnded(outcome))
    pushEndings.append(
      PushEnding(
        id: push.id, phone: phones[i].id, requestedAt: push.requestedAt, outcome: outcome))
  }

  /// The open push ends: as said, or at the gate that had stopped it first.
  mutating func end(
    _ i: Int, _ last: WakeOutcome, now: SimInstant, causedAt: SimInstant = .distantFuture
  ) {
    guard phones[i].openPush.stage != .none else { return }
    let outcome = WakeOutcome(phones[i].openPush.stoppedBy) ?? last
    trace(i, at: now, .pushEnded(outcome))
    phones[i].openPush.stage = .none
    phones[i].openPush.stoppedBy = .open
    pushEndings.append(
      PushEnding(
        id: phones[i].openPush.id, phone: phones[i].id,
        requestedAt: phones[i].openPush.requestedAt, outcome: outcome, causedAt: causedAt))
  }

  /// Gives every open push its outcome at the end of a run.
  package mutating func closePushes(at now: SimInstant) {
    let lastEligible = now - context.scenario.push.within
    for i in 0..<count {
      if let gone = phones[i].provider.expire(at: now), gone.id == phones[i].openPush.id {
        stored(i, endedAs: .expired, now: now)
      }
      if phones[i].openPush.requestedAt > lastEligible {
        phones[i].openPush.stoppedBy = .open
        end(i, .pending, now: now)
      }
      switch phones[i].openPush.stage {
      case .none: break
      // Whatever it may cause now comes after W.
      case .inTransit: end(i, .late, now: now)
      case .stored: end(i, WakeOutcome(phones[i].provider.storedFor ?? .offline), now: now)
      case .held, .woken: end(i, .noFix, now: now)
      case .fixTaken: end(i, .uploadFailed, now: now)
      }
    }
  }
}

extension WakeOutcome {
  /// nil: nothing stopped it.
  init?(_ gate: PushGate) {
    switch gate {
    case .open: return nil
    case .forceQuit: self = .forceQuit
    case .lowPower: self = .lowPower
    case .refreshOff: self = .refreshOff
    case .throttled: self = .throttled
    }
  }

  fileprivate init(_ ending: UndeliveredPush.Ending) {
    switch ending {
    case .overwritten: self = .overwritten
    case .expired: self = .expired
    }
  }

  /// What is still stored when the run is over is charged to what kept it.
  fileprivate init(_ gate: StorageGate) {
    switch gate {
    case .switchedOff: self = .switchedOff
    case .offline: self = .offline
    case .restricted: self = .lowPower
    }
  }
}
