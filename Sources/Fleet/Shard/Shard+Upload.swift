package import Core
internal import Phone
internal import Scenarios
internal import ServerLogic

extension Shard {
  mutating func startUpload(
    _ phone: inout Device, _ sequence: UInt32, _ count: UInt16, now: SimInstant
  ) {
    if sequence > phone.upload.lastCut {
      phone.upload.lastCut = sequence
      metrics[.batchesCut] += 1
    }
    // While the run drains, a batch that follows the last answer is cut, but not sent.
    if isDraining { return }
    switch context.trackers[Int(phone.policy)].settings.send.session {
    case .standard: sendBatch(&phone, sequence, count, now: now)
    case .background:
      account(&phone, upTo: now)
      system(&phone, .transferQueued, now: now)
    }
  }

  private mutating func sendBatch(
    _ phone: inout Device, _ sequence: UInt32, _ count: UInt16, now: SimInstant
  ) {
    phone.behaviour.combine(2, now, UInt64(sequence) << 16 | UInt64(count))
    // The fixes of the last upload are recorded before this one replaces it.
    if phone.due[.stored] < .distantFuture { noteStored(&phone, now: now) }
    phone.upload.attempt += 1
    let place = context.system(of: phone)
    if phone.isCutOff(at: now) || phone.isKeptFromSending(context.systems[place]) {
      // The system knows that there is no path and fails the upload at once.
      metrics[.uploadsOffline] += 1
      phone.upload.result = .offline
      phone.due[.uploadOutcome] = now + context.scenario.network.offlineAnswer
      return
    }
    var order = makeOrder(&phone, sequence, count, now: now)
    order.bringsToken = phone.hasOldToken && order.registers
    phone.upload.perceivedAt = order.perceivedAt
    phone.upload.isInFlight = true
    phone.upload.newRollout = 0
    metrics[.uploadsStarted] += 1
    let minute = Int((now - context.scenario.start).microseconds / 60_000_000)
    if uploadsByMinute.indices.contains(minute) { uploadsByMinute[minute] += 1 }
    phone.upload.bringsToken = order.bringsToken
    switch answers {
    case .inProcess:
      phone.due[.uploadOutcome] = order.perceivedAt
      guard !context.outages.isDown(at: order.reachesServer) else {
        // The server refuses the call before it reads it, so no order is made.
        phone.upload.result = .failed
        phone.upload.bringsToken = false
        return
      }
      phone.upload.result = .acknowledged
      // The server has the batch before its answer is back.
      phone.due[.stored] = order.reachesServer
      phone.upload.newRollout = rollout(phone, at: order.reachesServer)
    case .fromOutside:
      break
    }
    orders.append(order)
  }

  private mutating func makeOrder(
    _ phone: inout Device, _ sequence: UInt32, _ count: UInt16, now: SimInstant
  ) -> UploadOrder {
    let first = orderFixes.count
    var newest = phone.upload.newest
    var place = phone.upload.newestPlace
    var size = BatchSize()
    pool.forEach(first: Int(count), of: phone.outbox) { fix in
      orderFixes.append(fix)
      size.add(fix)
      if fix.time > newest {
        newest = fix.time
        place = fix.coordinate
      }
    }
    phone.upload.newest = newest
    phone.upload.newestPlace = place
    let bytes = size.bytes(as: context.scenario.encoding)
    chargeSend(&phone, wifi: phone.isOnWifi, bytes: bytes, now: now)
    system(&phone, .sent(bytes: bytes), now: now)
    let trip = context.dataPath.roundTrip(
      wifi: phone.isOnWifi, phone: phone.id, attempt: phone.upload.attempt)
    return UploadOrder(
      id: BatchID(phone: phone.id, epoch: epoch(phone), sequence: sequence),
      attempt: phone.upload.attempt, intended: now, perceivedAt: now + trip,
      reachesServer: now + context.dataPath.uplink(of: trip),
      firstFix: Int32(first), fixCount: count, registers: !phone.upload.isRegistered,
      authorization: phone.authorization, tokenIsValid: phone.tokenIsValid,
      cohort: phone.cohort,
      rollout: phone.rollout,
      batteryPercent: UInt8(clamping: context.batteries[Int(phone.cohort)].percent(phone.battery)),
      isCharging: phone.battery.isPlugged, motion: motion(phone))
  }

