internal import Commands
internal import Core
internal import Foundation
internal import Transport

/// A server that takes metrics: an OpenTelemetry collector, or Prometheus by remote write. A call
/// waits for the server's answer.
///
/// `@unchecked Sendable`: used on the queue of its feed only.
final class MetricsReceiver: @unchecked Sendable {
  enum Form: String {
    case otlp, remoteWrite

    /// The environment variable with header lines, as the OpenTelemetry SDKs read it.
    var variable: String {
      switch self {
      case .otlp: "OTEL_EXPORTER_OTLP_HEADERS"
      case .remoteWrite: "FLOTILLA_REMOTE_WRITE_HEADERS"
      }
    }

    var headers: [String] {
      switch self {
      case .otlp: ["Content-Type: application/x-protobuf"]
      case .remoteWrite:
        [
          "Content-Type: application/x-protobuf", "Content-Encoding: snappy",
          "X-Prometheus-Remote-Write-Version: 0.1.0",
        ]
      }
    }

    /// The number of pages that wait for a server that does not answer. The sums of a page of
    /// OpenTelemetry contain those of earlier pages.
    var waitingMax: Int { self == .otlp ? 1 : 120 }
  }

  private let form: Form
  private let url: String
  private let headers: [String]
  private let caller: HTTPCaller
  private let resource: [(name: String, value: String)]
  private let version: String
  private let start = UnixInstant.now()
  private var waiting: [[UInt8]] = []
  private var lost = 0
  private var problem: String?
  /// Takes each new problem, as a line for the user.
  var note: @Sendable (String) -> Void = { _ in }

  private static let timeout = WallDuration.seconds(5)

  init(
    _ form: Form, _ url: String, run: String, version: String, _ environment: [String: String]
  ) throws(CommandError) {
    self.form = form
    self.version = version
    // As for the SDKs of OpenTelemetry, the address of a server is enough.
    let path = (URLComponents(string: url)?.path ?? "").filter { $0 != "/" }
    let base = url.hasSuffix("/") ? String(url.dropLast()) : url
    self.url = form == .otlp && path.isEmpty ? "\(base)/v1/metrics" : url
    headers = form.headers + (try Self.headers(environment[form.variable] ?? "", form.variable))
    resource = [
      ("service.name", "flotilla"), ("service.version", version), ("service.instance.id", run),
      ("host.name", ProcessInfo.processInfo.hostName),
    ]
    if let fault = HTTPRequest(method: "POST", url: self.url, headers: headers).fault {
      throw CommandError(exit: .usage, message: "metrics.\(form.rawValue): \(fault).")
    }
    var settings = HTTPSettings()
    settings.use = .pooled(1)
    settings.timeout = Self.timeout
    settings.connectTimeout = Self.timeout
    settings.cutsAnswers = true
    caller = HTTPCaller(settings)
  }

  /// Returns the header lines of text such as "Authorization=Basic%20abc,X-Scope-OrgID=1".
  private static func headers(
    _ text: String, _ variable: String
  ) throws(CommandError) -> [String] {
    var lines: [String] = []
    for pair in text.split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, let value = String(parts[1]).removingPercentEncoding else {
        // The value may be a secret, so it is not printed.
        throw CommandError(
          exit: .usage, message: "\(variable): write NAME=VALUE, with commas between several.")
      }
      lines.append("\(parts[0].filter { $0 != " " }): \(value)")
    }
    return lines
  }

  /// Sends a page, after the pages that the server has not taken.
  func send(_ page: MetricPage) {
    let now = UnixInstant.now()
    switch form {
    case .otlp:
      waiting.append(page.otlp(resource: resource, version: version, since: start, at: now))
    case .remoteWrite:
      let labels = [(name: "job", value: "flotilla"), (name: "instance", value: resource[2].value)]
      waiting.append(page.remoteWrite(labels: labels, at: now))
    }
    if waiting.count > form.waitingMax {
      lost += form == .otlp ? 0 : waiting.count - form.waitingMax
      waiting.removeFirst(waiting.count - form.waitingMax)
    }
    while let body = waiting.first, take(body) { waiting.removeFirst() }
  }

  /// Sends a page. Returns whether the page is done: taken, or refused for good.
  private func take(_ body: [UInt8]) -> Bool {
    let request = HTTPRequest(method: "POST", url: url, headers: headers, body: body)
    switch caller.call(request).result {
    case .failure(let failure):
      note(problem: "\(failure)")
      return false
    case .success(let answer):
      guard !(200..<300).contains(answer.status) else {
        problem = nil
        return true
      }
      let text = PlainText.repaired(answer.body).prefix(200)
      note(problem: "status \(answer.status)\(text.isEmpty ? "" : ": \(text)")")
      // Only an overloaded or failing server may take the same page later.
      if answer.status == 429 || answer.status >= 500 { return false }
      lost += 1
      return true
    }
  }

  /// The key and the address, without a password: a screen shows notes as they are.
  private var name: String { Redaction.passwords(in: "metrics.\(form.rawValue) \(url)") }

  private func note(problem text: String) {
    guard problem == nil else { return }
    problem = text
    note("\(name): \(text)")
  }

  /// Ends the connection. Reports pages that the server has not taken.
  func close() {
    caller.close()
    let count = lost + waiting.count
    guard count > 0 else { return }
    note("\(name): pages of metrics that were not taken: \(count)")
  }
}
