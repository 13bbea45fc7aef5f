internal import Figures
internal import Tracker
internal import Phone
internal import ServerLogic
internal import Scenarios
internal import SimulationCore
package import Telemetry

/// Simulates an upload from the cut batch to the answer that the phone perceives.
extension Shard {
  mutating func startUpload(
    _ i: Int, _ os: inout PhoneOS, _ sequence: UInt32, _ count: UInt16, now: SimInstant
  ) {
    if sequence > phones[i].upload.lastCut {
      phones[i].upload.lastCut = sequence
      metrics[.batchesCut] += 1
    }
    // While the run drains, a batch that follows the last answer is cut, but not sent.
    if isDraining { return }
    switch context.trackers[Int(phones[i].policy)].settings.send.session {
    case .standard: sendBatch(i, &os, sequence, count, now: now)
    case .background:
      account(i, &os, upTo: now)
      system(i, &os, .transferQueued, now: now)
    }
  }

  /// Sends the batch that is cut, from the app's process or from the system's.
  private mutating func sendBatch(
    _ i: Int, _ os: inout PhoneOS, _ sequence: UInt32, _ count: UInt16, now: SimInstant
  ) {
    phones[i].behaviour.combine(2, now, UInt64(sequence) << 16 | UInt64(count))
    // The fixes of the last upload are recorded before this one replaces it.
    if os.due[.stored] < .distantFuture { noteStored(i, &os, now: now) }
    phones[i].upload.attempt += 1
    let place = context.system(
      of: os.id, cohort: Int(phones[i].cohort), policy: Int(phones[i].policy))
    if os.isCutOff(at: now) || os.isKeptFromSending(context.systems[place]) {
      // The system knows that there is no path and fails the upload at once.
      metrics[.uploadsOffline] += 1
      phones[i].upload.result = .offline
      os.due[.uploadOutcome] = now + context.scenario.network.offlineAnswer
      return
    }
    var order = makeOrder(i, &os, sequence, count, now: now)
    order.bringsToken = phones[i].hasOldToken && order.registers
    phones[i].upload.perceivedAt = order.perceivedAt
    phones[i].upload.isInFlight = true
    phones[i].upload.newRollout = 0
    metrics[.uploadsStarted] += 1
    let minute = Int((now - context.scenario.start).microseconds / 60_000_000)
    if uploadsByMinute.indices.contains(minute) { uploadsByMinute[minute] += 1 }
    phones[i].upload.bringsToken = order.bringsToken
    switch answers {
    case .inProcess:
      os.due[.uploadOutcome] = order.perceivedAt
      guard !context.outages.isDown(at: order.reachesServer) else {
        // The server refuses the call before it reads it, so no order is made.
        phones[i].upload.result = .failed
        phones[i].upload.bringsToken = false
        return
      }
      phones[i].upload.result = .acknowledged
      // The server has the batch before its answer is back.
      os.due[.stored] = order.reachesServer
      phones[i].upload.newRollout = rollout(i, at: order.reachesServer)
    case .fromOutside:
      break
    }
    orders.append(order)
  }

