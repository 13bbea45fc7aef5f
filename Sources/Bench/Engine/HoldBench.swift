package import SimulationCore

/// The wheel of a shard in the hold pattern: whoever is due is filed again after an exponential
/// wait (PHOLD without messages; Fujimoto, SCS 1990). What a phone does meanwhile is left out.
///
/// As the peers' timer wheel is timed: ticks of a millisecond, a mean wait of a second, no order
/// within a tick. A shard's phones do not influence each other, and each keeps its own events in
/// order.
package struct HoldBench: Benchmark {
  package let name = "engine"
  private let pending: Int
  private let events: Int
  private var wheel: DueWheel
  private var due: [SimInstant]
  private var draw = Draw(seed: 1, phone: 0, .waits)
  private var tick = SimInstant(microseconds: 0)
  private var taken: [Int32] = []
  /// Held events since the start.
  private(set) var held = 0
  /// Lived since the start.
  var scenarioSeconds: Double { Double(tick.microseconds) / 1e6 }

  private static let meanSeconds = 1.0
  private static let slot = SimDuration.milliseconds(1)

  /// - Parameter events: of a round, at least; it ends with a tick.
  package init(pending: Int, events: Int) {
    self.pending = pending
    self.events = events
    wheel = DueWheel(owners: pending, slotWidth: Self.slot, start: tick)
    due = Array(repeating: tick, count: pending)
    for owner in 0..<pending { file(owner, after: tick) }
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [("pending", .count(pending))]
  }

  package var bars: [BenchBar] {
    pending == 1_000_000 ? [BenchBar("eventsPerSecond", .atLeast(5_000_000))] : []
  }

  package mutating func round(
    _ clock: () -> WallInstant
  ) -> [(figure: String, samples: [Double])] {
    let before = held
    let began = clock()
    while held - before < events { step() }
    let seconds = max((clock() - began).seconds, 1e-6)
    return [("eventsPerSecond", [Double(held - before) / seconds])]
  }

  private mutating func step() {
    tick += Self.slot
    taken.removeAll(keepingCapacity: true)
    wheel.drain(before: tick, into: &taken)
    for owner in taken { file(Int(owner), after: due[Int(owner)]) }
    held += taken.count
  }

  private mutating func file(_ owner: Int, after instant: SimInstant) {
    let wait = draw.exponential(mean: Self.meanSeconds)
    due[owner] = instant + .microseconds(Int64(wait * 1e6))
    wheel.schedule(owner, at: due[owner])
  }
}

extension Purpose {
  fileprivate static let waits = Purpose(rawValue: 931)
}
