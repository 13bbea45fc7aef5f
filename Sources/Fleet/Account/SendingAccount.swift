package import Figures

/// The results of sending a fleet's uploads over real connections, and what it cost the
/// sender.
package struct SendingAccount: Codable, Equatable, Sendable {
  /// The latencies of the measured time.
  package var latency = LatencyHistograms()
  /// `uploads` has those that failed by the name of their status.
  package var counts = Sheet()
  /// Whether connections were secured, so that handshakes were counted.
  package var isSecured = false
  /// The reasons why a sender did not keep up with its plan, as sentences.
  package var lateReasons: [String] = []
  /// What each sending process spent while it was live, in the order of their phones.
  package var processes: [ProcessMetrics] = []

  package init() {}

  package mutating func merge(_ other: SendingAccount) {
    latency.merge(other.latency)
    counts += other.counts
    isSecured = isSecured || other.isSecured
    lateReasons += other.lateReasons
    processes += other.processes
  }
}