  private mutating func makeOrder(
    _ i: Int, _ os: inout PhoneOS, _ sequence: UInt32, _ count: UInt16, now: SimInstant
  ) -> UploadOrder {
    let first = orderFixes.count
    var newest = phones[i].upload.newest
    var place = phones[i].upload.newestPlace
    var size = BatchSize()
    pool.forEach(first: Int(count), of: phones[i].outbox) { fix in
      orderFixes.append(fix)
      size.add(fix)
      if fix.time > newest {
        newest = fix.time
        place = fix.coordinate
      }
    }
    phones[i].upload.newest = newest
    phones[i].upload.newestPlace = place
    let bytes = size.bytes(as: context.scenario.encoding)
    chargeSend(i, &os, wifi: os.isOnWifi, bytes: bytes, now: now)
    system(i, &os, .sent(bytes: bytes), now: now)
    let trip = context.dataPath.roundTrip(
      wifi: os.isOnWifi, phone: os.id, attempt: phones[i].upload.attempt)
    return UploadOrder(
      id: BatchID(phone: os.id, epoch: epoch(i), sequence: sequence),
      attempt: phones[i].upload.attempt, intended: now, perceivedAt: now + trip,
      reachesServer: now + context.dataPath.uplink(of: trip),
      firstFix: Int32(first), fixCount: count, registers: !phones[i].upload.isRegistered,
      authorization: os.authorization, tokenIsValid: os.tokenIsValid,
      cohort: phones[i].cohort,
      rollout: phones[i].rollout,
      batteryPercent: UInt8(clamping: context.batteries[Int(phones[i].cohort)].percent(os.battery)),
      isCharging: os.battery.isPlugged, motion: motion(i, os))
  }

  /// AC5: What an app would be told that asks how its person moves.
  private func motion(_ i: Int, _ os: borrowing PhoneOS) -> MotionActivity? {
    let place = context.system(
      of: os.id, cohort: Int(phones[i].cohort), policy: Int(phones[i].policy))
    let coprocessor = MotionCoprocessor(
      seed: context.scenario.seed, profile: context.systems[place].profile.motion)
    return coprocessor.activity(in: os.segment, phone: os.id)
  }

  mutating func outcomePerceived(_ i: Int, now: SimInstant) {
    account(i, upTo: now)
    phones[i].upload.isInFlight = false
    switch phones[i].os.transfer.stage {
    case .none, .answered: break
    case .queued: return isDraining ? () : system(i, .transferDue, now: now)
    case .sending: return transferAnswered(i, now: now)
    case .cancelled: return
    }
    let result = phones[i].upload.result
    if result == .acknowledged { phones[i].upload.isRegistered = true }
    if result == .failed { metrics[.uploadsFailed] += 1 }
    guard phones[i].process.mayRunCode || isDraining else {
      phones[i].upload.answerIsLost = true
      metrics[.uploadsLost] += 1
      phones[i].upload.newRollout = 0
      return
    }
    takeSettings(i, &phones[i].os, now: now)
    notify(i, .uploadFinished(result), now: now)
  }

  // MARK: Background sessions (NW1)

  /// Lets the system tell the app how its upload ended, or send it again if the phone is off.
  private mutating func transferAnswered(_ i: Int, now: SimInstant) {
    if isDraining {
      phones[i].os.dropTransfer()
      return outcomePerceived(i, now: now)
    }
    if phones[i].os.isOff(at: now) {
      metrics[.uploadsLost] += 1
      phones[i].upload.newRollout = 0
      return system(i, .transferInterrupted, now: now)
    }
    if phones[i].upload.result == .acknowledged { phones[i].upload.isRegistered = true }
    if phones[i].upload.result == .failed { metrics[.uploadsFailed] += 1 }
    system(i, .transferAnswered, now: now)
  }

  /// Performs what the system does with an upload that the app has handed over.
  mutating func perform(
    _ step: BackgroundTransfer.Step, of i: Int, _ os: inout PhoneOS, now: SimInstant
  ) {
    switch step {
    case .begins:
      account(i, &os, upTo: now)
      let tracker = phones[i].tracker
      sendBatch(i, &os, tracker.lastSequence, tracker.cutCount, now: now)
    case .timesOut:
      account(i, &os, upTo: now)
      phones[i].upload.result = .failed
    case .ended: notifyEnd(phones[i].upload.result, i, &os, now: now)
    case .cancelled: notifyEnd(.connectionLost, i, &os, now: now)
    }
  }

  private mutating func notifyEnd(
    _ result: UploadResult, _ i: Int, _ os: inout PhoneOS, now: SimInstant
  ) {
    takeSettings(i, &os, now: now)
    system(
      i, &os, .appEvent(.uploadFinished(result), evenIfStopped: isDraining), now: now)
  }

