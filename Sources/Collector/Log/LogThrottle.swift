internal import Core

/// Limits the events that unauthenticated clients cause to one line per kind and `period`.
struct LogThrottle {
  /// The minimum time between lines, which limits a kind to 8,640 lines per day.
  static let period = WallDuration.seconds(10)

  private struct Kind {
    var lastLine: WallInstant?
    var count: UInt64 = 0
  }
  private var kinds: [String: Kind] = [:]

  mutating func add(_ kind: String, _ count: UInt64) {
    if count > 0 { kinds[kind, default: Kind()].count += count }
  }

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
