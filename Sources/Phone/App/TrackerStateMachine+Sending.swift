internal import Core
internal import Scenarios

// Moves fixes from the outbox to the server and handles the answers.

extension TrackerStateMachine {
  mutating func trySend(
    _ now: SimInstant, _ context: borrowing Context, force: Bool, _ out: inout CommandList
  ) {
    guard !memory.isSending || sending.isEvent, outboxCount > 0, now >= notBefore else {
      return
    }
    let send = context.settings.send
    let isFull = Int(outboxCount) >= send.maxFixes
    guard force || isFull || now - lastSend >= send.interval else { return }
    if eventCount > 0, sending.isEvent || !sending.hasFailed {
      sending.fixesWait = true
      return sendEvent(now, context, &out)
    }
    if cutCount == 0 {
      cutCount = UInt16(min(Int(outboxCount), send.maxFixes))
      lastSequence += 1
    }
    memory.isSending = true
    lastSend = now
    switch send.session {
    case .background: isHandedOver = true
    case .standard: if memory.openTasks == 0 { holdBackgroundTask(context, &out) }
    }
    out.append(.upload(sequence: lastSequence, count: cutCount))
  }

  /// In the background, sends fixes if the send interval has passed, or sets a timer for its end.
  /// In the foreground the timer of `armSendTimer` sends instead.
  mutating func sendWhenAllowed(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard !memory.isForeground else { return }
    trySend(now, context, force: false, &out)
    guard !memory.isSending, outboxCount > 0, !memory.sendIsTimed else { return }
    memory.sendIsTimed = true
    out.append(
      .setTimer(.send, at: max(lastSend + context.settings.send.interval, notBefore)))
  }

  mutating func uploadFinished(
    _ result: UploadResult, _ phone: PhoneID, _ now: SimInstant, _ context: borrowing Context,
    _ out: inout CommandList
  ) {
    if sending.isEvent { return eventFinished(result, phone, now, context, &out) }
    let wasHandedOver = isHandedOver
    memory.isSending = false
    sending.hasFailed = false
    isHandedOver = false
    switch result {
    case .acknowledged, .refused:
      out.append(.forget(count: cutCount, result))
      outboxCount -= cutCount
      cutCount = 0
      failures = 0
      notBefore = .distantPast
      let send = context.settings.send
      // NW4: Everything that has waited for Wi-Fi is sent while Wi-Fi is available.
      if Int(outboxCount) >= send.maxFixes || !send.allowsCellular {
        trySend(now, context, force: true, &out)
      }
    case .failed, .offline, .connectionLost:
      backOff(phone, now, context)
    }
    if memory.isForeground {
      armSendTimer(now, context, &out)
    } else if use(context).pattern.runsByItself {
      sendWhenAllowed(now, context, &out)
    } else if wasHandedOver {
      trySend(now, context, force: false, &out)
    }
    release(context, &out)
  }

  /// Sends the oldest event, unless an upload is in flight or the app backs off.
  mutating func sendEvent(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    guard !memory.isSending, !memory.isInert, now >= notBefore else { return }
    memory.isSending = true
    sending.isEvent = true
    if memory.openTasks == 0 { holdBackgroundTask(context, &out) }
    out.append(.uploadEvent)
  }

  /// Forgets an answered event. An event that failed waits for the backoff and for an occasion on
  /// which the app runs, as batches do. Fixes that were due are sent next.
  private mutating func eventFinished(
    _ result: UploadResult, _ phone: PhoneID, _ now: SimInstant, _ context: borrowing Context,
    _ out: inout CommandList
  ) {
    memory.isSending = false
    sending.isEvent = false
    switch result {
    case .acknowledged, .refused:
      out.append(.forgetEvent(result))
      eventCount -= 1
      failures = 0
      notBefore = .distantPast
    case .failed, .offline, .connectionLost:
      sending.hasFailed = true
      backOff(phone, now, context)
    }
    if sending.fixesWait {
      sending.fixesWait = false
      trySend(now, context, force: true, &out)
    }
    if memory.isForeground {
      armSendTimer(now, context, &out)
    } else if use(context).pattern.runsByItself {
      sendWhenAllowed(now, context, &out)
    }
    release(context, &out)
  }

  /// Draws the backoff with full jitter: uniform up to base · 2^failures, capped. The draw is keyed
  /// by batch and number of failures.
  private mutating func backOff(_ phone: PhoneID, _ now: SimInstant, _ context: borrowing Context) {
    let send = context.settings.send
    let exponential = send.backoffBase.seconds * Double(1 << min(failures, 20))
    var draw = Draw(
      seed: context.seed, phone: phone.rawValue, .uploadRetry, Int64(lastSequence), Int64(failures))
    notBefore =
      now + SimDuration(seconds: draw.uniform() * min(send.backoffCap.seconds, exponential))
    failures = min(failures + 1, 30)
  }

  mutating func sendTimer(
    _ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList
  ) {
    memory.sendIsTimed = false
    trySend(now, context, force: false, &out)
    if memory.isForeground {
      armSendTimer(now, context, &out)
    } else if use(context).pattern.runsByItself {
      sendWhenAllowed(now, context, &out)
    }
    release(context, &out)
  }

  func armSendTimer(_ now: SimInstant, _ context: borrowing Context, _ out: inout CommandList) {
    guard memory.isForeground else { return }
    let wait = max(context.settings.send.interval, .seconds(1))
    out.append(.setTimer(.send, at: max(now + wait, notBefore)))
  }
}
