/// The state of a client's connection, for every carrier. The state decides whether the connection
/// accepts new calls and when the connection closes.
///
///     open ──server goes away──▶ draining ──last call ends──▶ closed
///      └───────────────── the link ends ──────────────────────▲
///
/// The machine is pure, and the connection's owner performs the returned action.
struct ClientConnectionMachine: Equatable {
  enum Action: Equatable {
    case none
    case announceGoingAway
    case close
  }

  private enum State { case open, draining, closed }

  private var state = State.open

  var takesCalls: Bool { state == .open }

  /// Enters draining. A server may send GOAWAY more than once.
  mutating func serverGoesAway() -> Action {
    switch state {
    case .open, .draining:
      state = .draining
      return .announceGoingAway
    case .closed: return .none
    }
  }

  mutating func callEnded(open: Int) -> Action {
    switch state {
    case .draining where open == 0: return .close
    case .open, .draining, .closed: return .none
    }
  }

  mutating func ended() { state = .closed }
}
