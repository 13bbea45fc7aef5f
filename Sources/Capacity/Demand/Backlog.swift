/// The worst backlog of a day at a backend that serves batches one by one at a constant rate.
package struct Backlog: Equatable, Sendable, Codable {
  /// The rate of service, in batches a second.
  package var rate: Double
  /// The longest queue, in batches.
  package var most: Double
  /// The time of the longest queue, in seconds since the start.
  package var at: Double
  /// The seconds from the last time the queue was empty before `at` to the first time after `at`.
  package var lasted: Double
  /// The longest time from a batch's arrival to the end of its service, in seconds.
  package var longestWait: Double
}

extension ArrivalSeries {
  package func backlog(rate: Double) -> Backlog {
    precondition(rate > 0, "the rate must be above 0 (is \(rate))")
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
          // The queue ran empty before this arrival; `-held` batches could have been served since.
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

/// The arrivals around the peak of a demand, and the backlogs of backends of several sizes.
package struct StormRecord: Equatable, Sendable, Codable {
  package struct Survivors: Equatable, Sendable, Codable {
    package var instances: Int
    package var backlog: Backlog
  }

  package var seconds: [Int]
  package var from: Double
  package var survivors: [Survivors]

  static let around = 90

  /// - Parameter perInstance: The rate that one instance carries, in batches a second.
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
