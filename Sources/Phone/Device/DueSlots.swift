package import Core

/// The possible next events of a phone, in the order that breaks ties: causes before effects.
package enum DueSlot: Int, CaseIterable, Sendable, BitwiseCopyable {
  // world
  case segment, offlineEdge, powerEdge, airplaneEdge, battery, swipe, session, installation
  // inputs
  case stored, push, pushGate, uploadOutcome
  // operating system
  case regionExit, significantChange, visit, standard, pause, motion, place, memory, refresh
  case process, background
  case consent, settings
  // app
  case stopTimer, sendTimer, restartTimer, stillTimer, backgroundExpiry
}

extension DueSlot {
  /// DF1: Whether the slot delivers deferred fixes: when their limit is reached, when the app is
  /// opened, or when the phone's position is needed otherwise.
  var deliversDeferred: Bool {
    switch self {
    case .standard, .segment, .session, .powerEdge, .regionExit,
      .significantChange, .visit, .pause, .place:
      true
    case .offlineEdge, .airplaneEdge, .battery, .swipe, .installation, .stored, .push, .pushGate,
      .uploadOutcome, .motion, .memory, .refresh, .process, .background, .consent, .settings,
      .stopTimer, .sendTimer, .restartTimer, .stillTimer, .backgroundExpiry:
      false
    }
  }
}

/// A phone's pending instants, one per slot, inside the phone's record.
///
/// Events are totally ordered by (instant, phone, slot). The shard's timing wheel holds only each
/// phone's earliest instant. The members are `@inlinable`, since other modules read them several
/// times per event and a call would copy them.
package struct DueSlots: Sendable, BitwiseCopyable {
  package static let capacity = 30
  @usableFromInline var instants: InlineArray<30, SimInstant>

  package init() { instants = InlineArray(repeating: .distantFuture) }

  /// The instant at which a slot is due; `distantFuture` if it is not.
  @inlinable package subscript(slot: DueSlot) -> SimInstant {
    get { instants[slot.rawValue] }
    set { instants[slot.rawValue] = newValue }
  }

  /// The earliest instant, and the first slot that has it.
  @inlinable package var earliest: (slot: DueSlot, at: SimInstant) {
    // Reads a span, since the array itself would be copied for every element.
    let instants = instants.span
    var best = 0
    var at = instants[0]
    for i in 1..<30 where instants[i] < at {
      at = instants[i]
      best = i
    }
    return (DueSlot(rawValue: best)!, at)
  }
}
