package import Core

/// Sends the uploads of a recording in place of an app. No system runs or stops the phone: each
/// upload happens at its recorded time.
extension Device {
  /// The most fixes of a batch. A backlog is sent in several batches.
  static let replayedFixesMax = 1_000

  /// Gives the app every permission, since a log has none.
  package mutating func beginReplay() {
    authorization = .always
    consent.remove(.reduced)
  }

  /// Adds fixes to the outbox, and sends them unless an upload is in flight.
  ///
  /// - Parameter delay: How much later the phone sends than the recorded one.
  /// - Parameter battery: The recorded battery level in percent; nil if unknown.
  package mutating func replay(
    _ fixes: ArraySlice<Fix>, later delay: SimDuration, battery: UInt8?,
    _ context: borrowing Context, _ out: inout Effects
  ) {
    if outbox.count == 0 { account(context, &out) }
    for fix in fixes {
      guard outbox.count < .max else {
        out.emit(.evicted)
        continue
      }
      var fix = fix
      if delay > .zero { fix.time = FixTime(fix.time.instant + delay) }
      out.outboxes.append(fix, to: &outbox)
      tracker.outboxCount += 1
    }
    sendReplayed(battery: battery, context, &out)
  }

  /// Removes what the server has answered, and sends what has waited for the answer. Fixes of a
  /// failed upload are sent again with the next recorded upload.
  package mutating func replayAnswered(_ context: borrowing Context, _ out: inout Effects) {
    switch upload.result {
    case .acknowledged, .refused:
      let count = tracker.cutCount
      forget(count, upload.result, context, &out)
      tracker.outboxCount -= count
      tracker.cutCount = 0
      sendReplayed(battery: nil, context, &out)
    case .failed, .offline, .connectionLost: break
    }
  }

  private mutating func sendReplayed(
    battery: UInt8?, _ context: borrowing Context, _ out: inout Effects
  ) {
    guard !upload.isInFlight, tracker.outboxCount > 0, !out.isDraining else { return }
    if tracker.cutCount == 0 {
      tracker.cutCount = min(tracker.outboxCount, UInt16(Self.replayedFixesMax))
      tracker.lastSequence += 1
      upload.lastCut = tracker.lastSequence
      out.emit(.batchCut)
    }
    beginAttempt(tracker.lastSequence, tracker.cutCount, context, &out)
    submit(tracker.lastSequence, tracker.cutCount, context, &out)
    // A simulated outage leaves no order.
    if out.orders.last?.id.phone == id, out.orders.last?.attempt == upload.attempt {
      out.orders[out.orders.count - 1].device = BatchDevice(batteryPercent: battery)
    }
  }
}
