package import Core
internal import Push
package import Scenarios

package struct UploadOrder: Sendable, BitwiseCopyable {
  package var id: BatchID
  /// The number of the attempt. The phone ignores an answer to an older attempt.
  package var attempt: UInt32
  /// The intended time of the attempt, at which the phone sends the batch.
  package var intended: SimInstant
  /// The earliest instant at which the phone perceives the answer.
  package var perceivedAt: SimInstant
  /// The instant at which the server has the batch, on an ideal network.
  package var reachesServer: SimInstant
  package var firstFix: Int32
  package var fixCount: UInt16
  /// Whether the app must register first, because it was launched since its last registration.
  package var registers: Bool
  package var authorization: Authorization
  package var tokenIsValid: Bool
  /// LC16: Whether a registration carries the token of a new installation, which the server has not
  /// yet acknowledged.
  package var bringsToken = false
  package var cohort: UInt8
  /// The newest rollout of settings on the phone, counted from 1; 0 if none.
  package var rollout: UInt8 = 0
  package var device = BatchDevice()

  package static let blank = UploadOrder(
    id: BatchID(phone: PhoneID(rawValue: 0), epoch: 0, sequence: 0), attempt: 0,
    intended: .distantPast, perceivedAt: .distantPast, reachesServer: .distantPast, firstFix: 0,
    fixCount: 0, registers: false, authorization: .notDetermined, tokenIsValid: false, cohort: 0)
}

/// The state of a phone that an app may send with a batch.
package struct BatchDevice: Sendable, BitwiseCopyable {
  package var batteryPercent: UInt8?
  package var isCharging: Bool?
  /// The motion activity that the system has recognised (AC5); nil if unknown.
  package var motion: MotionActivity?

  package init(
    batteryPercent: UInt8? = nil, isCharging: Bool? = nil, motion: MotionActivity? = nil
  ) {
    self.batteryPercent = batteryPercent
    self.isCharging = isCharging
    self.motion = motion
  }
}

/// Keeps the app's fixes and sends them.
extension Device {
  // MARK: Outbox

  mutating func keep(_ fix: Fix, _ context: borrowing Context, _ out: inout Effects) {
    // The cause of stale time changes with the phone's first waiting fix.
    if outbox.count == 0 { account(context, &out) }
    // A position that the app reads from its manager counts as generated, like a delivered fix.
    let isNew = out.located?.fix != fix
    if isNew { out.generated += 1 }
    let truth: PlanePoint
    if !isNew, let known = out.located?.truth {
      truth = known
    } else {
      truth = segment.position(at: out.now)
    }
    let place = context.maker.projection.point(of: fix.coordinate)
    out.emit(.kept(out.located.source(of: fix), offMeters: truth.distance(to: place)))
    // A fix that the app keeps twice counts twice: as delivered, and as read from its manager.
    if !isNew { out.located = nil }
    energy.fixes += 1
    out.outboxes.append(fix, to: &outbox)
  }

  mutating func forget(
    _ count: UInt16, _ result: UploadResult, _ context: borrowing Context, _ out: inout Effects
  ) {
    // The tracker may have cut the next batch in the same event, so its state is not used here.
    let id = batch(upload.lastCut, context)
    out.emit(.forgot(count, result, hash: out.hash(id, count, of: outbox, context)))
    out.outboxes.dropFirst(Int(count), from: &outbox)
  }

  @inline(__always) package func batch(
    _ sequence: UInt32, _ context: borrowing Context
  ) -> BatchID {
    BatchID(phone: id, epoch: context.path.epoch &+ UInt32(reinstalls), sequence: sequence)
  }

  // MARK: Uploads

  mutating func startUpload(
    _ sequence: UInt32, _ count: UInt16, _ context: borrowing Context, _ out: inout Effects
  ) {
    if sequence > upload.lastCut {
      upload.lastCut = sequence
      out.emit(.batchCut)
    }
    // During the drain, a batch that follows the last answer is cut, but not sent.
    if out.isDraining { return }
    switch context.policy.settings.send.session {
    case .standard: sendBatch(sequence, count, context, &out)
    case .background:
      account(context, &out)
      queueTransfer(out.now, context)
    }
  }

  mutating func sendBatch(
    _ sequence: UInt32, _ count: UInt16, _ context: borrowing Context, _ out: inout Effects
  ) {
    beginAttempt(sequence, count, context, &out)
    if isWithoutNetwork(context, at: out.now) {
      // Without a data path the system fails the upload at once.
      out.emit(.uploadOffline)
      upload.result = .offline
      due[.uploadOutcome] = out.now + context.path.model.offlineAnswer
      return
    }
    submit(sequence, count, context, &out)
  }

  mutating func beginAttempt(
    _ sequence: UInt32, _ count: UInt16, _ context: borrowing Context, _ out: inout Effects
  ) {
    behaviour.combine(2, out.now, UInt64(sequence) << 16 | UInt64(count))
    // Records the last upload's fixes as stored before the new upload replaces it.
    if due[.stored] < .distantFuture { noteStored(context, &out) }
    upload.attempt += 1
    upload.isEvent = false
  }

