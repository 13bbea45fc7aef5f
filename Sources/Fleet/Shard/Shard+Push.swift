package import Core
internal import Phone
internal import Push
internal import Scenarios

/// Performs the effects of a silent push, and reports each step to its `PushDelivery`. The phone's
/// operating system decides whether the push wakes the app, waits or is discarded.
extension Shard {
  mutating func receivePush(_ phone: inout Device, _ push: SilentPush, now: SimInstant) {
    account(&phone, upTo: now)
    tallies.notePush(index(phone.id))
    let known = phone.provider.deadFrom(at: now)
    let (reach, expiration) = (reach(&phone, push.manner, now: now), phone.provider.expiration)
    let decision = context.provider.send(
      push, context.scenario.push.request.request(push.manner), to: reach, slot: &phone.provider,
      at: now)
    pushStatuses.append((push.id, decision.status))
    noteTokenEnding(&phone, known: known, now: now)
    if let displaced = decision.displaced { advancePush(&phone, .undelivered(displaced), now: now) }
    // A push that is turned away leaves the delivery of the previous push unchanged.
    if let ending = PushDelivery.turnedAway(push, decision) {
      traceRequest(&phone, push.id, decision, now: now)
      return noteEnding(&phone, ending, now: now)
    }
    if !reach.provider.storesOne {
      expireMessages(&phone, now: now, replaced: collapses(push.manner, of: phone))
      if reach.keepsStored { keepBeside(&phone, until: expiration) }
    }
    advancePush(&phone, .requested(push), now: now)
    traceRequest(&phone, push.id, decision, now: now)
    switch decision {
    case .deliver(let at):
      let wait = context.systems[context.system(of: phone)].push.launchWait(
        isForeground: phone.process.state == .foreground, push.manner)
      phone.due[.push] = max(at + wait, now)
    case .stored:
      advancePush(&phone, .stored, now: now)
      phone.due[.push] = .distantFuture
      limitMessages(&phone, now: now)
      system(&phone, .pushGateAwaited, now: now)
    case .rejected, .unregistered, .undelivered: break
    }
  }

  private mutating func noteTokenEnding(_ phone: inout Device, known: SimInstant?, now: SimInstant)
  {
    guard tokenEndings != nil, let from = phone.provider.deadFrom(at: now), from != known
    else { return }
    tokenEndings?.append((phone.id, from))
  }

  private func traceRequest(
    _ phone: inout Device, _ id: UInt64, _ decision: PushDecision, now: SimInstant
  ) {
    guard SilentPush.isOnRequest(id) else { return trace(phone.id, at: now, .pushRequested) }
    traces[index(phone.id)]?.note(.asked, at: now)
    switch decision {
    case .rejected(_, let status): traces[index(phone.id)]?.note(.refused(status: status), at: now)
    case .deliver: traces[index(phone.id)]?.note(.onItsWay, at: now)
    case .stored:
      let gate = phone.provider.storedFor ?? .offline
      traces[index(phone.id)]?.note(.kept(gate), at: now)
    case .unregistered, .undelivered: break
    }
  }

  func trace(_ step: RequestStep, of phone: PhoneID, at now: SimInstant) {
    traces[Int(phone.rawValue) - firstPhone]?.note(step, at: now)
  }

  private func traceStep(_ phone: inout Device, _ step: RequestStep, now: SimInstant) {
    guard SilentPush.isOnRequest(phone.delivery.id) else { return }
    traces[index(phone.id)]?.note(step, at: now)
  }

  private func reach(_ phone: inout Device, _ manner: PushManner, now: SimInstant) -> DeviceReach {
    let place = context.system(of: phone)
    let provider = context.systems[place].push.provider
    var reach = DeviceReach(
      over: provider, isConnected: !phone.isCutOff(at: now),
      isOnWifi: phone.isOnWifi, isSwitchedOff: phone.isOff(at: now),
      restriction: restriction(&phone, manner, now: now),
      hasValidToken: phone.tokenIsValid && context.systems[place].push.hasToken
        && !context.people[Int(phone.cohort)].tokenIsStale(at: now, phone: phone.id),
      appIsGone: phone.hasOldToken, way: context.systems[place].profile.system.pushWay)
    reach.keepsStored =
      !provider.storesOne
      && !(phone.provider.stored == phone.delivery.id && collapses(manner, of: phone)
        && collapses(phone.delivery.manner, of: phone))
    return reach
  }

  // MARK: Messages beside the newest

  private func collapses(_ manner: PushManner, of phone: borrowing Device) -> Bool {
    context.systems[context.system(of: phone)].push.provider.replaces(
      manner, context.scenario.push.request)
  }

