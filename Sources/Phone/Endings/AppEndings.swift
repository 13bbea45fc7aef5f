internal import SimulationCore
internal import Telemetry

/// Ends an app for memory, for an update, or because its owner deletes it (LC13–LC16).
enum AppEndings {
  /// LC13, LC14: Ends the app if the phone needs memory now, unless its owner uses it; one that
  /// runs in the background goes on most often. Puts the next such instant on the calendar.
  static func lookAtMemory(
    _ phone: inout PhoneOS, _ now: SimInstant, _ context: borrowing PhoneOS.Context,
    _ owner: PhoneOS.Owner
  ) {
    let memory = context.memory
    phone.due[.memory] = memory.next(after: now, phone: phone.id, context.battery)
    guard let urgency = memory.urgency(at: now, phone: phone.id, context.battery) else { return }
    switch phone.process.state {
    case .notRunning, .foreground: break
    case .suspended: end(&phone, by: .memory, needsOpening: false, now, context, owner)
    case .background:
      guard urgency < memory.whileRunning else { return }
      end(&phone, by: .memory, needsOpening: false, now, context, owner)
    }
  }

  /// Ends the process; what the system keeps for the app stays: its permission, its regions, its
  /// services and a push that is held (LC15).
  static func end(
    _ phone: inout PhoneOS, by cause: AppProcess.Ending, needsOpening: Bool, _ now: SimInstant,
    _ context: borrowing PhoneOS.Context, _ owner: PhoneOS.Owner
  ) {
    owner(&phone, .ends(cause), now)
    phone.process.willEnd(by: cause, needsOpening: needsOpening)
    phone.die(now, context, owner)
  }

  /// LC16: Ends the app and forgets what the system keeps for it: services, permission, and the
  /// push that the phone held.
  static func remove(
    _ phone: inout PhoneOS, _ now: SimInstant, _ context: borrowing PhoneOS.Context,
    _ owner: PhoneOS.Owner
  ) {
    end(&phone, by: .reinstall, needsOpening: true, now, context, owner)
    phone.discardHeldPush(now, context, owner)
    phone.stopSignificantChange()
    phone.stopVisits()
    phone.stopMonitoringRegion()
    phone.places = PlaceWatch()
    phone.due[.place] = .distantFuture
    // LU2: Its background activity session is gone, too.
    phone.holdsSession = false
    phone.standard = StandardService()
    phone.due[.standard] = .distantFuture
    phone.due[.pause] = .distantFuture
    phone.authorize(.notDetermined, now, context, owner)
    PermissionPrompts.forget(&phone)
    phone.pendingNotices = []
  }
}
