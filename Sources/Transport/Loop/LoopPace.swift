internal import SimulationCore

/// Since when the events that a loop handles may have been waiting for it.
///
///     … callbacks │ prepare │ poll ─ sleeps ─▶ returns │ callbacks │ prepare │ poll, no sleep │ …
///
/// A poll that slept returns when something becomes ready: it has waited since that return. A poll
/// that did not sleep found it ready: it has waited since the poll before, at most. So a loop that
/// keeps up shows the length of a turn, and one that does not shows it growing.
struct LoopPace {
  /// Returns of the last poll and of the one before.
  private(set) var returned = WallInstant(microseconds: 0)
  private(set) var readySince = WallInstant(microseconds: 0)
  /// Turns of the loop since it was made.
  private(set) var turn: UInt64 = 0
  /// When the turn's poll began; nil once it has returned.
  private var polledAt: WallInstant?
  /// libuv's own clock, in milliseconds: it moves on with every poll, of which a turn may have
  /// several when very many sockets are ready.
  private var pollTime: UInt64 = 0

  /// A poll shorter than this has not slept.
  private static let sleepMin = WallDuration.microseconds(200)

  mutating func willPoll(at now: WallInstant) {
    polledAt = now
    turn &+= 1
  }

  mutating func note(pollTime time: UInt64, now: @autoclosure () -> WallInstant) {
    guard polledAt != nil || time != pollTime else { return }
    let now = now()
    pollTime = time
    let slept = polledAt.map { now - $0 > Self.sleepMin } ?? false
    polledAt = nil
    readySince = slept ? now : returned
    returned = now
  }

  /// How long the turn before took.
  var lastTurn: WallDuration { returned - readySince }
}
