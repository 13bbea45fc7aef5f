internal import SimulationCore

/// The life of a secured stream, from its first byte to its end; the same on both sides.
///
///     handshaking ──finished──▶ open ──either side closes, breaks──▶ ended
///          └── failed, closed by the other side, too slow ───────────▲
///
/// Pure: it reads no clock and holds no library's state. `TLSStream` performs what is returned.
struct TLSMachine {
  /// What the library says of a handshake when it has read what there was.
  enum Progress: Equatable {
    case wantsMore
    case finished
    case failed(TLSError)
  }

  enum Action: Equatable {
    case none
    /// The handshake is done: bytes may pass.
    case open
    /// Say the library's alert, if it has one, and end.
    case fail(TLSError)
    /// The other side has ended an open stream.
    case end(LinkError)
  }

  private enum State { case handshaking, open, ended }

  /// From the first byte to the last of a handshake: as long as a client may take for its first
  /// call, and for the same reason (`ServerLimits.firstCallTime`).
  static let handshakeTime = WallDuration.seconds(Int64(handshakeSeconds))
  static let handshakeSeconds = 10

  private var state = State.handshaking
  private let startedAt: WallInstant

  init(startedAt: WallInstant) { self.startedAt = startedAt }

  var isHandshaking: Bool { state == .handshaking }
  var isOpen: Bool { state == .open }

  /// When the handshake has to be done.
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

  /// The handshake has not been done by its due time, if it still is under way.
  mutating func timePassed(at now: WallInstant) -> Action {
    guard state == .handshaking, now >= due else { return .none }
    state = .ended
    return .fail(.timedOut)
  }

  /// The stream below has ended, or the other side has said that nothing more comes.
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

  /// Reading what the other side has sent failed.
  mutating func broke(_ failure: TLSError) -> Action {
    guard state == .open else { return .none }
    state = .ended
    return .fail(failure)
  }

  /// This side closes.
  mutating func close() { state = .ended }
}
