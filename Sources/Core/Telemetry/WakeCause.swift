package enum WakeCause: String, CaseIterable, Sendable, Codable, BitwiseCopyable {
  case regionExit = "region-exit"
  case significantChange = "significant-change"
  case visit
  case push
  /// A background refresh or processing task.
  case refresh
  case userSession = "user-session"
  /// A timer of the running app; a suspended app's timers do not fire (LC2).
  case timer
}

extension WakeCause {
  /// Whether the OS gave a suspended or ended app time to run, rather than the owner or a timer.
  package var isWake: Bool {
    switch self {
    case .regionExit, .significantChange, .visit, .push, .refresh: true
    case .userSession, .timer: false
    }
  }

  /// The index of the cause in a row of columns: 0 … 6, in the order of the cases. An enumeration
  /// without payloads is stored as this index.
  package var slot: Int { Int(unsafeBitCast(self, to: UInt8.self)) }
}
