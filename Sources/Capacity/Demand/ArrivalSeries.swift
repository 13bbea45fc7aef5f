internal import SimulationCore

/// The instants at which batches reach a backend, in their order.
///
/// A quarter of a millisecond apart at least, four bytes each: a day of a million phones has tens
/// of millions, and the shortest delay that is asked about is 50 ms.
package struct ArrivalSeries: Equatable, Sendable {
  /// Ticks since the series' begin, never falling.
  package private(set) var ticks: [UInt32] = []
  /// How long arrivals were recorded, seconds.
  package var seconds: Double

  /// Is the resolution of the series: a tick is a quarter of a millisecond.
  package static let ticksPerSecond = 4_000.0

  /// Makes an empty series that covers so many seconds.
  package init(seconds: Double = 0) { self.seconds = seconds }

  /// - Parameter second: since the begin; 12 days at most, and not before the one added last.
  package mutating func add(_ second: Double) {
    let tick = UInt32(min(max(0, second * Self.ticksPerSecond), Double(UInt32.max)))
    ticks.append(max(tick, ticks.last ?? 0))
  }

  /// Counts the arrivals recorded.
  package var count: Int { ticks.count }

  /// Returns when an arrival came, in seconds since the begin; `place` counts from 0.
  package func second(_ place: Int) -> Double { Double(ticks[place]) / Self.ticksPerSecond }

  /// Arrivals of each whole stretch of so many seconds.
  package func counts(every length: Double) -> [Int] {
    let stretches = max(1, Int((seconds / length).rounded(.up)))
    var counts = [Int](repeating: 0, count: stretches)
    let ticksEach = length * Self.ticksPerSecond
    for tick in ticks { counts[min(stretches - 1, Int(Double(tick) / ticksEach))] += 1 }
    return counts
  }
}

/// The rate that a backend must sustain so that no batch waits longer than a delay D:
///
///     C*(D) = max over windows of arrivals ÷ (window + D)
///
/// A queue that is served at a rate C never keeps a batch longer than D exactly when C ≥ C*(D):
/// whatever window is looked at, what arrived in it must be done within the window and D.
package struct SustainedRate: Equatable, Sendable, Codable {
  /// Seconds.
  package var delay: Double
  /// Batches a second.
  package var rate: Double
  /// The window that asks for it: since the begin, seconds, and how many arrived.
  package var from: Double
  /// Is the last arrival of the window, in seconds since the begin.
  package var until: Double
  /// Counts the arrivals in the window, both ends included.
  package var arrivals: Int
}

extension ArrivalSeries {
  /// Dinkelbach's method: the window with the largest excess over a rate is found in one pass
  /// (Kadane); its own rate is the next to try, until no window exceeds it. A handful of passes.
  package func sustainedRate(delay: Double) -> SustainedRate {
    precondition(delay > 0, "without any delay no rate is enough (is \(delay))")
    guard !ticks.isEmpty else {
      return SustainedRate(delay: delay, rate: 0, from: 0, until: 0, arrivals: 0)
    }
    let delayTicks = delay * Self.ticksPerSecond
    var window = 0...0
    var rate = 1 / delayTicks
    while true {
      let next = worstWindow(rate)
      let length = Double(ticks[next.upperBound] - ticks[next.lowerBound]) + delayTicks
      let found = Double(next.count) / length
      guard found > rate * (1 + 1e-12) else { break }
      (rate, window) = (found, next)
    }
    return SustainedRate(
      delay: delay, rate: rate * Self.ticksPerSecond, from: second(window.lowerBound),
      until: second(window.upperBound), arrivals: window.count)
  }

  /// The window whose arrivals exceed by most what a rate serves while it lasts.
  ///
  /// - Parameter rate: batches a tick.
  private func worstWindow(_ rate: Double) -> ClosedRange<Int> {
    var best = (excess: -Double.infinity, from: 0, until: 0)
    // Of the windows that end here, the worst one: what a queue served at `rate` would hold.
    var held = 0.0
    var from = 0
    ticks.withUnsafeBufferPointer { ticks in
      for place in ticks.indices {
        if place > 0 { held -= Double(ticks[place] - ticks[place - 1]) * rate }
        if held <= 0 { (held, from) = (0, place) }
        held += 1
        if held > best.excess { best = (held, from, place) }
      }
    }
    return best.from...best.until
  }
}
