internal import SimulationCore

/// Keeps unauthenticated clients from filling a log with events that they cause: each kind of event
/// gets one line per `period`, with the number of events since the last line.
struct LogThrottle {
  /// Is ten seconds: soon enough for a person who watches, and 8,640 lines a day at most.
  static let period = WallDuration.seconds(10)

  private struct Kind {
    var lastLine: WallInstant?
    var count: UInt64 = 0
  }
  private var kinds: [String: Kind] = [:]

  mutating func add(_ kind: String, _ count: UInt64) {
    if count > 0 { kinds[kind, default: Kind()].count += count }
  }

  /// Returns the kinds that may have a line now, each with its count since its last line.
  mutating func takeDue(at now: WallInstant) -> [(kind: String, count: UInt64)] {
    var due: [(kind: String, count: UInt64)] = []
    for (name, kind) in kinds where kind.count > 0 {
      if let last = kind.lastLine, now - last < Self.period { continue }
      due.append((name, kind.count))
      kinds[name] = Kind(lastLine: now)
    }
    return due.sorted { $0.kind < $1.kind }
  }
}
