import Foundation
import LiveSupport
import TestSupport
import Testing

/// The metrics of a running load, read by Prometheus and by OpenTelemetry's own library.
@Suite("Metrics of a run", .live, .timeLimit(.minutes(10)))
struct RunMetricsTests {
  private static let files = Program.root.appendingPathComponent("Sources/Run/Run.docc/grafana")

  private static func load(
    _ folder: TemporaryFolder, _ options: [String], environment: [String: String] = [:]
  ) throws -> RunningProcess {
    let trial = Trial.open(
      phones: 300, "push.scheduler=fixed", "push.silentAfter=5min", "push.spacing=10min",
      "slo.responseP99=10s")
    return try RunningProcess(
      Program.url,
      ["load"] + trial.options(out: folder["run"]) + ["--ui", "plain"] + options,
      environment: environment)
  }

  // MARK: Prometheus

  private struct Prometheus {
    let process: RunningProcess
    let port: UInt16

    /// Returns the values of an instant query.
    func values(_ query: String) throws -> [Double] {
      let allowed = CharacterSet.alphanumerics
      let text = query.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
      let page = try Page("/api/v1/query?query=\(text)", port: port)
      let object = try JSONSerialization.jsonObject(with: Data(page.body.utf8)) as? [String: Any]
      let data = object?["data"] as? [String: Any]
      return (data?["result"] as? [[String: Any]] ?? []).compactMap { series in
        ((series["value"] as? [Any])?.last as? String).flatMap { Double($0) }
      }
    }
  }

  private static func prometheus(
    _ folder: TemporaryFolder, scraping metrics: UInt16
  ) throws -> Prometheus {
    let configuration = """
      global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
      rule_files: ['\(files.path)/load-alerts.yaml']
      scrape_configs:
        - job_name: load
          static_configs: [{ targets: ['127.0.0.1:\(metrics)'] }]
      """
    let file = folder["prometheus.yml"]
    try Data(configuration.utf8).write(to: file)
    let port = try FreePort.next()
    let process = try RunningProcess(
      try #require(Program.tool("prometheus")),
      [
        "--config.file=\(file.path)", "--storage.tsdb.path=\(folder["tsdb"].path)",
        "--web.listen-address=127.0.0.1:\(port)", "--log.level=warn",
        "--web.enable-remote-write-receiver",
      ])
    return Prometheus(process: process, port: port)
  }

  private struct Dashboard: Decodable {
    struct Panel: Decodable {
      struct Target: Decodable {
        let expr: String
      }
      let title: String
      let targets: [Target]
    }
    let panels: [Panel]
  }

  @Test(
    "every query of the dashboard and every alert rule has an answer, scraped and written",
    .needs(.prometheus), .needs(.promtool))
  func dashboard() async throws {
    let folder = try TemporaryFolder()
    let metrics = try FreePort.next()
    let prometheus = try Self.prometheus(folder, scraping: metrics)
    defer { prometheus.process.signal(SIGKILL) }
    let load = try Self.load(
      folder,
      [
        "--set", "metrics.listen=127.0.0.1:\(metrics)", "--set",
        "metrics.remoteWrite=http://127.0.0.1:\(prometheus.port)/api/v1/write",
      ])
    let dashboard = try JSONDecoder().decode(
      Dashboard.self, from: Data(contentsOf: Self.files.appending(path: "load-dashboard.json")))
    // The first job is scraped; the second writes every five seconds.
    for (job, range) in [("load", "10s"), ("flotilla", "30s")] {
      for panel in dashboard.panels {
        for target in panel.targets {
          let query = target.expr.replacing("$__rate_interval", with: range)
            .replacing("$job", with: job).replacing("$instance", with: ".+")
          try await eventually(
            "\(job): \(panel.title): \(query)",
            soFar: load.errorOutput + prometheus.process.errorOutput
          ) { (try? prometheus.values(query))?.isEmpty == false }
        }
      }
    }
    let rules = try Page("/api/v1/rules", port: prometheus.port).body
    #expect(rules.contains("FlotillaGeneratorLate") && !rules.contains(#""health":"err""#))
    let text = try Page("/metrics", port: metrics).body
    try Data(text.utf8).write(to: folder["page"])
    let check = try await Program.runTool("promtool", ["check", "metrics"], input: folder["page"])
    #expect(check.code == 0, "\(check.errorOutput)")
    #expect(try Page("/", port: metrics).code == 404)
    load.signal(SIGINT)
    try await load.end().expectInterrupted()
  }

