internal import Figures
internal import Phone
internal import PushService
internal import Scenarios
package import SimulationCore
internal import Telemetry

/// Performs the effects of a silent push: hands it to the provider, keeps its instants on the
/// calendar, notifies its `PushDelivery` of each step, and records its ending. The phone's system
/// decides whether it wakes the app, waits on the phone or is discarded.
extension Shard {
  /// Hands the server's request to the provider.
  mutating func receivePush(_ i: Int, _ push: SilentPush, now: SimInstant) {
    account(i, upTo: now)
    tallies.notePush(i)
    let known = phones[i].provider.deadFrom(at: now)
    let decision = context.provider.send(
      push, context.scenario.push.request.request(push.manner),
      to: reach(i, push.manner, now: now), slot: &phones[i].provider, at: now)
    pushStatuses.append((push.id, decision.status))
    noteTokenEnding(i, known: known, now: now)
    if let displaced = decision.displaced { advancePush(i, .undelivered(displaced), now: now) }
    // A push that goes no further leaves the previous push unchanged.
    if let ending = PushDelivery.turnedAway(push, decision) {
      traceRequest(i, push.id, decision, now: now)
      return noteEnding(i, ending, now: now)
    }
    advancePush(i, .requested(push), now: now)
    traceRequest(i, push.id, decision, now: now)
    switch decision {
    case .deliver(let at):
      let wait = context.systems[place(i)].push.groupingWait(
        push.id, at: now, phone: phones[i].id,
        isForeground: phones[i].process.state == .foreground,
        isCharging: phones[i].os.battery.isPlugged, push.manner)
      phones[i].os.due[.push] = max(at + wait, now)
    case .stored:
      advancePush(i, .stored, now: now)
      phones[i].os.due[.push] = .distantFuture
      system(i, .pushGateAwaited, now: now)
    case .rejected, .unregistered, .undelivered: break
    }
  }

  /// Notes that the provider has found the token dead, for who asks.
  private mutating func noteTokenEnding(_ i: Int, known: SimInstant?, now: SimInstant) {
    guard tokenEndings != nil, let from = phones[i].provider.deadFrom(at: now), from != known
    else { return }
    tokenEndings?.append((phones[i].id, from))
  }

  private func traceRequest(_ i: Int, _ id: UInt64, _ decision: PushDecision, now: SimInstant) {
    guard SilentPush.isOnRequest(id) else { return trace(i, at: now, .pushRequested) }
    traces[i]?.note(.asked, at: now)
    switch decision {
    case .rejected(_, let status): traces[i]?.note(.refused(status: status), at: now)
    case .deliver: traces[i]?.note(.onItsWay, at: now)
    case .stored: traces[i]?.note(.kept, at: now)
    case .unregistered, .undelivered: break
    }
  }

  /// Notes a step of a request for one position that never came to the phone.
  func trace(_ step: RequestStep, of phone: PhoneID, at now: SimInstant) {
    traces[Int(phone.rawValue) - firstPhone]?.note(step, at: now)
  }

  /// Notes a step of the open push where it is one for a position on request.
  private func traceStep(_ i: Int, _ step: RequestStep, now: SimInstant) {
    guard SilentPush.isOnRequest(phones[i].delivery.id) else { return }
    traces[i]?.note(step, at: now)
  }

  /// Returns the phone's state as the provider sees it.
  private func reach(_ i: Int, _ manner: PushManner, now: SimInstant) -> DeviceReach {
    let place = place(i)
    return DeviceReach(
      over: context.systems[place].push.provider, isConnected: !phones[i].isCutOff(at: now),
      isSwitchedOff: phones[i].os.isOff(at: now),
      isRestricted: restrictedUntil(i, manner, now: now) != nil,
      hasValidToken: phones[i].tokenIsValid && context.systems[place].push.hasToken
        && !context.people[Int(phones[i].cohort)].tokenIsStale(at: now, phone: phones[i].id),
      appIsGone: phones[i].hasOldToken)
  }

  /// Delivers the stored push, because the data path is back, or the phone is on again or no longer
  /// saves power.
  mutating func reconnect(_ i: Int, now: SimInstant) {
    guard phones[i].provider.stored != nil else { return }
    if let gate = storageGate(i, now: now) {
      if gate == .restricted { system(i, .pushGateAwaited, now: now) }
      return
    }
    account(i, upTo: now)
    switch context.provider.reconnect(phones[i].id, slot: &phones[i].provider, at: now) {
    case .nothing:
      break
    case .deliver(let id, let at):
      advancePush(i, .reconnected(id: id), now: now)
      traceStep(i, .onItsWay, now: now)
      phones[i].os.due[.push] = at
    case .expired(let gone):
      advancePush(i, .undelivered(gone), now: now)
    }
  }

  /// Returns what keeps a push at the provider now; nil if nothing does.
  private func storageGate(_ i: Int, now: SimInstant) -> StorageGate? {
    if phones[i].os.isOff(at: now) { return .switchedOff }
    if phones[i].isCutOff(at: now) { return .offline }
    return restrictedUntil(i, phones[i].delivery.manner, now: now) == nil ? nil : .restricted
  }

  /// Returns until when the provider keeps the phone's pushes for later; nil if it does not.
  private func restrictedUntil(_ i: Int, _ manner: PushManner, now: SimInstant) -> SimInstant? {
    context.systems[place(i)].push.restrictedUntil(now, phone: phones[i].id, manner)
  }

