import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Monitoring of a collector", .timeLimit(.minutes(2)))
struct ObservedCollectorTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("the second line has the admin address, and its paths respond")
  func pages() async throws {
    let collector = try await OwnCollector(["--store-path", folder["store.sqlite"].path])
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
    try await expectProbes(collector)
  }

  @Test(
    "unauthenticated clients at the admin port do no harm")
  func unknownPeers() async throws {
    let collector = try await OwnCollector(["--store-path", folder["store.sqlite"].path])
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

  /// Idle sockets, some with half a request, do not block a probe.
  private func expectProbes(_ collector: OwnCollector) async throws {
    var idle: [Socket] = []
    for number in 0..<200 {
      // The system delays connections for seconds if they arrive too fast.
      try await Task.sleep(for: .milliseconds(5))
      let socket = try Socket(port: collector.admin)
      if number % 3 == 0 { socket.send(Array("GET /readyz HT".utf8)) }
      idle.append(socket)
    }
    for path in ["/readyz", "/livez", "/metrics"] {
      #expect(try collector.page(path).code == 200, "\(path)")
    }
    #expect(idle.count == 200 && collector.process.isAlive)
  }

  @Test("host names are resolved before checks, and IPv6 addresses printed in option syntax")
  func names() async throws {
    let unknown = try await Program.run([
      "collect", "--store", "none", "--listen", "no.such.host.invalid:0",
    ])
    #expect(unknown.code == 73)
    #expect(unknown.errorOutput.contains("is not an address and does not resolve"))
    for host in ["localhost", "127.0.0.2"] {
      let local = try await OwnCollector(["--store", "none"], listen: "\(host):0")
      #expect(local.address.hasPrefix("\(host):"))
    }
    let collector = try await OwnCollector(["--store", "none"], listen: "[::1]:0")
    #expect(collector.address.hasPrefix("[::1]:"))
    let trial = Trial.short(phones: 20)
    try await Program.run(
      ["load"] + trial.options(out: folder["run"]) + ["--collector", collector.address]
    ).expectRun()
    let record = try RunFiles(folder: folder["run"]).record
    #expect(try record.string("machine.collectorAddress") == collector.address)
  }

  @Test("a wrong token is UNAUTHENTICATED and counted; the log has no tokens")
  func token() async throws {
    let (right, wrong) = ("s3cret-of-the-right-kind", "s3cret-of-another-kind")
    try Data((right + "\r\nsecond line").utf8).write(to: folder["right"])
    try Data(wrong.utf8).write(to: folder["wrong"])
    chmod(folder["right"].path, 0o644)
    let collector = try await OwnCollector([
      "--store-path", folder["store.sqlite"].path, "--token-file", folder["right"].path,
      "--log-format", "json",
    ])
    try await expectWatch(collector, not: wrong)
    let trial = Trial.open(phones: 50, "warmStart=0s")
    for (file, isWelcome) in [("wrong", false), ("right", true)] {
      let load = try Program.start(
        ["load"] + trial.options(out: folder[file + ".run"])
          + ["--collector", collector.address, "--set", "run.tokenFile=\(folder[file].path)"])
      if isWelcome {
        try await load.says(" measure ")
        load.signal(SIGINT)
      }
      try await load.end().expectRun(isWelcome ? [98, 130] : [69])
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

  /// `watch` gets the same errors as `load`, also for a closed port.
  private func expectWatch(_ collector: OwnCollector, not wrong: String) async throws {
    for file in ["", "--token-file \(folder["wrong"].path)"] {
      let ended = try await Program.line("$FLOTILLA watch \(collector.address) --once \(file)")
      #expect(ended.code == 69 && ended.text.isEmpty)
      #expect(ended.errorOutput.contains("needs a token; give it with --token-file"))
      #expect(!ended.errorOutput.contains(wrong))
    }
    let right = try await Program.run([
      "watch", collector.address, "--once", "--token-file", folder["right"].path,
    ])
    #expect(right.code == 0)
    let port = try FreePort.next()
    let nobody = try await Program.run(["watch", "127.0.0.1:\(port)", "--once"])
    #expect(nobody.code == 69)
    #expect(nobody.errorOutput.contains("no collector answers"))
    #expect(nobody.errorOutput.contains("connection refused"))
  }
}
