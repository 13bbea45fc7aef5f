/// Whether a client's connection takes new calls, and when it has done its work; the same for every
/// carrier.
///
///     open ──server goes away──▶ draining ──last call ends──▶ closed
///       └───────────────── the link ends ──────────────────────▲
///
/// Pure: whoever owns the connection performs the returned action.
struct ClientConnectionMachine: Equatable {
  enum Action: Equatable {
    case none
    /// No new calls: those that waited look for another connection.
    case announceGoingAway
    /// Nothing more will happen on it.
    case close
  }

  private enum State { case open, draining, closed }

  private var state = State.open

  /// Whether new calls may be opened.
  var takesCalls: Bool { state == .open }

  /// The server answers what it has and takes nothing more. It may say so more than once.
  mutating func serverGoesAway() -> Action {
    switch state {
    case .open, .draining:
      state = .draining
      return .announceGoingAway
    case .closed: return .none
    }
  }

  /// A call has ended; `open` others have not.
  mutating func callEnded(open: Int) -> Action {
    switch state {
    case .draining where open == 0: return .close
    case .open, .draining, .closed: return .none
    }
  }

  /// The link is gone.
  mutating func ended() { state = .closed }
}
