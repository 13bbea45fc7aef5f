package import SimulationCore

/// What may happen next to a phone. The order breaks ties: causes before effects.
package enum DueSlot: Int, CaseIterable, Sendable {
  // world
  case segment, offlineEdge, powerEdge, forceQuitEdge, session
  // inputs
  case held, push, uploadOutcome
  // operating system
  case regionExit, significantChange, visit, standard
  // app
  case stopTimer, sendTimer, restartTimer, stillTimer, backgroundExpiry
}

/// A phone's pending instants: one a slot, in the record itself.
///
/// Event order is total: (instant, phone, slot). Only the earliest is known to the shard's wheel.
package struct DueSlots: Sendable, BitwiseCopyable {
  private var instants: InlineArray<17, SimInstant>

  package init() { instants = InlineArray(repeating: .distantFuture) }

  package subscript(slot: DueSlot) -> SimInstant {
    get { instants[slot.rawValue] }
    set { instants[slot.rawValue] = newValue }
  }

  /// The earliest instant, and the first slot that has it.
  package var earliest: (slot: DueSlot, at: SimInstant) {
    var best = 0
    var at = instants[0]
    for i in 1..<17 where instants[i] < at {
      at = instants[i]
      best = i
    }
    return (DueSlot(rawValue: best)!, at)
  }
}
