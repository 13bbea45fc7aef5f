package import Measure

/// Holds the results of sending a fleet's uploads over real connections, and what it cost the
/// sender.
package struct SendingAccount: Codable, Equatable, Sendable {
  /// Holds the latencies of the measured time.
  package var latency = LatencyHistograms()
  /// Counts the uploads that failed, by the name of their status.
  package var failures: [String: Int] = [:]
  /// Counts the bytes written to connections.
  package var bytesSent = 0
  /// Counts the bytes read from connections.
  package var bytesReceived = 0
  /// Counts the connections made.
  package var connections = 0
  /// Counts the TLS handshakes with certificates, and those that went on from an earlier session;
  /// absent without TLS.
  package var handshakes: Handshakes?
  /// Counts the batches whose payloads were compressed or left plain, and their bytes; absent where
  /// batches are packed, which nothing makes smaller.
  package var payloads: Payloads?
  /// Counts the attempts to connect that failed.
  package var connectFailures = 0
  /// Counts the attempts after an upload's first.
  package var retries = 0
  /// Counts the retries that were due but not allowed by the phone's budget.
  package var retriesWithheld = 0
  /// Counts the answers that told the sender how long to wait.
  package var pushbacks = 0
  /// Counts the batches of an earlier run of the fleet that were sent again.
  package var resent = 0
  /// Counts the times that the sender's machine had no descriptor, or no port, left.
  package var descriptorLimitHits = 0
  /// Counts the times that no local port was left.
  package var portLimitHits = 0
  /// Holds the reasons why a sender did not keep up with its plan, as sentences.
  package var lateReasons: [String] = []
  /// Holds what each sending process spent while it was live, in the order of their phones.
  package var processes: [ProcessMetrics] = []

  /// Counts TLS handshakes, and what they cost the sender.
  package struct Handshakes: Codable, Equatable, Sendable {
    /// Counts those with certificates.
    package var full = 0
    /// Counts those that went on from an earlier session.
    package var resumed = 0

    /// Makes counts from their parts.
    package init(full: Int, resumed: Int) {
      self.full = full
      self.resumed = resumed
    }
  }

  /// Counts payloads of batches in a general encoding.
  package struct Payloads: Codable, Equatable, Sendable {
    /// Counts the batches.
    package var count = 0
    /// Sums their sizes before compression, in bytes.
    package var plainBytes = 0
    /// Sums their sizes as they travelled, in bytes.
    package var bytes = 0

    /// Makes counts from their parts.
    package init(count: Int, plainBytes: Int, bytes: Int) {
      self.count = count
      self.plainBytes = plainBytes
      self.bytes = bytes
    }
  }

  /// Makes the account of a sender that sent nothing.
  package init() {}

  /// Adds what the process with the following phones sent.
  package mutating func merge(_ other: SendingAccount) {
    latency.merge(other.latency)
    failures.merge(other.failures, uniquingKeysWith: +)
    bytesSent += other.bytesSent
    bytesReceived += other.bytesReceived
    connections += other.connections
    if let more = other.handshakes {
      handshakes = Handshakes(
        full: more.full + (handshakes?.full ?? 0),
        resumed: more.resumed + (handshakes?.resumed ?? 0))
    }
    if let more = other.payloads {
      payloads = Payloads(
        count: more.count + (payloads?.count ?? 0),
        plainBytes: more.plainBytes + (payloads?.plainBytes ?? 0),
        bytes: more.bytes + (payloads?.bytes ?? 0))
    }
    connectFailures += other.connectFailures
    retries += other.retries
    retriesWithheld += other.retriesWithheld
    pushbacks += other.pushbacks
    resent += other.resent
    descriptorLimitHits += other.descriptorLimitHits
    portLimitHits += other.portLimitHits
    lateReasons += other.lateReasons
    processes += other.processes
  }
}
