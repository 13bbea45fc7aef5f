import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("A collector that is watched", .timeLimit(.minutes(10)))
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

  @Test("it says where the admin port is in its second line, and what is there")
  func pages() async throws {
    let collector = try await collector()
    #expect(collector.process.text.split(separator: "\n").count == 2)
    for path in ["/healthz", "/livez", "/readyz"] {
      let page = try collector.page(path)
      #expect(page.code == 200 && page.body == "ok\n", "\(path)")
    }
    let verbose = try collector.page("/readyz?verbose").body
    #expect(verbose == "phase: ok\nloop: ok\nstore: ok\ndescriptors: ok\n")
    let nothing = try collector.page("/")
    #expect(nothing.code == 404 && nothing.body.contains("/metrics"))
    let posted = try Page("/metrics", method: "POST", port: collector.admin)
    #expect(posted.code == 405 && posted.head.contains("Allow: GET, HEAD"))
    let head = try Page("/metrics", method: "HEAD", port: collector.admin)
    #expect(head.code == 200 && head.body.isEmpty && head.head.contains("version=0.0.4"))
  }

  @Test("unauthenticated clients at the admin port do no harm")
  func unknownPeers() async throws {
    let collector = try await collector()
    for request in [
      "", "\0\0\0\0", "GET", "GET /metrics HT", "GET / HTTP/1.1\r\nContent-Length: 999\r\n\r\n",
      "GET /\(String(repeating: "x", count: 60_000)) HTTP/1.1\r\n\r\n",
      "GET /%00%ff HTTP/1.0\r\n\r\n",
    ] {
      let socket = try Socket(port: collector.admin)
      socket.send(Array(request.utf8))
    }
    #expect(try collector.page("/healthz").code == 200)
    #expect(collector.process.isAlive)
  }

  @Test("idle sockets, some with half a request, do not keep a probe out")
  func idleSockets() async throws {
    let collector = try await collector()
    var idle: [Socket] = []
    for number in 0..<200 {
      let socket = try Socket(port: collector.admin)
      if number % 3 == 0 { socket.send(Array("GET /readyz HT".utf8)) }
      idle.append(socket)
    }
    for path in ["/readyz", "/livez", "/metrics"] {
      #expect(try collector.page(path).code == 200, "\(path)")
    }
    #expect(idle.count == 200 && collector.process.isAlive)
  }

  @Test(
    "promtool accepts what a scrape gets",
    .needs(.promtool))
  func promtool() async throws {
    try await Seats.hold {
      let collector = try await collector()
      try await check(collector)
      let load = try Program.start(
        ["load"] + trial.options(out: folder["run"])
          + ["--collector", collector.address, "--ui", "none"])
      try await eventually("batches are stored") {
        try collector.metric("flotilla_batches_accepted_total") > 20
      }
      try await check(collector)
      #expect(try collector.metric("flotilla_ingest_duration_seconds_count") > 20)
      #expect(try collector.metric("flotilla_store_commits_total") > 0)
      #expect(try collector.metric("flotilla_run_phones") == 500)
      load.signal(SIGINT)
      _ = try await load.end()
    }
  }

  private func check(_ collector: OwnCollector) async throws {
    let file = folder["metrics.txt"]
    try collector.page("/metrics").body.write(to: file, atomically: true, encoding: .utf8)
    let result = try await Program.runTool("promtool", ["check", "metrics"], input: file)
    #expect(result.code == 0 && result.text.isEmpty && result.errorOutput.isEmpty)
  }

  @Test(
    "Prometheus scrapes it and answers for the rate of ingest",
    .needs(.prometheus))
  func prometheus() async throws {
    try await Seats.hold {
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

  // MARK: Token and address

  @Test("a name is resolved before it is trusted")
  func names() async throws {
    let unknown = try await Program.run([
      "collect", "--store", "none", "--listen", "no.such.host.invalid:0",
    ])
    #expect(unknown.code == 73)
    #expect(unknown.errorOutput.contains("neither an address nor a name that resolves"))
    for host in ["localhost", "127.0.0.2"] {
      let local = try await OwnCollector(["--store", "none"], listen: "\(host):0")
      #expect(local.address.hasPrefix("\(host):"))
    }
  }

  @Test("a wrong token is UNAUTHENTICATED and counted; no token ever stands in the log")
  func token() async throws {
    let (right, wrong) = ("s3cret-of-the-right-kind", "s3cret-of-another-kind")
    try Data((right + "\r\nsecond line").utf8).write(to: folder["right"])
    try Data(wrong.utf8).write(to: folder["wrong"])
    chmod(folder["right"].path, 0o644)
    let collector = try await collector([
      "--token-file", folder["right"].path, "--log-format", "json",
    ])
    for (file, isWelcome) in [("wrong", false), ("right", true)] {
      let load = try Program.start(
        ["load"] + trial.options(out: folder[file + ".run"])
          + ["--collector", collector.address, "--set", "run.tokenFile=\(folder[file].path)"])
      if isWelcome {
        try await load.says(" measure ")
        load.signal(SIGINT)
      }
      #expect(try await load.end().code == (isWelcome ? 130 : 69))
    }
    #expect(try collector.metric("flotilla_rpc_unauthenticated_total") > 0)
    collector.process.signal(SIGTERM)
    let ended = try await collector.process.end()
    #expect(ended.code == 0)
    var events: [String] = []
    for line in ended.errorOutput.split(separator: "\n") {
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
      for key in ["time", "level", "event"] { #expect(object[key] is String, "\(line)") }
      events.append(object["event"] as? String ?? "")
    }
    for event in ["token.exposed", "start", "listening", "unauthenticated", "run.opened", "exit"] {
      #expect(events.contains(event), "\(event)")
    }
    let all = ended.errorOutput + ended.text
    #expect(!all.contains(right) && !all.contains(wrong) && !all.contains("Bearer"))
  }
}
