internal import Core
internal import Synchronization
internal import Transport

/// The phases of a collector, which any thread can read.
enum ServingPhase: String, Sendable {
  case starting, serving, draining
  /// The loop has ended; submitted records are committed and the store is closed.
  case closing
}

/// Answers the admin port's HTTP requests.
///
/// - `/livez` and `/healthz`: 200 while the event loop answers within `LoopQuestion.limit`, and
///   while the store is closing. 503 means that the collector needs a restart.
/// - `/readyz`: 200 while the collector serves and its store commits, otherwise 503 with a reason.
///   A connection without a free file descriptor counts for a minute. Load shedding does not count,
///   since removal of the collector would overload other collectors.
/// - `/metrics`: the metrics in Prometheus' format; 503 if the loop does not answer.
final class AdminPort: Sendable {
  let port: UInt16
  private let http: HTTPPort

  init(
    _ endpoint: Endpoint, token: BearerToken?, of server: CollectorServer
  ) throws(TransportError) {
    let needsToken = try !Endpoint.isOnlyReachableHere(endpoint.host)
    let socket = try ListeningSocket(endpoint)
    port = socket.port
    let responder = AdminResponder(server)
    http = HTTPPort(socket, token: needsToken ? token : nil) { responder.answer($0) }
    guard http.isServing else {
      throw .cannotListen(
        host: endpoint.host, port: endpoint.port, reason: "out of threads or memory")
    }
  }
}

final class AdminResponder: Sendable {
  private static let paths = ["/metrics", "/healthz", "/livez", "/readyz"]

  private let server: CollectorServer
  private let samples: LoopQuestion<CollectorSample>
  private let pulses: LoopQuestion<Pulse>

  private struct Pulse: Sendable {
    let storeError: StoreError?
    let descriptorFault: String?
  }

  init(_ server: CollectorServer) {
    self.server = server
    samples = LoopQuestion(to: server.loop) { [unowned server] in server.sample() }
    pulses = LoopQuestion(to: server.loop) { [unowned server] in
      Pulse(storeError: server.storeError, descriptorFault: server.descriptorFault)
    }
  }

  func answer(_ request: AdminRequest) -> AdminAnswer {
    guard request.isAuthorized else {
      return AdminAnswer(
        code: 401, body: "This port requires the collector's token.\n",
        headers: ["WWW-Authenticate": "Bearer"])
    }
    switch request.path {
    case "/metrics": return metrics(request)
    case "/healthz", "/livez": return Self.page([loopCheck(pulse())], request)
    case "/readyz": return Self.page(readiness(pulse()), request)
    default:
      let list = Self.paths.joined(separator: "\n")
      return AdminAnswer(code: 404, body: "No such page. Available pages:\n\(list)\n")
    }
  }

  // MARK: Checks

  struct Check: Equatable, Sendable {
    var name: String
    var fault: String?
  }

  /// Answers 200 and "ok", or 503 and the fault; `verbose` adds a line for each check.
  static func page(_ checks: [Check], _ request: AdminRequest) -> AdminAnswer {
    let faults = checks.filter { $0.fault != nil }
    let shown = request.isVerbose ? checks : faults
    let lines = shown.map { "\($0.name): \($0.fault ?? "ok")" }
    return AdminAnswer(
      code: faults.isEmpty ? 200 : 503,
      body: lines.isEmpty ? "ok\n" : lines.joined(separator: "\n") + "\n")
  }

  private func pulse() -> Pulse? { server.phase == .closing ? nil : pulses.ask() }

  private func loopCheck(_ pulse: Pulse?) -> Check {
    let isHung = pulse == nil && server.phase != .closing
    return Check(
      name: "loop",
      fault: isHung ? "the event loop has not responded for a second." : nil)
  }

  private func readiness(_ pulse: Pulse?) -> [Check] {
    let phase = server.phase
    return [
      Check(name: "phase", fault: phase == .serving ? nil : phase.rawValue),
      loopCheck(pulse), Check(name: "store", fault: pulse?.storeError?.description),
      Check(name: "descriptors", fault: pulse?.descriptorFault),
    ]
  }

  // MARK: Metrics

  private func metrics(_ request: AdminRequest) -> AdminAnswer {
    guard server.phase != .closing else {
      return AdminAnswer(code: 503, body: "The store is closing; no metrics are available.\n")
    }
    guard let sample = samples.ask() else {
      return AdminAnswer(code: 503, body: "The event loop has not responded for a second.\n")
    }
    let format = MetricPage.Format(accept: request.accept)
    let page = CollectorPage(
      version: server.configuration.version, startedAt: server.startedAt,
      now: server.configuration.unixTime(),
      isReady: server.phase == .serving && sample.storeError == nil
        && sample.descriptorFault == nil,
      sample: sample,
      machine: MachineMetrics.now(store: server.configuration.store.files))
    return AdminAnswer(
      code: 200, body: page.rendered(format), contentType: format.contentType)
  }
}
