/// The reconnection of a whole fleet over TLS: `reconnect.json` of `flotilla-lab bench reconnect`.
package struct ReconnectRecord: StoredRecord, Equatable, Sendable {
  package static let schemaVersion = 1
  package var schema = Self.schemaVersion

  package struct Step: Codable, Equatable, Sendable {
    package var second: Double
    /// The number of handshakes with certificates in the interval.
    package var full = 0
    package var resumed = 0
    package var served = 0
    package var collectorCores = 0.0
    package var generatorCores = 0.0

    package init(second: Double) { self.second = second }
  }

  package struct Storm: Codable, Equatable, Sendable {
    package var hasTickets: Bool
    package var steps: [Step] = []
    /// The seconds until the last phone was served; absent if some were not served.
    package var servedAfter: Double?
    package var served = 0
    package var retries = 0
    package var collectorSeconds = 0.0
    package var generatorSeconds = 0.0

    package init(hasTickets: Bool) { self.hasTickets = hasTickets }

    package var full: Int { steps.map(\.full).reduce(0, +) }
    package var resumed: Int { steps.map(\.resumed).reduce(0, +) }
    /// The mean rate of handshakes until all phones were served; nil if some were not served.
    package var handshakesPerSecond: Double? {
      servedAfter.map { Double(full + resumed) / max($0, 1e-6) }
    }
  }

  package var phones: Int
  package var atOnce: Int
  package var carrier: String
  package var isPinned: Bool
  package var storms: [Storm] = []

  package init(phones: Int, atOnce: Int, carrier: String, isPinned: Bool) {
    self.phones = phones
    self.atOnce = atOnce
    self.carrier = carrier
    self.isPinned = isPinned
  }
}
