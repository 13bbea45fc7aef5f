package import Measure

/// What sending a fleet's uploads over real connections came to, and what it cost the sender.
package struct SendingAccount: Codable, Equatable, Sendable {
  /// Of the measured time.
  package var latency = LatencyHistograms()
  /// Uploads that failed, by the name of their status.
  package var failures: [String: Int] = [:]
  package var bytesSent = 0
  package var bytesReceived = 0
  package var connections = 0
  package var connectFailures = 0
  package var retries = 0
  /// Retries that were due, and that the phone's budget did not allow.
  package var retriesWithheld = 0
  package var pushbacks = 0
  /// Batches of an earlier life of the fleet that were sent again.
  package var resent = 0
  /// Times that the sender's machine had no descriptor, or no port, left.
  package var descriptorLimitHits = 0
  package var portLimitHits = 0
  /// Why a sender did not keep up with its plan, as sentences.
  package var lateReasons: [String] = []
  /// What each sending process spent while it was live, in the order of their phones.
  package var processes: [ProcessMetrics] = []

  package init() {}

  /// Adds what the process with the following phones sent.
  package mutating func merge(_ other: SendingAccount) {
    latency.merge(other.latency)
    failures.merge(other.failures, uniquingKeysWith: +)
    bytesSent += other.bytesSent
    bytesReceived += other.bytesReceived
    connections += other.connections
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
