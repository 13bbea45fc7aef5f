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
  /// The OS ended the running app for memory; nothing has started it since.
  case endedForMemory = "ended-for-memory"
  /// The app was updated while it ran, or must be opened before it runs.
  case updated
  /// The app was deleted, and the new installation not yet opened.
  case reinstalled
  /// Fixes wait for Wi-Fi, because the app or the system sends on nothing else.
  case waitingForWifi = "waiting-for-wifi"
  /// Nothing made the app report, and precise location is off, so that its regions are silent.
  case preciseOff = "precise-off"
}
