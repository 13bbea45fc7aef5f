import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Monitoring of a collector", .live, .timeLimit(.minutes(10)))
struct ObservedCollectorTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var trial: Trial {
    var trial = Trial.endless
    trial.settings = ["warmStart=1h"]
    return trial
  }

  private func collector(_ options: [String] = []) async throws -> OwnCollector {
    try await OwnCollector(["--store-path", folder["store.sqlite"].path] + options)
  }

  @Test(
    "Prometheus scrapes it and computes the ingest rate",
    .needs(.prometheus))
  func prometheus() async throws {
    let collector = try await collector()
    let load = try Program.start(
      ["load"] + trial.options(out: folder["run"])
        + ["--collector", collector.address, "--ui", "none"])
    let (prometheus, port) = try prometheus(scraping: collector.admin)
    let query = "sum(rate(flotilla_batches_accepted_total%5B10s%5D))"
    try await eventually("Prometheus knows the rate", soFar: prometheus.errorOutput) {
      guard let page = try? Page("/api/v1/query?query=\(query)", port: port) else { return false }
      return Self.value(page.body) ?? 0 > 0
    }
    let up = try Page("/api/v1/query?query=up%7Bjob%3D%22flotilla%22%7D", port: port)
    #expect(Self.value(up.body) == 1)
    load.signal(SIGINT)
    _ = try await load.end()
    prometheus.signal(SIGTERM)
    _ = try await prometheus.end()
  }

  private func prometheus(scraping admin: UInt16) throws -> (RunningProcess, UInt16) {
    let configuration = """
      global: { scrape_interval: 1s, scrape_timeout: 1s }
      scrape_configs:
        - job_name: flotilla
          static_configs: [{ targets: ['127.0.0.1:\(admin)'] }]
      """
    let file = folder["prometheus.yml"]
    try configuration.write(to: file, atomically: true, encoding: .utf8)
    let port = try FreePort.next()
    let tool = try #require(Program.tool("prometheus"))
    let process = try RunningProcess(
      tool,
      [
        "--config.file=\(file.path)", "--storage.tsdb.path=\(folder["tsdb"].path)",
        "--web.listen-address=127.0.0.1:\(port)", "--log.level=warn",
      ])
    return (process, port)
  }

  /// Of the first series of an instant vector.
  private static func value(_ answer: String) -> Double? {
    let object = try? JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
    let data = object?["data"] as? [String: Any]
    let result = (data?["result"] as? [[String: Any]])?.first
    return (result?["value"] as? [Any])?.last.flatMap { $0 as? String }.flatMap { Double($0) }
  }
}
