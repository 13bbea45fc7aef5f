internal import Phone
package import SimulationCore
package import Telemetry

// What an installation has on disk, put back after its fleet was killed.

extension TrackerStateMachine {
  /// - Parameters:
  ///   - sequence: the newest number that was ever given to a batch.
  ///   - outbox: fixes that are in no batch.
  package mutating func restore(lastSequence sequence: UInt32, outbox: Int) {
    lastSequence = sequence
    outboxCount = UInt16(clamping: outbox)
    cutCount = 0
  }
}

extension TrackerStateMachine {
  /// A machine with a likely value in every member: what others are packed against.
  package static func typical(_ fix: Fix, at instant: SimInstant) -> Self {
    var machine = Self()
    machine.lastAccepted = fix
    machine.lastSend = instant
    machine.notBefore = instant
    machine.lastVisit = Visit.Key(arrival: instant, departure: instant)
    machine.memory.lastBurst = instant
    machine.memory.newest = fix.coordinate
    machine.memory.restAnchor = fix.coordinate
    return machine
  }
}
