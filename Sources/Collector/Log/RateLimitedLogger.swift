internal import Core

/// Logs events of unauthenticated clients and reached limits, as often as `LogThrottle` allows.
struct RateLimitedLogger {
  static let period = WallDuration.seconds(1)
  /// The time without refusals that ends an overload; shorter gaps are common within an overload.
  static let overloadEnds = WallDuration.seconds(5)

  private var overload: (shedBefore: UInt64, lastAt: WallInstant)?
  private var shed: UInt64 = 0
  private var seen: [String: UInt64] = [:]
  private var throttle = LogThrottle()

  enum Overload: Equatable { case began, ended(shed: UInt64) }

  mutating func watchOverload(shed count: UInt64, at now: WallInstant) -> Overload? {
    defer { shed = count }
    if count > shed {
      let isNew = overload == nil
      overload = (overload?.shedBefore ?? shed, now)
      return isNew ? .began : nil
    }
    guard let over = overload, now - over.lastAt >= Self.overloadEnds else { return nil }
    overload = nil
    return .ended(shed: count >= over.shedBefore ? count - over.shedBefore : count)
  }

  mutating func look(
    _ counts: [(kind: String, count: UInt64)], at now: WallInstant
  ) -> [(kind: String, count: UInt64)] {
    for (kind, count) in counts {
      let before = seen[kind, default: 0]
      // A new run may have reset its counters.
      throttle.add(kind, count >= before ? count - before : count)
      seen[kind] = count
    }
    return throttle.takeDue(at: now)
  }
}