  mutating func submit(
    _ sequence: UInt32, _ count: UInt16, _ context: borrowing Context, _ out: inout Effects
  ) {
    let order = makeOrder(sequence, count, context, &out)
    upload.perceivedAt = order.perceivedAt
    upload.isInFlight = true
    upload.newRollout = 0
    upload.bringsToken = order.bringsToken
    if out.isAnsweredInProcess {
      due[.uploadOutcome] = order.perceivedAt
      guard !context.path.outages.isDown(at: order.reachesServer) else {
        // The server refuses the call before reading it, so there is no order.
        upload.result = .failed
        upload.bringsToken = false
        return out.emit(.uploadStarted(reachesServer: .distantFuture))
      }
      upload.result = .acknowledged
      // The server has the batch before its answer arrives.
      due[.stored] = order.reachesServer
    }
    out.emit(.uploadStarted(reachesServer: order.reachesServer))
    out.orders.append(order)
  }

  mutating func isWithoutNetwork(_ context: borrowing Context, at now: SimInstant) -> Bool {
    isCutOff(at: now) || isKeptFromSending(context) || lacksNetwork(at: now, context)
  }

  /// Draws the power of an upload of this size from the battery.
  mutating func transmit(
    bytes: Int, _ context: borrowing Context, _ out: inout Effects
  ) {
    let radio = radio(context)
    let use = energy.send(
      bytes: bytes, over: radio, isWeak: link.contains(.weakSignal),
      connects: connects(out.now, context), context.prices.profile, now: out.now)
    battery.charge -= bill(EnergyMeter(use, over: radio), context, &out)
    out.emit(.sent(use, over: radio))
    pushes.charge(bytes: bytes, of: id, at: out.now, context.push)
  }

  private mutating func makeOrder(
    _ sequence: UInt32, _ count: UInt16, _ context: borrowing Context, _ out: inout Effects
  ) -> UploadOrder {
    var fixes: [Fix] = []
    swap(&fixes, &out.orderFixes)
    let first = fixes.count
    var newest = upload.newest
    var place = upload.newestPlace
    var size = BatchSize()
    out.outboxes.forEach(first: Int(count), of: outbox) { fix in
      fixes.append(fix)
      size.add(fix)
      if fix.time > newest {
        newest = fix.time
        place = fix.coordinate
      }
    }
    swap(&fixes, &out.orderFixes)
    upload.newest = newest
    upload.newestPlace = place
    transmit(bytes: size.bytes(as: context.path.encoding), context, &out)
    let trip = context.path.roundTrip(wifi: isOnWifi, phone: id, attempt: upload.attempt)
    return UploadOrder(
      id: batch(sequence, context), attempt: upload.attempt, intended: out.now,
      perceivedAt: out.now + trip, reachesServer: out.now + context.path.uplink(of: trip),
      firstFix: Int32(first), fixCount: count, registers: !upload.isRegistered,
      authorization: authorization, tokenIsValid: tokenIsValid,
      bringsToken: hasOldToken && !upload.isRegistered, cohort: cohort, rollout: rollout,
      device: reported(context))
  }

  /// Returns the phone's state as an app reads it.
  @inline(__always) func reported(_ context: borrowing Context) -> BatchDevice {
    BatchDevice(
      batteryPercent: UInt8(clamping: context.battery.percent(battery)),
      isCharging: battery.isPlugged, motion: motion(context))
  }

  /// BT10: Returns Wi-Fi if it is the data path, else 5G where phone and place have it, else LTE.
  @inline(__always) private func radio(_ context: borrowing Context) -> DataRadio {
    if isOnWifi { return .wifi }
    return link.contains(.newRadio) && context.prices.profile.hasNewRadio ? .newRadio : .cellular
  }

  /// BT11: Returns whether a send needs a new connection: the last response is too old, or the app
  /// has left the foreground or was suspended since then (LC3).
  @inline(__always) private func connects(_ now: SimInstant, _ context: borrowing Context) -> Bool {
    let kept = SimDuration(seconds: context.prices.profile.connection.keptSeconds)
    let since = process.backgroundSince
    return upload.perceivedAt + kept < now
      || since != .distantFuture && since > upload.perceivedAt
  }

  /// AC5: Returns the motion activity that an app would receive.
  @inline(__always) func motion(_ context: borrowing Context) -> MotionActivity? {
    MotionCoprocessor(seed: context.seed, profile: context.profile.motion)
      .activity(in: segment, phone: id)
  }

  /// Records that the server has the fixes of the upload in flight.
  package mutating func noteStored(_ context: borrowing Context, _ out: inout Effects) {
    due[.stored] = .distantFuture
    if upload.bringsToken {
      upload.bringsToken = false
      hasOldToken = false
      provider.forgetOldToken()
    }
    // Without a fix the time is the least number, which has no instant.
    guard upload.newest.centiseconds > .min, upload.newest.instant > stored.time else { return }
    let newest = upload.newest.instant
    account(context, &out)
    stored.time = newest
    stored.place = upload.newestPlace
    pushWasGated = false
    out.emit(.stored(newest))
  }
}
