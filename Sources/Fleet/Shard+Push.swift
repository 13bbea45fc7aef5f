internal import Scenarios
internal import Measure
internal import Phone
internal import PushService
package import SimulationCore
internal import Telemetry

/// A silent push, from the provider to the phone's gates to the fix that answers it.
///
/// Every push ends in exactly one outcome, charged to the first gate that stopped it.
extension Shard {
  /// The server's request reaches the provider.
  mutating func receivePush(_ i: Int, _ push: SilentPush, now: SimInstant) {
    closeOpenPush(i, now: now)
    trace(i, at: now, .pushRequested)
    if !tallies.isEmpty { tallies[i].pushes += 1 }
    phones[i].openPush = OpenPush(
      id: push.id, requestedAt: push.requestedAt, stage: .inTransit,
      wasGated: phones[i].openPush.wasGated)
    let reach = DeviceReach(
      isConnected: !phones[i].isCutOff(at: now),
      isSwitchedOff: phones[i].switchedOff.contains(now),
      hasValidToken: phones[i].tokenIsValid)
    let decision = context.provider.send(push, to: reach, slot: &phones[i].provider, at: now)
    pushStatuses.append((push.id, decision.status))
    switch decision {
    case .rejected:
      end(i, .rejected, now: now)
    case .unregistered:
      end(i, .unregistered, now: now)
    case .deliver(let at):
      phones[i].due[.push] = max(at, now)
    case .stored:
      // What it displaced was ended when this push opened.
      phones[i].openPush.stage = .stored
    case .undelivered(let gone, displaced: _):
      end(i, gone.ending == .overwritten ? .overwritten : .expired, now: now)
    }
  }

  /// The data path is back, or the phone is on again: what was stored comes.
  mutating func reconnect(_ i: Int, now: SimInstant) {
    guard phones[i].provider.stored != nil, !phones[i].isCutOff(at: now),
      !phones[i].switchedOff.contains(now)
    else { return }
    switch context.provider.reconnect(phones[i].id, slot: &phones[i].provider, at: now) {
    case .nothing:
      break
    case .deliver(let id, let at):
      if id == phones[i].openPush.id { phones[i].openPush.stage = .inTransit }
      phones[i].due[.push] = at
    case .expired(let gone):
      if gone.id == phones[i].openPush.id, phones[i].openPush.stage == .stored {
        end(i, .expired, now: now)
      }
    }
  }

  /// The push is on the phone: the gates decide.
  mutating func pushArrived(_ i: Int, now: SimInstant) {
    if phones[i].isCutOff(at: now) || phones[i].switchedOff.contains(now) {
      end(i, phones[i].isCutOff(at: now) ? .offline : .switchedOff, now: now)
      return
    }
    if phones[i].openPush.stage == .inTransit, phones[i].held.time > phones[i].openPush.requestedAt
    {
      end(i, .raced, now: now)
    }
    let phone = phones[i]
    var gate = PushGate.decide(
      isForceQuit: phone.process.isForceQuit, isForeground: phone.process.state == .foreground,
      lowPower: context.habits(Int(phones[i].cohort)).lowPower(at: now, phone: phone.id),
      refreshOff: phone.refreshIsOff,
      budget: &phones[i].budget, now: now, push: context.scenario.push.phone)
    // An app that nobody has opened for a week is starved of its pushes (rule book 2.2).
    if gate == .open, phone.traits.contains(.unopened), phone.process.state != .foreground {
      gate = .throttled
    }
    switch gate {
    case .open: runForPush(i, now: now)
    case .forceQuit: end(i, .forceQuit, now: now)
    case .lowPower: end(i, .lowPower, now: now)
    case .refreshOff: end(i, .refreshOff, now: now)
    case .throttled: end(i, .throttled, now: now)
    }
    switch gate {
    case .open: phones[i].openPush.wasGated = false
    case .forceQuit, .lowPower, .refreshOff, .throttled: setGated(i, now: now)
    }
  }

  private mutating func setGated(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    phones[i].openPush.wasGated = true
  }

  private mutating func runForPush(_ i: Int, now: SimInstant) {
    if phones[i].authorization != .always { end(i, .noPermission, now: now) }
    guard wake(i, .push, now: now) else {
      let outcome = phones[i].switchedOff.contains(now) ? WakeOutcome.switchedOff : .appCrashed
      return end(i, outcome, now: now)
    }
    if phones[i].openPush.stage == .inTransit { phones[i].openPush.stage = .woken }
    tell(i, .silentPush(cached: phones[i].lastKnown), now: now)
    // With the service on already, the next fix answers the push: it is looked at when it comes.
    if phones[i].standard.isOn {
      phones[i].due[.standard] = max(phones[i].standard.firstFixAt, now + StandardService.interval)
    }
  }

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
    end(i, inTime ? .caused : .late, now: now)
  }

  /// A new push is asked for, or the run ends, while one is open.
  private mutating func closeOpenPush(_ i: Int, now: SimInstant) {
    switch phones[i].openPush.stage {
    case .none: break
    case .inTransit: end(i, .pending, now: now)
    case .stored: end(i, .overwritten, now: now)
    case .woken: end(i, .noFix, now: now)
    case .fixTaken: end(i, .uploadFailed, now: now)
    }
  }

  private mutating func end(_ i: Int, _ outcome: WakeOutcome, now: SimInstant) {
    guard phones[i].openPush.stage != .none else { return }
    trace(i, at: now, .pushEnded(outcome))
    phones[i].openPush.stage = .none
    pushEndings.append(
      PushEnding(
        id: phones[i].openPush.id, phone: phones[i].id,
        requestedAt: phones[i].openPush.requestedAt, outcome: outcome))
  }

  /// Gives every open push its outcome at the end of a run.
  package mutating func closePushes(at now: SimInstant) {
    let lastEligible = now - context.scenario.push.within
    for i in 0..<count {
      if let gone = phones[i].provider.expire(at: now), gone.id == phones[i].openPush.id,
        phones[i].openPush.stage == .stored
      {
        end(i, .expired, now: now)
      }
      if phones[i].openPush.requestedAt > lastEligible { end(i, .pending, now: now) }
      switch phones[i].openPush.stage {
      case .none: break
      case .inTransit: end(i, .pending, now: now)
      case .stored: end(i, phones[i].switchedOff.contains(now) ? .switchedOff : .offline, now: now)
      case .woken: end(i, .noFix, now: now)
      case .fixTaken: end(i, .uploadFailed, now: now)
      }
    }
  }
}