  /// Handles the arrival of a push: the provider stores it again, or the phone's gates decide.
  mutating func pushArrived(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    if let gate = storageGate(i, now: now) {
      // A push from before the measured time is in no ledger, and is dropped.
      if phones[i].delivery.stage == .inTransit { takeBack(i, gate, now: now) }
      return
    }
    traceStep(i, .arrived, now: now)
    advancePush(i, .arrived(lastReport: phones[i].stored.time), now: now)
    if phones[i].hasOldToken {
      let known = phones[i].provider.deadFrom(at: now)
      context.provider.foundNoApp(phones[i].id, slot: &phones[i].provider, at: now)
      noteTokenEnding(i, known: known, now: now)
      return advancePush(i, .stopped(by: .unregistered), now: now)
    }
    phones[i].os.expectPush(phones[i].delivery.manner)
    system(i, .pushArrived, now: now)
  }

  private mutating func takeBack(_ i: Int, _ gate: StorageGate, now: SimInstant) {
    let decision = context.provider.takeBack(
      phones[i].delivery.id, from: phones[i].id, gate: gate, slot: &phones[i].provider, at: now)
    switch decision {
    case .stored:
      advancePush(i, .stored, now: now)
      traceStep(i, .kept, now: now)
      system(i, .pushGateAwaited, now: now)
    case .undelivered(let gone, displaced: _): advancePush(i, .undelivered(gone), now: now)
    case .rejected, .unregistered, .deliver:
      preconditionFailure("a push that was accepted can only be stored or end, not \(decision)")
    }
  }

  // MARK: Results of the wake

  /// Checks whether a kept fix answers the open push.
  mutating func pushFixTaken(_ i: Int, _ fix: Fix, now: SimInstant) {
    // This runs for every kept fix, but apps keep few fixes while a push waits for one.
    guard phones[i].delivery.stage == .woken,
      Double(fix.accuracyMeters) <= context.scenario.push.terms.accuracyLimit.meters
    else { return }
    advancePush(i, .fixTaken(fix.time), now: now)
  }

  /// Notes that the app that a push woke has stopped.
  mutating func pushWakeEnded(_ i: Int, crashed: Bool, now: SimInstant) {
    advancePush(i, .wakeEnded(crashed: crashed), now: now)
  }

  /// Checks whether the newer fix that the collector holds is the answer to the push.
  mutating func pushReported(_ i: Int, now: SimInstant) {
    phones[i].pushWasGated = false
    advancePush(
      i,
      .reported(newest: phones[i].stored.time, at: now, within: context.scenario.push.terms.within),
      now: now)
  }

  // MARK: Endings

  /// Notifies the open push of an event.
  mutating func advancePush(_ i: Int, _ event: PushDelivery.Event, now: SimInstant) {
    guard let ending = phones[i].delivery.handle(event, of: phones[i].id) else { return }
    noteEnding(i, ending, now: now)
  }

  private mutating func noteEnding(_ i: Int, _ ending: PushEnding, now: SimInstant) {
    if SilentPush.isOnRequest(ending.id) {
      traces[i]?.note(.ended(ending.outcome), at: now)
    } else {
      trace(i, at: now, .pushEnded(ending.outcome))
    }
    var ending = ending
    ending.counterfactualReport = counterfactualReports.removeValue(forKey: ending.id)
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

  // MARK: Steps on the phone

  mutating func perform(_ step: PhoneOS.PushStep, of i: Int, _ os: inout PhoneOS, now: SimInstant) {
    traceStep(i, .phone(step), now: now)
    switch step {
    case .passed: phones[i].pushWasGated = false
    case .released:
      account(i, &os, upTo: now)
      phones[i].pushWasGated = false
      advancePush(i, .released(lastReport: phones[i].stored.time), now: now)
    case .stopped(let gate):
      phones[i].pushWasGated = true
      advancePush(i, .stopped(by: WakeOutcome(gate)), now: now)
    case .stored(let gate):
      phones[i].pushWasGated = true
      advancePush(i, .deferred(by: WakeOutcome(gate)), now: now)
    case .discarded: advancePush(i, .discarded, now: now)
    case .withoutPermission: advancePush(i, .noPermission, now: now)
    case .wakesNobody: advancePush(i, .stopped(by: .lowPower), now: now)
    case .woke: advancePush(i, .woke, now: now)
    case .failed(let isOff): advancePush(i, .wakeFailed(isSwitchedOff: isOff), now: now)
    case .shown: if !isDraining { metrics[.alertsShown] += 1 }
    }
  }

  /// Checks whether the reason to keep a push, at the provider or on the phone, is over.
  mutating func pushGateEdge(_ i: Int, now: SimInstant) {
    reconnect(i, now: now)
    system(i, .due(.pushGate), now: now)
  }

  /// Puts the end of the restriction for which the provider waits on the calendar, unless an
  /// earlier entry is there.
  mutating func watchRestriction(_ i: Int, _ os: inout PhoneOS, now: SimInstant) {
    guard phones[i].provider.stored != nil,
      let end = restrictedUntil(i, phones[i].delivery.manner, now: now)
    else { return }
    os.due[.pushGate] = min(os.due[.pushGate], max(end, now + .milliseconds(1)))
  }
}

extension WakeOutcome {
  /// Returns the outcome of a push that this gate stops.
  fileprivate init(_ gate: PushGate) {
    switch gate {
    case .open: preconditionFailure("an open gate stops no push")
    case .forceQuit: self = .forceQuit
    case .lowPower: self = .lowPower
    case .refreshOff: self = .refreshOff
    case .throttled: self = .throttled
    case .alertOnly: self = .alertOnly
    case .beforeFirstUnlock: self = .beforeFirstUnlock
    }
  }
}
