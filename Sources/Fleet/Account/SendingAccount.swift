package import Core

package struct SendingAccount: Codable, Equatable, Sendable {
  package var latency = LatencyHistograms()
  /// The counts of the sender; `.failures` has the failed uploads by the name of their status.
  package var counts = Sheet()
  package var isSecured = false
  package var lateReasons: [String] = []
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
