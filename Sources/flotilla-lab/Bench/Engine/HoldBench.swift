package import Core

/// The event queue in the hold pattern: removes the earliest event and inserts it again after an
/// exponential wait, one second on average (PHOLD without messages; Fujimoto, SCS 1990).
package struct HoldBench: Benchmark {
  package let name = "engine"
  private let pending: Int
  private let events: Int
  private let holder: Holder

  /// Holds the timer wheel, which cannot be copied, so that the benchmark can.
  private final class Holder {
    var pattern: HoldPattern
    init(_ pattern: consuming HoldPattern) { self.pattern = pattern }
  }

  /// - Parameter events: the number of events in a round.
  package init(pending: Int, events: Int) {
    self.pending = pending
    self.events = events
    holder = Holder(HoldPattern(pending: pending))
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [("pending", .count(pending))]
  }

  package var bars: [BenchBar] {
    pending == 1_000_000 ? [BenchBar("eventsPerSecond", .atLeast(5_000_000))] : []
  }

  package mutating func round(_ clock: () -> WallInstant) -> BenchSamples {
    let began = clock()
    holder.pattern.hold(events)
    let seconds = max((clock() - began).seconds, 1e-6)
    return [
      ("eventsPerSecond", [Double(events) / seconds]),
      ("bytesPerEvent", [Double(holder.pattern.bytes) / Double(pending)]),
    ]
  }
}

struct HoldPattern: ~Copyable {
  private var wheel: TimingWheel
  private var draw = Draw(seed: 1, phone: 0, .benchWaits)
  private(set) var now = SimInstant(microseconds: 0)
  private(set) var order: UInt64 = 0

  private static let meanSeconds = 1.0
  private static let eventsPerSlot = 512.0

  init(pending: Int) {
    let slot = SimDuration(
      seconds: max(1e-6, Self.meanSeconds * Self.eventsPerSlot / Double(pending)))
    wheel = TimingWheel(slotWidth: slot, start: now)
    for owner in 0..<pending { file(UInt32(owner)) }
  }

  var count: Int { wheel.count }
  var bytes: Int { wheel.bytes }

  mutating func hold(_ events: Int) {
    for _ in 0..<events {
      guard let event = wheel.next() else { preconditionFailure("the queue lost events") }
      now = event.at
      order = order &* 31 &+ UInt64(event.owner)
      file(event.owner)
    }
  }

  private mutating func file(_ owner: UInt32) {
    let wait = draw.exponential(mean: Self.meanSeconds)
    wheel.insert(PendingEvent(at: now + .microseconds(Int64(wait * 1e6)), owner: owner))
  }
}