  // MARK: OpenTelemetry

  private struct Request: Decodable {
    let path, type: String
    let status: Int
    let key: String?
    let service: [String: String]
    let metrics: [String: Metric]

    struct Metric: Decodable {
      let kind, unit: String
      let points: Int
      let sum: Double
      let isCounted, hasTimes: Bool

      init(from decoder: any Decoder) throws {
        var values = try decoder.unkeyedContainer()
        kind = try values.decode(String.self)
        unit = try values.decode(String.self)
        points = try values.decode(Int.self)
        sum = try values.decode(Double.self)
        isCounted = try values.decode(Bool.self)
        hasTimes = try values.decode(Bool.self)
      }
    }
  }

  @Test(
    "OpenTelemetry's library reads the metrics, also after a server that was down",
    .needs(.opentelemetry))
  func opentelemetry() async throws {
    let folder = try TemporaryFolder()
    let server = try RunningProcess(
      URL(fileURLWithPath: try #require(Oracle.pythonPackages.path)),
      [
        Program.root.appendingPathComponent("Tests/LiveTests/Python/otlp_server.py").path, "503",
        "400",
      ])
    defer { server.signal(SIGKILL) }
    try await server.says("its port") { $0.contains(#/port": \d+/#) }
    let port = try #require(server.text.firstMatch(of: #/port": (\d+)/#)?.1)
    let load = try Self.load(
      folder, ["--set", "metrics.otlp=http://127.0.0.1:\(port)/"],
      environment: ["OTEL_EXPORTER_OTLP_HEADERS": "X-Key=a%20b"])
    func requests() throws -> [Request] {
      try server.text.split(separator: "\n").dropFirst().filter { $0.hasSuffix("}") }
        .map { try JSONDecoder().decode(Request.self, from: Data($0.utf8)) }
    }
    try await eventually("four requests", soFar: load.errorOutput) { try requests().count >= 4 }
    load.signal(SIGINT)
    let ended = try await load.end()
    ended.expectInterrupted()
    let said = ended.text + ended.errorOutput
    #expect(said.contains("metrics.otlp http://127.0.0.1:\(port)/v1/metrics: status 503"))
    let all = try requests()
    #expect(all.map(\.status).prefix(3) == [503, 400, 200])
    let last = try #require(all.last)
    #expect(last.path == "/v1/metrics" && last.type == "application/x-protobuf")
    #expect(last.key == "a b" && last.service["service.name"] == "flotilla")
    let response = try #require(last.metrics["flotilla_response"])
    #expect(response.kind == "histogram" && response.unit == "s" && response.isCounted)
    let acknowledged = all.compactMap { $0.metrics["flotilla_sender_acknowledged"] }
    #expect(acknowledged.allSatisfy { $0.kind == "sum" && $0.hasTimes })
    #expect(acknowledged.map(\.sum) == acknowledged.map(\.sum).sorted())
    #expect((acknowledged.last?.sum ?? 0) > 0)
    #expect(last.metrics["flotilla_cohort_phones"]?.kind == "gauge")
    #expect(last.metrics["flotilla_verdict"]?.sum == 1)
    #expect(all.dropLast().allSatisfy { $0.metrics["flotilla_verdict"]?.points ?? 0 == 0 })
  }

  @Test("an address that is in use, a wrong URL and wrong headers are refused before the run")
  func refused() async throws {
    let folder = try TemporaryFolder()
    let port = try FreePort.next()
    for (options, headers, why) in [
      (
        ["--web", "127.0.0.1:\(port)", "--set", "metrics.listen=127.0.0.1:\(port)"], "",
        "metrics.listen: cannot listen"
      ),
      (["--set", "metrics.otlp=127.0.0.1:4318"], "", "must begin with http:// or https://"),
      (
        ["--set", "metrics.otlp=http://127.0.0.1:4318"], "secret",
        "OTEL_EXPORTER_OTLP_HEADERS: write NAME=VALUE"
      ),
    ] as [([String], String, String)] {
      let load = try Self.load(
        folder, options, environment: ["OTEL_EXPORTER_OTLP_HEADERS": headers])
      let ended = try await load.end()
      #expect(ended.code != 0 && ended.errorOutput.contains(why), "\(ended.errorOutput)")
      #expect(!ended.errorOutput.contains("secret"))
    }
  }
}
