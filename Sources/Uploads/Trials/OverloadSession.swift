package import Core
internal import Foundation
internal import Transport
package import Wire

package final class OverloadSession {
  package let collector: ChildCollector
  package let tally: OfferTally
  package let load: OfferedLoad
  private let sender: OpenLoopSender
  private let wakeful = WakefulCores()
  package let start: WallInstant
  private let loops = (
    uploads: EventLoop(name: "uploads", isUrgent: true), control: EventLoop(name: "control")
  )
  private let control: RPCClient
  /// A phone's timeout for an ack. A woken app has 30 s and should finish in a few seconds.
  package static let deadline = WallDuration.seconds(5)

  /// - Parameter identities: the phones in the order of their uploads; empty for all in turn.
  package init(
    _ plan: OverloadPlan, pinned: Bool, deadline: WallDuration = deadline,
    identities: [UInt32] = []
  ) throws(CollectorRunError) {
    let command = CorePin.command(1, plan.executable, plan.collectorArguments)
    collector = ChildCollector(
      .init(
        executable: pinned ? command.executable : plan.executable,
        arguments: pinned ? command.arguments : plan.collectorArguments, logFile: plan.logFile))
    try collector.start()
    let endpoint = Endpoint(host: "127.0.0.1", port: collector.port)
    loops.uploads.start()
    loops.control.start()
    control = RPCClient(loop: loops.control, to: endpoint)
    start = MonotonicClock.now
    tally = OfferTally(
      phones: plan.phones, templates: plan.templates, start: start, limit: plan.latencyLimit)
    do throws(TransportError) {
      sender = try OpenLoopSender(
        loop: loops.uploads, to: endpoint, carrier: plan.carrier, connections: plan.connections,
        deadline: deadline, source: tally)
    } catch {
      throw .unreachable(error.description)
    }
    load = OfferedLoad(sender, phones: plan.phones, identities: identities)
    try BenchRun.open("overload", phones: plan.phones, by: control)
  }

  package var secondsPassed: Int { Int((MonotonicClock.now - start).seconds) }

  /// Asks the collector, which inspects its phones and stalls for some milliseconds.
  ///
  /// - Returns: nil without an answer within 10 s.
  package func snapshot() -> SnapshotReply? {
    try? control.callBlocking(
      .snapshot, SnapshotRequest(histogram: false), deadline: .seconds(10), as: SnapshotReply.self)
  }

  package func stop() {
    sender.stop()
    control.close()
    loops.uploads.stopAndWait()
    loops.control.stopAndWait()
    collector.stop()
  }
}
