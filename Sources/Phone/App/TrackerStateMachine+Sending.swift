internal import Core
internal import Scenarios

// Moves fixes from the outbox to the server and handles the answers.

extension TrackerStateMachine {
  mutating func trySend(
    _ now: SimInstant, _ context: borrowing Context, force: Bool, _ out: inout CommandList
  ) {
    guard !memory.isSending, outboxCount > 0, now >= notBefore else { return }
    let send = context.settings.send
    let isFull = Int(outboxCount) >= send.maxFixes
    guard force || isFull || now - lastSend >= send.interval else { return }
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
    let wasHandedOver = isHandedOver
    memory.isSending = false
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