  /// AFC5: Makes the stored message the phone's newest again, if a newer one has ended before.
  private mutating func takeUp(_ phone: inout Device) {
    guard phone.delivery.stage == .none, let id = phone.provider.stored else { return }
    if let delivery = messages[index(phone.id)]?.take(id) { phone.delivery = delivery }
  }

  /// AFC5: Lets the message that is under way to the phone stay beside the next one.
  private mutating func keepBeside(_ phone: inout Device, until expiration: SimInstant) {
    guard [.stored, .inTransit].contains(phone.delivery.stage) else { return }
    messages[index(phone.id), default: MessageStore()].add(
      phone.delivery, until: expiration, collapses: collapses(phone.delivery.manner, of: phone))
    phone.delivery = PushDelivery()
  }

  /// AFC5: Discards all stored messages if there is one too many. The app is told later.
  private mutating func limitMessages(_ phone: inout Device, now: SimInstant) {
    guard !collapses(phone.delivery.manner, of: phone),
      messages[index(phone.id)]?.isFull ?? false
    else { return }
    let newest = phone.provider.discard()
    changeMessages(&phone, now: now) { $0.discard(gate: newest.gate, of: $1) }
    advancePush(&phone, .undelivered(newest), now: now)
  }

  private mutating func changeMessages(
    _ phone: inout Device, now: SimInstant, _ change: (inout MessageStore, PhoneID) -> [PushEnding]
  ) {
    // Most phones have none.
    guard !messages.isEmpty, var store = messages.removeValue(forKey: index(phone.id)) else {
      return
    }
    let endings = change(&store, phone.id)
    if !store.isEmpty { messages[index(phone.id)] = store }
    for ending in endings { noteEnding(&phone, ending, now: now) }
  }

  private mutating func expireMessages(
    _ phone: inout Device, now: SimInstant, replaced: Bool = false
  ) {
    let gate = phone.provider.storedFor ?? .offline
    changeMessages(&phone, now: now) {
      $0.remove(at: now, replaced: replaced, gate: gate, of: $1)
    }
  }

  /// Delivers the provider's stored push after the data path is back, the phone is on again, or Low
  /// Power Mode has ended.
  mutating func reconnect(_ phone: inout Device, now: SimInstant) {
    guard phone.provider.hasNews else { return }
    if let gate = storageGate(&phone, now: now) {
      if gate.isOnPhone { system(&phone, .pushGateAwaited, now: now) }
      return
    }
    account(&phone, upTo: now)
    if phone.provider.hasDiscarded {
      phone.provider.hasDiscarded = false
      system(&phone, .messagesDiscarded, now: now)
    }
    expireMessages(&phone, now: now)
    takeUp(&phone)
    switch context.provider.reconnect(
      phone.id, isOnWifi: phone.isOnWifi, slot: &phone.provider, at: now)
    {
    case .nothing:
      break
    case .deliver(let id, let at):
      advancePush(&phone, .reconnected(id: id), now: now)
      traceStep(&phone, .onItsWay, now: now)
      phone.due[.push] = at
    case .expired(let gone):
      advancePush(&phone, .undelivered(gone), now: now)
      guard let older = messages[index(phone.id)]?.newest else { return }
      phone.provider.restore(older.id, until: older.expiration)
      reconnect(&phone, now: now)
    }
  }

  /// Returns the reason why the provider stores a push now; nil if there is none.
  private func storageGate(_ phone: inout Device, now: SimInstant) -> StorageGate? {
    if phone.isOff(at: now) { return .switchedOff }
    if phone.isCutOff(at: now) { return .offline }
    return restriction(&phone, phone.delivery.manner, now: now)
  }

  private func restriction(_ phone: inout Device, _ manner: PushManner, now: SimInstant)
    -> StorageGate?
  {
    phone.restriction(now, manner, context.systems[context.system(of: phone)])?.gate
  }

  /// Handles the arrival of a push: the provider stores it again, or the phone's gates decide.
  mutating func pushArrived(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    if let gate = storageGate(&phone, now: now) {
      // A push from before the counted time is in no ledger, and is dropped.
      if phone.delivery.stage == .inTransit { takeBack(&phone, gate, now: now) }
      return
    }
    traceStep(&phone, .arrived, now: now)
    advancePush(&phone, .arrived(lastReport: phone.stored.time), now: now)
    if phone.hasOldToken {
      let known = phone.provider.deadFrom(at: now)
      let way = context.systems[context.system(of: phone)].profile.system.pushWay
      context.provider.foundNoApp(phone.id, way, slot: &phone.provider, at: now)
      noteTokenEnding(&phone, known: known, now: now)
      return advancePush(&phone, .stopped(by: .unregistered), now: now)
    }
    phone.expectPush(phone.delivery.manner)
    system(&phone, .pushArrived, now: now)
  }

