package import SimulationCore
package import Telemetry

/// What the server knows of one phone. 64 bytes, so that a million phones are 64 MB in one array.
package struct LastSeen: Equatable, Sendable, BitwiseCopyable {
  /// When the last distinct batch (or the registration) arrived: the phone is silent since then.
  package var reportedAt = SimInstant.distantPast
  /// Timestamp of the newest fix held; `neverSeen` if there is none.
  package var newestFix = Self.neverSeen
  /// Where the newest fix was.
  package var coordinate = Coordinate(latitudeE6: 0, longitudeE6: 0)
  /// The instant of the last occasion on which the scheduler chose this phone.
  package var chosenAt = SimInstant.distantPast
  /// From here on the age of this phone is not yet in the integral.
  var countedUntil = SimInstant.distantPast
  /// The run of sequence numbers that grows: `low` ... `high` of `epoch`, empty while high < low.
  package var sequences = SequenceRun()
  /// Where the last occasion stands in the log of the measured time; `notLogged` outside of it.
  var logIndex = Self.notLogged
  package var authorization = Authorization.notDetermined
  package var tokenValid = false
  var occasion = Occasion.none
  /// Whether the phone has its one entry in the calendar or the backlog of the scheduler.
  var isScheduled = false

  static let notLogged = UInt32.max
  package static let neverSeen = FixTime(centiseconds: .min)

  package init() {}

  /// Whether the phone ever registered, reported or was restored.
  package var isKnown: Bool { reportedAt != .distantPast || !sequences.isEmpty }
  package var hasFix: Bool { newestFix != Self.neverSeen }
  /// Always permission and a valid token, as the last registration said.
  package var isReachable: Bool { authorization == .always && tokenValid }

  /// Whether the last occasion of this phone still waits for its answer.
  enum Occasion: UInt8, BitwiseCopyable { case none, open, answered }
}

/// A run of sequence numbers of one installation that are all held.
package struct SequenceRun: Equatable, Sendable, BitwiseCopyable {
  package var epoch: UInt32 = 0
  package var low: UInt32 = 1
  package var high: UInt32 = 0

  package init() {}
  package init(epoch: UInt32, low: UInt32, high: UInt32) {
    self.epoch = epoch
    self.low = low
    self.high = high
  }

  package var isEmpty: Bool { high < low }
  package func contains(_ sequence: UInt32) -> Bool { low <= sequence && sequence <= high }
}
