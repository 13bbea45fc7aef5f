/// Why a phone was not fresh. Every stale phone-minute has exactly one cause.
package enum StaleCause: String, CaseIterable, Sendable, Codable, CodingKeyRepresentable,
  BitwiseCopyable
{
  case switchedOff = "switched-off"
  case noPermission = "no-permission"
  case forceQuit = "force-quit"
  case policySilent = "policy-silent"
  case inOutbox = "in-outbox"
  case offline
  case pushGate = "push-gate"
  case server
  /// The app's location service was on, but found no position.
  case noPosition = "no-position"
  case batteryEmpty = "battery-empty"
  case beforeFirstUnlock = "before-first-unlock"
  /// The OS ended the running app to free memory, and nothing has started the app since.
  case endedForMemory = "ended-for-memory"
  /// The app was updated while it ran, or its owner must open the new version first.
  case updated
  /// The app was deleted, and its new installation has not been opened yet.
  case reinstalled
  /// Fixes wait for Wi-Fi, because the app or the system sends only over Wi-Fi.
  case waitingForWifi = "waiting-for-wifi"
  /// Precise location is off, so that no region wakes the app, and nothing else made it report.
  case preciseOff = "precise-off"
}
