internal import Core

/// The states of a secured stream, on both sides.
///
///     handshaking ──finished──▶ open ──either side closes, breaks──▶ ended
///         └── failed, closed by the peer, too slow ───────────────▲
///
/// The machine is pure: it reads no clock and calls no library. `TLSStream` performs the actions.
struct TLSMachine {
  enum Progress: Equatable {
    case wantsMore
    case finished
    case failed(TLSError)
  }

  enum Action: Equatable {
    case none
    case open
    /// Send OpenSSL's alert, if any, and end.
    case fail(TLSError)
    case end(LinkError)
  }

  private enum State { case handshaking, open, ended }

  /// The time limit of a handshake, the same as for the first call (`ServerLimits.firstCallTime`).
  static let handshakeTime = WallDuration.seconds(Int64(handshakeSeconds))
  static let handshakeSeconds = 10

  private var state = State.handshaking
  private let startedAt: WallInstant

  init(startedAt: WallInstant) { self.startedAt = startedAt }

  var isHandshaking: Bool { state == .handshaking }
  var isOpen: Bool { state == .open }

  var due: WallInstant { startedAt + Self.handshakeTime }

  mutating func moved(_ progress: Progress) -> Action {
    guard state == .handshaking else { return .none }
    switch progress {
    case .wantsMore: return .none
    case .finished:
      state = .open
      return .open
    case .failed(let failure):
      state = .ended
      return .fail(failure)
    }
  }

  mutating func timePassed(at now: WallInstant) -> Action {
    guard state == .handshaking, now >= due else { return .none }
    state = .ended
    return .fail(.timedOut)
  }

  mutating func ended(_ end: LinkError) -> Action {
    switch (state, end) {
    case (.ended, _): return .none
    case (.open, _), (.handshaking, .closedHere):
      state = .ended
      return .end(end)
    case (.handshaking, .closedByPeer):
      state = .ended
      return .fail(.closed)
    case (.handshaking, .failed), (.handshaking, .protocolError):
      state = .ended
      return .end(end)
    }
  }

  mutating func broke(_ failure: TLSError) -> Action {
    guard state == .open else { return .none }
    state = .ended
    return .fail(failure)
  }

  mutating func close() { state = .ended }
}