  /// Takes an upload off the calendar that its owner's swipe has ended.
  mutating func cancelUpload(_ i: Int, _ os: inout PhoneOS) {
    guard phones[i].upload.isInFlight else { return }
    phones[i].upload.isInFlight = false
    os.due[.uploadOutcome] = .distantFuture
    metrics[.uploadsLost] += 1
  }

  /// Applies the newer settings of an answer; the tracker reads them from now on.
  private mutating func takeSettings(_ i: Int, _ os: inout PhoneOS, now: SimInstant) {
    let number = phones[i].upload.newRollout
    phones[i].upload.newRollout = 0
    guard number > phones[i].rollout, !isDraining else { return }
    phones[i].rollout = number
    phones[i].policy = context.policy(ofRollout: number)
    metrics[.settingsTaken] += 1
    system(i, &os, .appEvent(.settingsChanged, evenIfStopped: isDraining), now: now)
  }

  /// Returns the settings that a server in process wants on a phone.
  private func rollout(_ i: Int, at instant: SimInstant) -> UInt8 {
    guard !context.rollouts.isEmpty else { return 0 }
    return UInt8(
      context.rollouts.newest(
        for: phones[i].id, cohort: Int(phones[i].cohort), at: instant))
  }

  /// Removes an answered batch from the outbox.
  mutating func forget(_ i: Int, _ count: UInt16, _ result: UploadResult) {
    switch result {
    case .acknowledged:
      metrics[.batchesAcknowledged] += 1
      metrics[.fixesAcknowledged] += Int(count)
      // The tracker may have cut the next batch in the same event, so its state is not used here.
      metrics.acknowledgedHash &+= hash(i, count, sequence: phones[i].upload.lastCut)
    case .refused:
      metrics[.batchesRefused] += 1
      metrics[.fixesRefused] += Int(count)
    case .failed, .offline, .connectionLost:
      preconditionFailure("a tracker forgets only answered batches, not \(result)")
    }
    pool.dropFirst(Int(count), from: &phones[i].outbox)
  }

  /// Returns the number of the present installation of a phone's app.
  func epoch(_ i: Int) -> UInt32 { context.epoch &+ UInt32(phones[i].reinstalls) }

  func hash(_ i: Int, _ count: UInt16, sequence: UInt32) -> UInt64 {
    var hash = BatchHash(
      key: context.hashKey,
      BatchID(phone: phones[i].id, epoch: epoch(i), sequence: sequence))
    // The server hashes what it reads, which has the phone's stamps.
    var stamps = context.stamps(of: phones[i].id, cohort: Int(phones[i].cohort))
    pool.forEach(first: Int(count), of: phones[i].outbox) { hash.combine(stamps.stamped($0)) }
    return hash.value
  }

  // MARK: Answers from outside

  /// Hands a server input to its phone, at the present horizon.
  ///
  /// An outcome is perceived no earlier than the modelled network time; one that comes later than
  /// that is counted as late.
  /// - Returns: the input as consumed, for the log.
  package mutating func consume(_ input: ServerInput, phone: PhoneID) -> ConsumedInput {
    let i = Int(phone.rawValue) - firstPhone
    let mark = tallies.mark(metrics)
    switch input {
    case .outcome(let attempt, let result): consumeOutcome(i, attempt, result)
    case .push(let push): receivePush(i, push, now: horizon)
    case .settings(let number):
      // The settings come with the outcome that follows; a phone that no longer waits for one gets
      // them again later.
      if phones[i].upload.isInFlight { phones[i].upload.newRollout = number }
    }
    tallies.add(i, since: mark, metrics)
    reschedule(i)
    return ConsumedInput(phone: phone, at: horizon, input: input)
  }

