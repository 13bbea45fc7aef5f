package import SimulationCore

/// What may happen next to a phone. The order breaks ties: causes before effects.
package enum DueSlot: Int, CaseIterable, Sendable, BitwiseCopyable {
  // world
  case segment, offlineEdge, powerEdge, airplaneEdge, forceQuitEdge, session
  // inputs
  case stored, push, pushGate, uploadOutcome
  // operating system
  case regionExit, significantChange, visit, standard, pause, motion
  // app
  case stopTimer, sendTimer, restartTimer, stillTimer, backgroundExpiry
}

extension DueSlot {
  /// DF1: collected fixes come when their limit is reached, when the app is opened, and with any
  /// other position that the phone makes.
  var deliversDeferred: Bool {
    switch self {
    case .standard, .segment, .session, .forceQuitEdge, .powerEdge, .regionExit,
      .significantChange, .visit, .pause:
      true
    case .offlineEdge, .airplaneEdge, .stored, .push, .pushGate, .uploadOutcome, .motion,
      .stopTimer,
      .sendTimer, .restartTimer, .stillTimer, .backgroundExpiry:
      false
    }
  }
}

/// A phone's pending instants: one a slot, in the record itself.
///
/// Event order is total: (instant, phone, slot). Only the earliest is known to the shard's wheel.
/// Looked at several times an event from other modules, hence `@inlinable`: a call would get a
/// copy.
package struct DueSlots: Sendable, BitwiseCopyable {
  /// One for each `DueSlot`.
  package static let capacity = 21
  @usableFromInline var instants: InlineArray<21, SimInstant>

  package init() { instants = InlineArray(repeating: .distantFuture) }

  @inlinable package subscript(slot: DueSlot) -> SimInstant {
    get { instants[slot.rawValue] }
    set { instants[slot.rawValue] = newValue }
  }

  /// The earliest instant, and the first slot that has it.
  @inlinable package var earliest: (slot: DueSlot, at: SimInstant) {
    // A span, since the array itself is copied for every element that is read.
    let instants = instants.span
    var best = 0
    var at = instants[0]
    for i in 1..<21 where instants[i] < at {
      at = instants[i]
      best = i
    }
    return (DueSlot(rawValue: best)!, at)
  }
}
