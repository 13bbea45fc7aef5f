package import Core
internal import Phone
internal import Scenarios
internal import ServerLogic

extension Shard {
  mutating func noteUpload(
    _ phone: inout Device, _ reachesServer: SimInstant, now: SimInstant
  ) {
    metrics[.uploadsStarted] += 1
    if effects.accounting.contains(now) { metrics.cohorts[Int(phone.cohort)].uploads += 1 }
    let minute = Int((now - context.scenario.start).microseconds / 60_000_000)
    if uploadsByMinute.indices.contains(minute) { uploadsByMinute[minute] += 1 }
    guard effects.isAnsweredInProcess, reachesServer < .distantFuture else { return }
    phone.upload.newRollout = rollout(phone, at: reachesServer)
  }

  mutating func outcomePerceived(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    phone.upload.isInFlight = false
    switch phone.transfer.stage {
    case .none, .answered: break
    case .queued: return effects.isDraining ? () : system(&phone, .transferDue, now: now)
    case .sending: return transferAnswered(&phone, now: now)
    case .cancelled: return
    }
    noteResult(&phone)
    if replayAnswered(&phone, now: now) { return }
    guard phone.process.mayRunCode || effects.isDraining else {
      phone.upload.answerIsLost = true
      metrics[phone.upload.isEvent ? .eventsUnanswered : .uploadsLost] += 1
      phone.upload.newRollout = 0
      return
    }
    // During the drain, apps that do not run get the answer as well, so that the ledgers close.
    takeSettings(&phone, now: now)
    system(
      &phone, .appEvent(.uploadFinished(phone.upload.result), evenIfStopped: effects.isDraining),
      now: now)
  }

  private mutating func noteResult(_ phone: inout Device) {
    if phone.upload.result == .acknowledged, !phone.upload.isEvent {
      phone.upload.isRegistered = true
    }
    guard phone.upload.result == .failed else { return }
    metrics[phone.upload.isEvent ? .eventsFailed : .uploadsFailed] += 1
  }

  // MARK: Background sessions (NW1)

  /// Reports the end of the upload to the app. If the phone is off, the transfer is interrupted.
  private mutating func transferAnswered(_ phone: inout Device, now: SimInstant) {
    if effects.isDraining {
      phone.dropTransfer()
      return outcomePerceived(&phone, now: now)
    }
    if phone.isOff(at: now) {
      metrics[.uploadsLost] += 1
      phone.upload.newRollout = 0
      return system(&phone, .transferInterrupted, now: now)
    }
    noteResult(&phone)
    system(&phone, .transferAnswered, now: now)
  }

  mutating func takeSettings(_ phone: inout Device, now: SimInstant) {
    let number = phone.upload.newRollout
    phone.upload.newRollout = 0
    guard number > phone.rollout, !effects.isDraining else { return }
    phone.rollout = number
    phone.policy = context.policy(ofRollout: number)
    metrics[.settingsTaken] += 1
    system(&phone, .appEvent(.settingsChanged, evenIfStopped: effects.isDraining), now: now)
  }

  private func rollout(_ phone: borrowing Device, at instant: SimInstant) -> UInt8 {
    guard !context.rollouts.isEmpty else { return 0 }
    return UInt8(context.rollouts.newest(for: phone.id, cohort: Int(phone.cohort), at: instant))
  }

  mutating func noteAnswer(_ count: UInt16, _ result: UploadResult, _ hash: UInt64) {
    switch result {
    case .acknowledged:
      metrics[.batchesAcknowledged] += 1
      metrics[.fixesAcknowledged] += Int(count)
      metrics.acknowledgedHash &+= hash
    case .refused:
      metrics[.batchesRefused] += 1
      metrics[.fixesRefused] += Int(count)
    case .failed, .offline, .connectionLost:
      preconditionFailure("a tracker forgets only answered batches, not \(result)")
    }
  }

  /// Returns the batch that the phone has cut and not yet forgotten, with its hash; nil if there is
  /// no such batch.
  func cutBatch(_ phone: borrowing Device) -> (id: BatchID, hash: UInt64, fixes: Int)? {
    let count = phone.tracker.cutCount
    guard count > 0 else { return nil }
    let place = context.system(of: phone)
    let id = phone.batch(phone.tracker.lastSequence, context.systems[place])
    let hash = effects.hash(id, count, of: phone.outbox, context.systems[place])
    return (id, hash, Int(count))
  }

  // MARK: Answers from outside

  /// Delivers a server input to its phone at the horizon, and returns the input as consumed. An
  /// outcome counts as late if it arrives after the phone should have perceived it.
  package mutating func consume(_ input: ServerInput, phone: PhoneID) -> ConsumedInput {
    let i = index(phone)
    let mark = tallies.mark(metrics, cohort: phones[i].cohort)
    switch input {
    case .outcome(let attempt, let result): consumeOutcome(&phones[i], attempt, result)
    case .push(let push): receivePush(&phones[i], push, now: horizon)
    case .settings(let number):
      // The phone gets the settings with the outcome of its upload in flight. Without such an
      // upload they come again later.
      if phones[i].upload.isInFlight { phones[i].upload.newRollout = number }
    }
    tallies.add(i, since: mark, metrics)
    reschedule(phones[i])
    return ConsumedInput(phone: phone, at: horizon, input: input)
  }

