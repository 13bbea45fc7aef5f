package import Scenarios
package import Telemetry

/// Decides the outcome of an app's request for location permission (AU1–AU6).
package enum Permission {
  /// Returns the answer to a request; nil if no prompt is shown and the app gets no callback (AU2,
  /// AU6).
  ///
  /// - Parameter user: what the owner would grant at most.
  /// - Parameter isProvisional: the owner grants Always at first, and takes it back at the second
  ///   prompt (iOS 13; rule book 2.1).
  package static func answer(
    to request: AuthorizationRequest, current: Authorization, app: AppManifest, os: OSProfile,
    user: Authorization, isProvisional: Bool
  ) -> Authorization? {
    // AU6: the prompt is one-shot; after an answer only Settings changes it.
    guard current == .notDetermined, os.requiresRequest else { return nil }
    switch request {
    case .nothing:
      return nil
    case .whenInUse:
      guard app.whenInUseDescription else { return nil }
      return user == .always ? .whenInUse : user
    case .always:
      guard app.alwaysDescription else { return nil }
      return isProvisional && os.hasProvisionalAlways && user == .whenInUse ? .always : user
    }
  }

  /// Returns the answer to the prompt that the start of a service shows before iOS 8, for Always or
  /// nothing; nil on later systems, which do not prompt there (AU1, AU3).
  package static func implicitAnswer(
    current: Authorization, os: OSProfile, user: Authorization
  ) -> Authorization? {
    guard current == .notDetermined, !os.requiresRequest else { return nil }
    return user == .denied ? .denied : .always
  }
}

/// Names the app's own error that ended its process.
package enum CrashReason: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  /// AU8: `allowsBackgroundLocationUpdates` without `location` among `UIBackgroundModes`.
  case backgroundModeMissing
  /// LC6: the main thread did not answer in time.
  case watchdog
  /// LC4: a background task was open after its expiration handler (0x8badf00d).
  case backgroundTimeOver
}
