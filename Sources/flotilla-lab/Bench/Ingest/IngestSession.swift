internal import Core
internal import Foundation
internal import Transport
internal import Uploads
internal import Wire

/// A collector process on the second core, its open run, and the event loops of the client.
final class IngestSession {
  let endpoint: Endpoint
  let uploads = EventLoop(name: "uploads", isUrgent: true)
  private let control = EventLoop(name: "control")
  private let collector: ChildCollector
  private let calls: RPCClient
  /// The TLS client of the uploads; nil without TLS.
  let tls: TLSClient?

  /// The collector's default time for gathering a group of batches.
  static let groupDelayMilliseconds = 2
  /// The collector's limit of queue delay in a closed loop, where the plan bounds the queue. The
  /// default limit would reject some of 8,000 batches in flight.
  private static let queueDelayMilliseconds = 60_000

  /// - Parameter store: The collector's arguments for its store; nil for the plan's store.
  /// - Parameter phones: The phones of the run on this collector; nil for the plan's number.
  init(
    _ plan: IngestPlan, _ place: IngestBench.Place, pinned: Bool, store: [String]? = nil,
    phones: Int? = nil
  ) throws(CollectorRunError) {
    let file = plan.isDurable ? ["sqlite", "--store-path", place.storePath] : ["none"]
    let secrets = try plan.isSecured ? Self.secrets(place, plan.carrier) : nil
    tls = secrets?.uploads
    let queue =
      plan.pace == nil ? ["--queue-delay-ms", "\(Self.queueDelayMilliseconds)"] : []
    let arguments =
      [
        "collect", "--ui", "none", "--quiet", "--with-parent", "--group-delay-ms",
        "\(Self.groupDelayMilliseconds)",
      ] + (store ?? ["--store"] + file) + queue + (secrets?.arguments ?? [])
    let command = CorePin.command(
      1, place.executable, arguments, isPreferred: plan.isPreferred)
    collector = ChildCollector(
      .init(
        executable: pinned ? command.executable : place.executable,
        arguments: pinned ? command.arguments : arguments, logFile: place.logFile))
    try collector.start()
    endpoint = Endpoint(host: "127.0.0.1", port: collector.port)
    uploads.start()
    control.start()
    calls = RPCClient(loop: control, to: endpoint, tls: secrets?.calls)
    try BenchRun.open("ingest", phones: phones ?? plan.phones, by: calls)
  }

  private struct Secrets {
    let arguments: [String]
    /// The client for uploads, with the ALPN protocols of their carrier.
    let uploads: TLSClient
    /// The client for calls over Flotilla's own protocol.
    let calls: TLSClient
  }

  private static func secrets(
    _ place: IngestBench.Place, _ carrier: CarrierKind
  ) throws(CollectorRunError) -> Secrets {
    let folder = URL(fileURLWithPath: place.logFile).deletingLastPathComponent().path
    do throws(TLSSetupError) {
      let files = try SelfMadeCertificate.write(.init("collector"), to: folder)
      let trusted = TLSClientFiles(authorities: "\(folder)/ca.pem")
      return Secrets(
        arguments: ["--tls-cert", files.certificate, "--tls-key", files.key],
        uploads: try TLSClient(trusted, protocols: carrier.applicationProtocols),
        calls: try TLSClient(trusted))
    } catch {
      throw .childFailed(error.description)
    }
  }

  /// Reads the figures of the collector, this process and the driver at the same time.
  func look(_ driver: IngestDriver) throws(CollectorRunError) -> IngestWindow.Look {
    do {
      let server = try calls.callBlocking(
        .snapshot, SnapshotRequest(histogram: false), deadline: .seconds(10),
        as: SnapshotReply.self)
      return IngestWindow.Look(
        at: MonotonicClock.now, server: server, client: .current(),
        sent: driver.counters)
    } catch {
      throw .unreachable("\(error)")
    }
  }

  /// The figures of the collector process; nil if unreadable.
  var collectorMetrics: ProcessMetrics? { collector.metrics() }

  func stop() {
    calls.close()
    uploads.stopAndWait()
    control.stopAndWait()
    collector.stop()
  }
}
