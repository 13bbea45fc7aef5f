internal import Core

/// Ends an app because of memory pressure, an update or its deletion by the owner (LC13–LC16).
extension Device {
  /// LC13, LC14: Ends a suspended app, and sometimes a background app, if the phone needs memory
  /// now. Schedules the next memory shortage.
  mutating func lookAtMemory(_ context: borrowing Context, _ out: inout Effects) {
    // ALC1, AFG9: Android's rules have their own rates.
    if context.isAndroid { return }
    let memory = context.memory
    due[.memory] = memory.next(after: out.now, phone: id, context.battery)
    guard let urgency = memory.urgency(at: out.now, phone: id, context.battery) else { return }
    switch process.state {
    case .notRunning, .foreground: break
    case .suspended: end(by: .memory, needsOpening: false, context, &out)
    case .background:
      guard urgency < memory.whileRunning else { return }
      end(by: .memory, needsOpening: false, context, &out)
    }
  }

  /// Ends the process. The system keeps the app's permission, regions, services, a held push (LC15)
  /// and periodic work (ALC10).
  mutating func end(
    by cause: AppProcess.Ending, needsOpening: Bool, _ context: borrowing Context,
    _ out: inout Effects
  ) {
    account(context, &out)
    behaviour.combine(6, out.now, UInt64(cause.rawValue))
    out.emit(.ends(cause))
    process.willEnd(by: cause, needsOpening: needsOpening)
    die(context, &out)
  }

  /// LC16: Ends the app and forgets its services, its permission, a held push, a requested refresh
  /// and a background transfer, which the system cancels.
  mutating func remove(_ context: borrowing Context, _ out: inout Effects) {
    end(by: .reinstall, needsOpening: true, context, &out)
    discardHeldPush(context, &out)
    stopSignificantChange()
    stopVisits()
    stopMonitoringRegion()
    stopMonitoringPlaces()
    forgetTransitions()
    // LU2: The app's background activity session is lost, too.
    holdsSession = false
    transfer = BackgroundTransfer()
    due[.refresh] = .distantFuture
    due[.background] = .distantFuture
    standard = StandardService()
    due[.standard] = .distantFuture
    due[.pause] = .distantFuture
    authorize(.notDetermined, context, &out)
    forgetConsent()
    pendingNotices = []
  }
}