  private mutating func consumeOutcome(
    _ phone: inout Device, _ attempt: UInt32, _ result: UploadResult
  ) {
    guard attempt == phone.upload.attempt else { return }
    metrics[.outcomesConsumed] += 1
    if result == .acknowledged {
      phone.upload.isEvent
        ? noteEventStored(&phone, now: horizon) : noteStored(&phone, now: horizon)
    }
    guard phone.upload.isInFlight else { return }
    if phone.upload.perceivedAt < horizon { metrics[.outcomesLate] += 1 }
    phone.upload.result = result
    phone.due[.uploadOutcome] = max(phone.upload.perceivedAt, horizon)
    if effects.isDraining {
      phone.due[.uploadOutcome] = .distantFuture
      outcomePerceived(&phone, now: horizon)
    }
  }

  package mutating func deliverKnownAnswers() {
    for i in 0..<count {
      if phones[i].due[.stored] < .distantFuture { noteStored(&phones[i], now: horizon) }
      if phones[i].due[.uploadOutcome] < .distantFuture {
        phones[i].due[.uploadOutcome] = .distantFuture
        outcomePerceived(&phones[i], now: horizon)
      }
      reschedule(phones[i])
    }
  }

  /// Drops everything in flight between the warm start and the counted part, as a reset of each
  /// phone's radio would. Simulations and live runs thus begin with the same phones.
  package mutating func dropConnections() {
    for i in 0..<count {
      phones[i].due[.stored] = .distantFuture
      guard phones[i].upload.isInFlight else { continue }
      phones[i].upload.isInFlight = false
      phones[i].upload.newRollout = 0
      if phones[i].transfer.stage == .sending {
        phones[i].due[.uploadOutcome] = .distantFuture
        system(&phones[i], .transferInterrupted, now: horizon)
      } else {
        phones[i].upload.result = .connectionLost
        phones[i].due[.uploadOutcome] = horizon
      }
      reschedule(phones[i])
    }
  }

  package func unanswered(_ body: (BatchID, _ hash: UInt64, _ fixes: Int) -> Void) {
    for i in 0..<count {
      for entry in former[i] {
        if let (id, hash, fixes) = entry.unanswered { body(id, hash, fixes) }
      }
      if let (id, hash, fixes) = cutBatch(phones[i]) { body(id, hash, fixes) }
    }
  }

  /// Calls `body` with each phone's newest batch that the phone knows to be acknowledged; sequence
  /// number 0 if there is none.
  package func acknowledged(_ body: (BatchID) -> Void) {
    for i in 0..<count { body(newestAcknowledged(phones[i])) }
  }

  /// Does the same as `acknowledged` for the apps that were deleted in the counted time.
  package func formerlyAcknowledged(_ body: (BatchID) -> Void) {
    for i in 0..<count {
      for entry in former[i] { body(entry.newest) }
    }
  }

  func newestAcknowledged(_ phone: borrowing Device) -> BatchID {
    let tracker = phone.tracker
    return BatchID(
      phone: phone.id, epoch: epoch(phone),
      sequence: tracker.lastSequence - (tracker.cutCount > 0 ? 1 : 0))
  }

  @inline(__always) func epoch(_ phone: borrowing Device) -> UInt32 {
    context.epoch &+ UInt32(phone.reinstalls)
  }

  // MARK: Outboxes

  /// Restores each phone's outbox to that of a fleet that was not killed: every fix newer than the
  /// submitted batches, which the journal resends. `known` returns the `order` of the newest batch
  /// known before the run.
  package mutating func restoreOutboxes(_ record: OutboxRecord, known: (PhoneID) -> UInt64) {
    // The tracker counts its outbox in sixteen bits.
    let most = 60_000
    for i in 0..<count {
      let id = phones[i].id
      let newest = record.newest[id] ?? .distantPast
      let tracker = phones[i].tracker
      var fixes: [Fix] = []
      for batch in record.relived[id] ?? []
      // The batches of a deleted app are lost with it. The last cut batch is skipped, because its
      // fixes are still in the outbox.
      where batch.id.epoch == epoch(phones[i])
        && (tracker.cutCount == 0 || batch.id.sequence != tracker.lastSequence)
      {
        fixes += batch.fixes
      }
      effects.outboxes.forEach(first: Int(phones[i].outbox.count), of: phones[i].outbox) { fix in
        if fix.time > newest { fixes.append(fix) }
      }
      effects.outboxes.dropFirst(Int(phones[i].outbox.count), from: &phones[i].outbox)
      for fix in fixes.suffix(most) { effects.outboxes.append(fix, to: &phones[i].outbox) }
      let order = max(record.highest[id] ?? 0, known(id))
      let isOfThis = order >> 32 == UInt64(epoch(phones[i]))
      let sequence = isOfThis ? UInt32(truncatingIfNeeded: order) : 0
      phones[i].tracker.restore(lastSequence: sequence, outbox: min(fixes.count, most))
      phones[i].dropTransfer()
      effects.events[id] = nil
      phones[i].upload.lastCut = sequence
    }
  }
}