  /// AC5: Returns the motion activity that an app would receive.
  private func motion(_ phone: borrowing Device) -> MotionActivity? {
    let place = context.system(of: phone)
    let coprocessor = MotionCoprocessor(
      seed: context.scenario.seed, profile: context.systems[place].profile.motion)
    return coprocessor.activity(in: phone.segment, phone: phone.id)
  }

  mutating func outcomePerceived(_ phone: inout Device, now: SimInstant) {
    account(&phone, upTo: now)
    phone.upload.isInFlight = false
    switch phone.transfer.stage {
    case .none, .answered: break
    case .queued: return isDraining ? () : system(&phone, .transferDue, now: now)
    case .sending: return transferAnswered(&phone, now: now)
    case .cancelled: return
    }
    noteResult(&phone)
    guard phone.process.mayRunCode || isDraining else {
      phone.upload.answerIsLost = true
      metrics[.uploadsLost] += 1
      phone.upload.newRollout = 0
      return
    }
    notifyEnd(phone.upload.result, &phone, now: now)
  }

  private mutating func noteResult(_ phone: inout Device) {
    if phone.upload.result == .acknowledged { phone.upload.isRegistered = true }
    if phone.upload.result == .failed { metrics[.uploadsFailed] += 1 }
  }

  // MARK: Background sessions (NW1)

