/// What piles up before a backend that serves batches at a rate, one after the other: the worst of
/// a day.
package struct Backlog: Equatable, Sendable, Codable {
  /// Batches a second that are served.
  package var rate: Double
  /// The most that waited at once, batches.
  package var most: Double
  /// When that was, seconds since the begin.
  package var at: Double
  /// From the instant at which nothing waited before it to the next one, seconds.
  package var lasted: Double
  /// The longest that a batch waited for its end, seconds.
  package var longestWait: Double
}

extension ArrivalSeries {
  /// A queue replayed arrival by arrival.
  package func backlog(rate: Double) -> Backlog {
    precondition(rate > 0, "a backend that serves nothing has no backlog but all (is \(rate))")
    let perTick = rate / Self.ticksPerSecond
    var worst = Backlog(rate: rate, most: 0, at: 0, lasted: 0, longestWait: 0)
    var held = 0.0
    var (began, worstBegan) = (0.0, 0.0)
    var isWorstOpen = false
    ticks.withUnsafeBufferPointer { ticks in
      for place in ticks.indices {
        let at = Double(ticks[place])
        if place > 0 { held -= (at - Double(ticks[place - 1])) * perTick }
        if held <= 0 {
          // It was empty `-held` ago, in the time that the batches took.
          if isWorstOpen { worst.lasted = (at + held / perTick - worstBegan) / Self.ticksPerSecond }
          (held, began, isWorstOpen) = (0, at, false)
        }
        held += 1
        if held > worst.most {
          worst.most = held
          worst.at = at / Self.ticksPerSecond
          (worstBegan, isWorstOpen) = (began, true)
        }
      }
    }
    if isWorstOpen, let last = ticks.last {
      worst.lasted = (Double(last) + held / perTick - worstBegan) / Self.ticksPerSecond
    }
    worst.longestWait = worst.most / rate
    return worst
  }
}

/// The busiest moments of a demand, and what they do to backends of several sizes.
package struct StormRecord: Equatable, Sendable, Codable {
  /// The worst backlog of so many instances.
  package struct Survivors: Equatable, Sendable, Codable {
    /// Is the number of instances that are left.
    package var instances: Int
    /// Is the worst backlog when they serve the whole demand.
    package var backlog: Backlog
  }

  /// Batches of each second around the busiest one.
  package var seconds: [Int]
  /// The first of them, seconds since the begin.
  package var from: Double
  /// Of all that is bought, and of fewer: what an instance that fails leaves.
  package var survivors: [Survivors]

  /// Seconds before and after the busiest one.
  static let around = 90

  /// - Parameter perInstance: batches a second that one carries.
  package init(_ arrivals: ArrivalSeries, instances: Int, perInstance: Double) {
    let counts = arrivals.counts(every: 1)
    let peak = counts.indices.max { counts[$0] < counts[$1] } ?? 0
    let first = max(0, peak - Self.around)
    seconds = Array(counts[first..<min(counts.count, peak + Self.around + 1)])
    from = Double(first)
    survivors = (max(1, instances - 3)...max(1, instances)).reversed().map { count in
      Survivors(
        instances: count, backlog: arrivals.backlog(rate: Double(count) * perInstance))
    }
  }
}
