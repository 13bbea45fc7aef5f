/// The arrival times of batches at a backend, ascending, with a resolution of 0.25 ms.
package struct ArrivalSeries: Equatable, Sendable {
  /// The arrival times in ticks since the start of the series, never decreasing.
  package private(set) var ticks: [UInt32] = []
  package var seconds: Double

  package static let ticksPerSecond = 4_000.0

  package init(seconds: Double = 0) { self.seconds = seconds }

  /// - Parameter second: The arrival, in seconds since the start; at most 12 days.
  package mutating func add(_ second: Double) {
    let tick = UInt32(min(max(0, second * Self.ticksPerSecond), Double(UInt32.max)))
    ticks.append(max(tick, ticks.last ?? 0))
  }

  package var count: Int { ticks.count }

  package func second(_ place: Int) -> Double { Double(ticks[place]) / Self.ticksPerSecond }

  package func counts(every length: Double) -> [Int] {
    let stretches = max(1, Int((seconds / length).rounded(.up)))
    var counts = [Int](repeating: 0, count: stretches)
    let ticksEach = length * Self.ticksPerSecond
    for tick in ticks { counts[min(stretches - 1, Int(Double(tick) / ticksEach))] += 1 }
    return counts
  }
}

/// The rate that a backend must sustain so that no batch waits longer than a delay D: `C*(D) = max
/// over windows of arrivals ÷ (window + D)`
package struct SustainedRate: Equatable, Sendable, Codable {
  /// The delay D, in seconds.
  package var delay: Double
  /// The rate to sustain, C*(D), in batches a second.
  package var rate: Double
  /// The first arrival of the decisive window, in seconds since the start.
  package var from: Double
  /// The last arrival of the decisive window, in seconds since the start.
  package var until: Double
  package var arrivals: Int
}

extension ArrivalSeries {
  /// Returns the rate by Dinkelbach's method. Each pass (Kadane) finds the window with the largest
  /// excess over a rate. The next pass takes that window's rate, until no window exceeds the rate.
  package func sustainedRate(delay: Double) -> SustainedRate {
    precondition(delay > 0, "the delay must be above 0 (is \(delay))")
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

  /// - Parameter rate: The rate in batches per tick.
  private func worstWindow(_ rate: Double) -> ClosedRange<Int> {
    var best = (excess: -Double.infinity, from: 0, until: 0)
    // The excess of the worst window that ends here: the length of a queue served at `rate`.
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
