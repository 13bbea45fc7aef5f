/// What a fleet that comes back at once does to a collector over TLS: `reconnect.json` of
/// `flotilla-lab bench reconnect`.
package struct ReconnectRecord: StoredRecord, Equatable, Sendable {
  /// Is the version of the format that this program writes and reads.
  package static let schemaVersion = 1
  /// Is the version of the format in which the record was written.
  package var schema = Self.schemaVersion

  /// Is a stretch of a storm.
  package struct Step: Codable, Equatable, Sendable {
    /// Is the end of the stretch, in seconds since the phones came.
    package var second: Double
    /// Counts the handshakes with certificates that were done in it.
    package var full = 0
    /// Counts the handshakes that went on from an earlier session.
    package var resumed = 0
    /// Counts the phones that have been served since the storm began.
    package var served = 0
    /// Is the CPU time of the collector a second, in cores.
    package var collectorCores = 0.0
    /// Is the CPU time of this program a second, in cores.
    package var generatorCores = 0.0

    /// Makes a stretch in which nothing happened.
    package init(second: Double) { self.second = second }
  }

  /// Is what followed when all phones came at one instant.
  package struct Storm: Codable, Equatable, Sendable {
    /// Says whether phones had sessions that they could resume.
    package var hasTickets: Bool
    /// Holds the stretches in their order.
    package var steps: [Step] = []
    /// Is when the last phone was served, in seconds; absent: not all were.
    package var servedAfter: Double?
    /// Counts the phones that were served.
    package var served = 0
    /// Counts the attempts of phones that had been refused or had failed before.
    package var retries = 0
    /// Is the CPU time of the collector over the storm, in seconds.
    package var collectorSeconds = 0.0
    /// Is the CPU time of this program over the storm, in seconds.
    package var generatorSeconds = 0.0

    /// Makes a storm that has not begun.
    package init(hasTickets: Bool) { self.hasTickets = hasTickets }

    /// Counts the handshakes with certificates.
    package var full: Int { steps.map(\.full).reduce(0, +) }
    /// Counts the handshakes that went on from an earlier session.
    package var resumed: Int { steps.map(\.resumed).reduce(0, +) }
    /// Is the mean number of handshakes a second until all were served; nil: not all were.
    package var handshakesPerSecond: Double? {
      servedAfter.map { Double(full + resumed) / max($0, 1e-6) }
    }
  }

  /// Counts the phones that come at once.
  package var phones: Int
  /// Bounds the connections that are on their way or open at once.
  package var atOnce: Int
  /// Names how calls stand on the wire.
  package var carrier: String
  /// Is true where collector and generator were each pinned to a core of their own.
  package var isPinned: Bool
  /// Holds the storm without tickets, and the one with them.
  package var storms: [Storm] = []

  /// Makes a record without a storm.
  package init(phones: Int, atOnce: Int, carrier: String, isPinned: Bool) {
    self.phones = phones
    self.atOnce = atOnce
    self.carrier = carrier
    self.isPinned = isPinned
  }
}