  private mutating func consumeOutcome(_ i: Int, _ attempt: UInt32, _ result: UploadResult) {
    guard attempt == phones[i].upload.attempt else { return }
    metrics[.outcomesConsumed] += 1
    if result == .acknowledged { noteStored(i, now: horizon) }
    guard phones[i].upload.isInFlight else { return }
    if phones[i].upload.perceivedAt < horizon { metrics[.outcomesLate] += 1 }
    phones[i].upload.result = result
    phones[i].os.due[.uploadOutcome] = max(phones[i].upload.perceivedAt, horizon)
    if isDraining {
      phones[i].os.due[.uploadOutcome] = .distantFuture
      outcomePerceived(i, now: horizon)
    }
  }

  /// Delivers answers that are known but whose perceived instant lies after the end of the time.
  package mutating func deliverKnownAnswers() {
    for i in 0..<count {
      if phones[i].os.due[.stored] < .distantFuture { noteStored(i, now: horizon) }
      if phones[i].os.due[.uploadOutcome] < .distantFuture {
        phones[i].os.due[.uploadOutcome] = .distantFuture
        outcomePerceived(i, now: horizon)
      }
      reschedule(i)
    }
  }

  /// Drops everything in flight between the warm start and the counted part, as a reset of each
  /// phone's radio would. Both engines do this, so that both begin with the same phones.
  package mutating func dropConnections() {
    for i in 0..<count {
      phones[i].os.due[.stored] = .distantFuture
      guard phones[i].upload.isInFlight else { continue }
      phones[i].upload.isInFlight = false
      phones[i].upload.newRollout = 0
      if phones[i].os.transfer.stage == .sending {
        phones[i].os.due[.uploadOutcome] = .distantFuture
        system(i, .transferInterrupted, now: horizon)
      } else {
        phones[i].upload.result = .connectionLost
        phones[i].os.due[.uploadOutcome] = horizon
      }
      reschedule(i)
    }
  }

  /// Calls `body` with each batch that was cut and not answered; the server may have it or not.
  package func unanswered(_ body: (BatchID, _ hash: UInt64, _ fixes: Int) -> Void) {
    for i in 0..<count {
      for entry in former[i] {
        if let (id, hash, fixes) = entry.unanswered { body(id, hash, fixes) }
      }
      guard phones[i].tracker.cutCount > 0 else { continue }
      let id = BatchID(
        phone: phones[i].id, epoch: epoch(i), sequence: phones[i].tracker.lastSequence)
      let count = phones[i].tracker.cutCount
      body(id, hash(i, count, sequence: id.sequence), Int(count))
    }
  }

  /// Calls `body` with the newest batch of each phone whose acknowledgement it perceived; number 0
  /// if there is none.
  package func acknowledged(_ body: (BatchID) -> Void) {
    for i in 0..<count { body(newestAcknowledged(i)) }
  }

  /// Calls `body` with the same of the apps that were deleted in the counted time.
  package func formerlyAcknowledged(_ body: (BatchID) -> Void) {
    for i in 0..<count {
      for entry in former[i] { body(entry.newest) }
    }
  }

  func newestAcknowledged(_ i: Int) -> BatchID {
    let tracker = phones[i].tracker
    return BatchID(
      phone: phones[i].id, epoch: epoch(i),
      sequence: tracker.lastSequence - (tracker.cutCount > 0 ? 1 : 0))
  }

  // MARK: Outboxes

  /// Gives each phone the outbox that it would have if its fleet had not been killed: every fix
  /// that is newer than those in its submitted batches. The journal sends those batches again.
  ///
  /// - Parameter known: the newest batch of a phone that the server knew before the run, by its
  ///   `order`.
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
      where batch.id.epoch == epoch(i)
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
      let isOfThis = order >> 32 == UInt64(epoch(i))
      let sequence = isOfThis ? UInt32(truncatingIfNeeded: order) : 0
      phones[i].tracker.restore(lastSequence: sequence, outbox: min(fixes.count, most))
      phones[i].os.dropTransfer()
      phones[i].upload.lastCut = sequence
    }
  }
}
