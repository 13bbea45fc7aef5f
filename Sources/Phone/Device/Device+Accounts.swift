package import Core
internal import Push

/// Maintains the accounts of the phone's freshness and of its energy.
extension Device {
  /// Closes the freshness accounts up to `out.now`. Call this before the server's newest fix, the
  /// segment or the cause of stale time changes.
  package mutating func account(_ context: borrowing Context, _ out: inout Effects) {
    let t = out.now
    let from = max(mark, out.accounting.start)
    let to = min(t, out.accounting.end)
    mark = max(mark, t)
    guard from < to else { return }
    let staleFrom = stored.isNever ? from : max(from, stored.time + out.freshFor)
    let cause = staleFrom < to ? cause(from: from, to: t, context) : .policySilent
    out.emit(
      .passed(
        Stretch(
          from: from, to: to, staleFrom: staleFrom, stored: stored, cause: cause,
          isReachable: isReachable)))
  }

  /// Returns the first cause that applies to stale time from `t` to `end`, in which nothing
  /// changed. The method is mutating although it changes nothing, so that the phone is not copied.
  package mutating func cause(
    from t: SimInstant, to end: SimInstant, _ context: borrowing Context
  ) -> StaleCause {
    if switchedOff.contains(t) { return .switchedOff }
    if battery.isEmpty { return .batteryEmpty }
    if battery.isLocked { return .beforeFirstUnlock }
    if process.ending == .reinstall { return .reinstalled }
    if backgroundPermission != .always { return .noPermission }
    if android.flags.contains(.locationOff) { return .noPosition }
    if process.isForceQuit && process.state == .notRunning { return .forceQuit }
    switch process.ending {
    case .none, .reinstall: break
    case .memory: return .endedForMemory
    case .update: return .updated
    }
    if outbox.count > 0 {
      if isCutOff(at: t) { return .offline }
      if waitsForWifi(context) { return .waitingForWifi }
      switch upload.result {
      case .failed, .refused: return .server
      case .acknowledged, .offline, .connectionLost: return .inOutbox
      }
    }
    if findsNothing(from: t, to: end, context) { return .noPosition }
    if delivery.stage == .stored {
      return provider.storedFor?.isOnPhone == true ? .pushGate : .offline
    }
    if pushWasGated { return .pushGate }
    return isImprecise(context) ? .preciseOff : .policySilent
  }

  /// Returns the energy that `use` takes out of the battery, in microjoules; 0 after the measured
  /// time.
  mutating func bill(
    _ use: EnergyMeter, _ context: borrowing Context, _ out: inout Effects
  ) -> Int64 {
    if out.isDraining { return 0 }
    let bill = context.prices.bill(use)
    energy.add(bill)
    return bill.total
  }
}