  private mutating func takeBack(_ phone: inout Device, _ gate: StorageGate, now: SimInstant) {
    let decision = context.provider.takeBack(
      phone.delivery.id, from: phone.id,
      over: context.systems[context.system(of: phone)].push.provider, gate: gate,
      slot: &phone.provider, at: now)
    switch decision {
    case .stored:
      advancePush(&phone, .stored, now: now)
      traceStep(&phone, .kept(gate), now: now)
      system(&phone, .pushGateAwaited, now: now)
    case .undelivered(let gone, displaced: _): advancePush(&phone, .undelivered(gone), now: now)
    case .rejected, .unregistered, .deliver:
      preconditionFailure("a push that was accepted can only be stored or end, not \(decision)")
    }
  }

  // MARK: Results of the wake

  mutating func pushFixTaken(_ phone: inout Device, _ fix: Fix, now: SimInstant) {
    // The stage is tested first: kept fixes are frequent, and few arrive while a push waits.
    guard phone.delivery.stage == .woken,
      Double(fix.accuracyMeters) <= context.scenario.push.terms.accuracyLimit.meters
    else { return }
    advancePush(&phone, .fixTaken(fix.time), now: now)
  }

  // MARK: Endings

  mutating func advancePush(_ phone: inout Device, _ event: PushDelivery.Event, now: SimInstant) {
    changeMessages(&phone, now: now) { $0.handle(event, of: $1) }
    guard let ending = phone.delivery.handle(event, of: phone.id) else { return }
    noteEnding(&phone, ending, now: now)
  }

  private mutating func noteEnding(_ phone: inout Device, _ ending: PushEnding, now: SimInstant) {
    if SilentPush.isOnRequest(ending.id) {
      traces[index(phone.id)]?.note(.ended(ending.outcome), at: now)
    } else {
      trace(phone.id, at: now, .pushEnded(ending.outcome))
    }
    lastSteps.notePush(index(phone.id), ending)
    var ending = ending
    ending.counterfactualReport = counterfactualReports.removeValue(forKey: ending.id)
    pushEndings.append(ending)
  }

  /// Gives every open push its outcome at the end of a run.
  package mutating func closePushes(at now: SimInstant) {
    let within = context.scenario.push.terms.within
    for i in 0..<count {
      expireMessages(&phones[i], now: now)
      if let gone = phones[i].provider.expire(at: now) {
        advancePush(&phones[i], .undelivered(gone), now: now)
      }
      let gate = phones[i].provider.storedFor
      advancePush(&phones[i], .closed(at: now, within: within, storedFor: gate), now: now)
    }
  }

  // MARK: Steps on the phone

  mutating func perform(
    _ step: Device.PushStep, lastReport: SimInstant, of phone: inout Device, now: SimInstant
  ) {
    traceStep(&phone, .phone(step), now: now)
    switch step {
    case .passed: break
    case .released: advancePush(&phone, .released(lastReport: lastReport), now: now)
    case .stopped(let gate): advancePush(&phone, .stopped(by: WakeOutcome(gate)), now: now)
    case .stored(let gate): advancePush(&phone, .deferred(by: WakeOutcome(gate)), now: now)
    case .discarded: advancePush(&phone, .discarded, now: now)
    case .withoutPermission: advancePush(&phone, .noPermission, now: now)
    case .wakesNobody: advancePush(&phone, .stopped(by: .lowPower), now: now)
    case .woke: advancePush(&phone, .woke, now: now)
    case .failed(let isOff): advancePush(&phone, .wakeFailed(isSwitchedOff: isOff), now: now)
    case .shown: if !effects.isDraining { metrics[.alertsShown] += 1 }
    }
  }

  mutating func pushGateEdge(_ phone: inout Device, now: SimInstant) {
    reconnect(&phone, now: now)
    system(&phone, .due(.pushGate), now: now)
  }
}

extension WakeOutcome {
  fileprivate init(_ gate: PushGate) {
    switch gate {
    case .open: preconditionFailure("an open gate does not stop a push")
    case .forceQuit: self = .forceQuit
    case .lowPower: self = .lowPower
    case .refreshOff: self = .refreshOff
    case .throttled: self = .throttled
    case .alertOnly: self = .alertOnly
    case .beforeFirstUnlock: self = .beforeFirstUnlock
    case .stopped: self = .stopped
    case .doze: self = .doze
    }
  }
}