  /// Reports the end of the upload to the app, or sends it again if the phone is off.
  private mutating func transferAnswered(_ phone: inout Device, now: SimInstant) {
    if isDraining {
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

  mutating func perform(_ step: BackgroundTransfer.Step, of phone: inout Device, now: SimInstant) {
    switch step {
    case .begins:
      account(&phone, upTo: now)
      let tracker = phone.tracker
      sendBatch(&phone, tracker.lastSequence, tracker.cutCount, now: now)
    case .timesOut:
      account(&phone, upTo: now)
      phone.upload.result = .failed
    case .ended: notifyEnd(phone.upload.result, &phone, now: now)
    case .cancelled: notifyEnd(.connectionLost, &phone, now: now)
    }
  }

  /// Reports the end of the upload to the app. While a run drains, apps that do not run receive it
  /// too, so that the ledgers close.
  private mutating func notifyEnd(_ result: UploadResult, _ phone: inout Device, now: SimInstant) {
    takeSettings(&phone, now: now)
    system(&phone, .appEvent(.uploadFinished(result), evenIfStopped: isDraining), now: now)
  }

  private mutating func takeSettings(_ phone: inout Device, now: SimInstant) {
    let number = phone.upload.newRollout
    phone.upload.newRollout = 0
    guard number > phone.rollout, !isDraining else { return }
    phone.rollout = number
    phone.policy = context.policy(ofRollout: number)
    metrics[.settingsTaken] += 1
    system(&phone, .appEvent(.settingsChanged, evenIfStopped: isDraining), now: now)
  }

  private func rollout(_ phone: borrowing Device, at instant: SimInstant) -> UInt8 {
    guard !context.rollouts.isEmpty else { return 0 }
    return UInt8(context.rollouts.newest(for: phone.id, cohort: Int(phone.cohort), at: instant))
  }

  mutating func forget(_ phone: inout Device, _ count: UInt16, _ result: UploadResult) {
    switch result {
    case .acknowledged:
      metrics[.batchesAcknowledged] += 1
      metrics[.fixesAcknowledged] += Int(count)
      // The tracker may have cut the next batch in the same event, so its state is not used here.
      metrics.acknowledgedHash &+= hash(phone, count, sequence: phone.upload.lastCut)
    case .refused:
      metrics[.batchesRefused] += 1
      metrics[.fixesRefused] += Int(count)
    case .failed, .offline, .connectionLost:
      preconditionFailure("a tracker forgets only answered batches, not \(result)")
    }
    pool.dropFirst(Int(count), from: &phone.outbox)
  }

  @inline(__always) func epoch(_ phone: borrowing Device) -> UInt32 {
    context.epoch &+ UInt32(phone.reinstalls)
  }

  func hash(_ phone: borrowing Device, _ count: UInt16, sequence: UInt32) -> UInt64 {
    var hash = BatchHash(
      key: context.hashKey,
      BatchID(phone: phone.id, epoch: epoch(phone), sequence: sequence))
    // The server hashes what it reads, which has the phone's stamps.
    var stamps = context.stamps(of: phone.id, cohort: Int(phone.cohort))
    pool.forEach(first: Int(count), of: phone.outbox) { hash.combine(stamps.stamped($0)) }
    return hash.value
  }

  // MARK: Answers from outside

  /// Delivers a server input to its phone at the present horizon, and returns it as consumed. An
  /// outcome is perceived no earlier than the modelled network time; a later one counts as late.
  package mutating func consume(_ input: ServerInput, phone: PhoneID) -> ConsumedInput {
    let i = index(phone)
    let mark = tallies.mark(metrics)
    switch input {
    case .outcome(let attempt, let result): consumeOutcome(&phones[i], attempt, result)
    case .push(let push): receivePush(&phones[i], push, now: horizon)
    case .settings(let number):
      // The settings come with the outcome that follows; a phone that no longer waits for one gets
      // them again later.
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
    if result == .acknowledged { noteStored(&phone, now: horizon) }
    guard phone.upload.isInFlight else { return }
    if phone.upload.perceivedAt < horizon { metrics[.outcomesLate] += 1 }
    phone.upload.result = result
    phone.due[.uploadOutcome] = max(phone.upload.perceivedAt, horizon)
    if isDraining {
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
  /// phone's radio would, so that both engines begin with the same phones.
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
      guard phones[i].tracker.cutCount > 0 else { continue }
      let id = BatchID(
        phone: phones[i].id, epoch: epoch(phones[i]), sequence: phones[i].tracker.lastSequence)
      let count = phones[i].tracker.cutCount
      body(id, hash(phones[i], count, sequence: id.sequence), Int(count))
    }
  }

  /// Calls `body` with the newest batch of each phone whose acknowledgement it perceived; number 0
  /// if there is none.
  package func acknowledged(_ body: (BatchID) -> Void) {
    for i in 0..<count { body(newestAcknowledged(phones[i])) }
  }

  /// The same for apps that were deleted in the counted time.
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

  // MARK: Outboxes

  /// Gives each phone the outbox of a fleet not killed: every fix newer than its submitted batches,
  /// which the journal sends again. `known`: the newest batch known before the run, by its `order`.
  package mutating func restoreOutboxes(_ record: OutboxRecord, known: (PhoneID) -> UInt64) {
    // The tracker counts its outbox in sixteen bits.
    let most = 60_000
    for i in 0..<count {
      let id = phones[i].id
      let newest = record.newest[id] ?? .distantPast
      let tracker = phones[i].tracker
      var fixes: [Fix] = []
      for batch in record.relived[id] ?? []
      // What a deleted app sent is gone with it. Fixes that have arrived but have no answer yet are
      // in the outbox, too.
      where batch.id.epoch == epoch(phones[i])
        && (tracker.cutCount == 0 || batch.id.sequence != tracker.lastSequence)
      {
        fixes += batch.fixes
      }
      pool.forEach(first: Int(phones[i].outbox.count), of: phones[i].outbox) { fix in
        if fix.time > newest { fixes.append(fix) }
      }
      pool.dropFirst(Int(phones[i].outbox.count), from: &phones[i].outbox)
      for fix in fixes.suffix(most) { pool.append(fix, to: &phones[i].outbox) }
      let order = max(record.highest[id] ?? 0, known(id))
      let isOfThis = order >> 32 == UInt64(epoch(phones[i]))
      let sequence = isOfThis ? UInt32(truncatingIfNeeded: order) : 0
      phones[i].tracker.restore(lastSequence: sequence, outbox: min(fixes.count, most))
      phones[i].dropTransfer()
      phones[i].upload.lastCut = sequence
    }
  }
}
