internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Run
internal import Scenarios
internal import Synchronization
internal import Transport

/// Serves the metrics of a running load, and sends them to servers every five seconds. Functions
/// only enqueue, except `close`.
///
/// `@unchecked Sendable`: `port` and `timer` are written only in `init`, `start` and `close`, which
/// one thread calls, and the receivers are used only on the queue.
final class MetricsFeed: @unchecked Sendable {
  private let metrics: Mutex<RunMetrics>
  private var port: HTTPPort?
  private let receivers: [MetricsReceiver]
  private let queue = DispatchQueue(label: "flotilla.metrics", qos: .utility)
  private var timer: (any DispatchSourceTimer)?
  /// The line with the page's address; nil without a page.
  let line: String?

  private static let seconds = 5.0

  /// Returns nil if no key asks for metrics.
  static func open(
    _ keys: MetricsKeys, _ plan: RunPlan, _ console: Console
  ) throws(CommandError) -> MetricsFeed? {
    guard keys != MetricsKeys() else { return nil }
    var receivers: [MetricsReceiver] = []
    let urls: [(MetricsReceiver.Form, String?)] = [
      (.otlp, keys.otlp), (.remoteWrite, keys.remoteWrite),
    ]
    for (form, url) in urls {
      guard let url else { continue }
      receivers.append(
        try MetricsReceiver(
          form, url, run: plan.startedAt, version: plan.version, console.surroundings.environment))
    }
    do throws(TransportError) {
      return try MetricsFeed(keys.listen, RunMetrics(plan), receivers)
    } catch {
      throw CommandError(exit: error.exit, message: "metrics.listen: \(error).")
    }
  }

  private init(
    _ endpoint: Endpoint?, _ metrics: RunMetrics, _ receivers: [MetricsReceiver]
  ) throws(TransportError) {
    self.metrics = Mutex(metrics)
    self.receivers = receivers
    let socket: ListeningSocket? =
      if let endpoint { try ListeningSocket(endpoint) } else { nil }
    line = endpoint.map {
      "metrics  http://\(Endpoint(host: $0.host, port: socket?.port ?? $0.port))/metrics"
    }
    guard let socket, let endpoint else { return }
    let port = HTTPPort(socket, token: nil) { [unowned self] in answer($0) }
    guard port.isServing else {
      throw .cannotListen(
        host: endpoint.host, port: endpoint.port, reason: "out of threads or memory")
    }
    self.port = port
  }

  private func answer(_ request: AdminRequest) -> AdminAnswer {
    guard request.path == "/metrics" else {
      return AdminAnswer(code: 404, body: "No such page. Available pages:\n/metrics\n")
    }
    let format = MetricPage.Format(accept: request.accept)
    let page = metrics.withLock { $0 }.page
    return AdminAnswer(code: 200, body: page.text(format), contentType: format.contentType)
  }

  /// Begins to send.
  ///
  /// - Parameter note: takes lines for the user about servers that do not take metrics.
  func start(note: @escaping @Sendable (String) -> Void) {
    guard !receivers.isEmpty else { return }
    for receiver in receivers { receiver.note = note }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [unowned self] in send() }
    timer.schedule(deadline: .now() + Self.seconds, repeating: Self.seconds)
    timer.activate()
    self.timer = timer
  }

  func show(_ progress: RunProgress) {
    switch progress {
    case .live(let interval): metrics.withLock { $0.add(interval) }
    case .virtual, .phones, .note: break
    }
  }

  private func send() {
    let page = metrics.withLock { $0 }.page
    for receiver in receivers { receiver.send(page) }
  }

  /// Sends the last values, with the verdict of an ended run, and closes the page and the
  /// connections.
  func close(_ record: RunRecord?) {
    timer?.cancel()
    if let record { metrics.withLock { $0.end(record) } }
    queue.sync {
      if !receivers.isEmpty { send() }
      for receiver in receivers { receiver.close() }
    }
    port = nil
  }
}
