import Core
import Figures
import Foundation
import LiveSupport
import Report
import TestSupport
import Testing
import Transport

/// The live page in Chromium, and what browsers cost that read slowly or not at all.
@Suite("A live page in browsers", .timeLimit(.minutes(10)))
struct LivePageTests {
  private struct Seen: Decodable {
    struct Page: Decodable {
      var rows: [String]
      var name: String
      var standing: String
      var tone: String
      var ended: String
      var charts: Int
      var tiles: [String]
      var pictures: Int
    }
    var script: Page
    var console: [String]
    var requests: [String]
    var scrollWidth: Int
    var innerWidth: Int
  }

  /// Waits for the end of the page's events and returns what it shows.
  private static let script = """
    const hasEnded = () => !document.getElementById('ended').hidden;
    while (!hasEnded()) await new Promise(done => setTimeout(done, 100));
    const text = id => document.getElementById(id).textContent;
    return {
      rows: FlotillaLive.rows(), name: text('name'), standing: text('standing'),
      tone: document.getElementById('standing').className, ended: text('ended'),
      charts: document.querySelectorAll('#panels figure.drawn').length,
      tiles: [...document.querySelectorAll('.tile h2')].map(one => one.textContent),
      pictures: document.images.length,
    };
    """

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func browser(_ url: String, width: Int = 1_280) throws -> RunningProcess {
    try Data(Self.script.utf8).write(to: folder["script.js"])
    let browser = Program.root.appendingPathComponent("Tests/LiveTests/Python/browser.py")
    return try RunningProcess(
      URL(fileURLWithPath: "/usr/bin/python3"),
      [browser.path, url, "--width", "\(width)", "--script", folder["script.js"].path])
  }

  private func seen(_ browser: RunningProcess, at url: String) async throws -> Seen {
    let ended = try await browser.end(within: .seconds(100))
    try #require(ended.code == 0, "\(ended.errorOutput)")
    let seen = try JSONDecoder().decode(Seen.self, from: ended.output)
    #expect(seen.console == [])
    #expect(Set(seen.requests) == [url + "events"])
    #expect(seen.scrollWidth == seen.innerWidth)
    return seen
  }

  private static func address(_ process: RunningProcess) async throws -> String {
    try await process.says("its page") { $0.contains(#/web +http:\S+\n/#) }
    return String(try #require(process.text.firstMatch(of: #/web +(http:\S+)\n/#)).1)
  }

  /// Rows of timeline.csv without what is known only at the end: silences.
  private static func comparable(_ rows: [String], _ header: String) -> [[Substring]] {
    let names = header.split(separator: ",")
    return rows.map { row in
      zip(names, row.split(separator: ",", omittingEmptySubsequences: false))
        .filter { !$0.0.hasPrefix("fresh_") && !$0.0.hasPrefix("stale_") }.map(\.1)
    }
  }

  @Test(
    "browsers that open it early and late have every row of timeline.csv, and the report",
    .needs(.chromium), .needs(.selenium))
  func load() async throws {
    let out = folder["run"]
    let trial = Trial(phones: 600, speed: 60, duration: "30min", settings: ["warmStart=1h"])
    let run = try Program.start(
      ["load"] + trial.options(out: out) + ["--web", "127.0.0.1:0", "--ui", "plain"])
    let url = try await Self.address(run)
    let early = try browser(url)
    try await run.says("its 10th second") { $0.split(separator: "\n").count > 12 }
    let late = try browser(url, width: 600)
    let pages = [try await seen(early, at: url), try await seen(late, at: url)]
    try await run.end().expectRun()
    let lines = try RunFiles(folder: out).text("timeline.csv").split(separator: "\n").map(
      String.init)
    let record = try RunFiles(folder: out).record
    #expect(lines.count > 25)
    for page in pages.map(\.script) {
      #expect(
        Self.comparable(page.rows, lines[0]) == Self.comparable(Array(lines.dropFirst()), lines[0]))
      #expect(page.name == "city")
      #expect(page.standing == (try record.verdict).replacing("-", with: " "))
      #expect(page.ended.contains("Open the report"))
      #expect(page.charts >= 3)
      #expect(page.tiles.contains("Throughput") && page.tiles.contains("Fresh"))
    }
  }

  @Test("a collector's page shows its uploads", .needs(.chromium), .needs(.selenium))
  func collector() async throws {
    let collector = try Program.start([
      "collect", "--listen", "127.0.0.1:0", "--store", "none", "--ui", "plain", "--web",
      "127.0.0.1:0",
    ])
    let url = try await Self.address(collector)
    let port = try #require(collector.text.firstMatch(of: #/listening on (\S+)\n/#)).1
    let browser = try browser(url)
    let trial = Trial.short(phones: 200, duration: "24min")
    let ended = try await Program.run(
      ["load"] + trial.options(out: folder["run"]) + [
        "--collector", String(port), "--set", "run.proof=false",
      ])
    ended.expectRun()
    collector.signal(SIGTERM)
    let page = try await seen(browser, at: url).script
    #expect(try await collector.end().code == 0)
    #expect(page.ended == "The collector has ended.")
    #expect(page.name.hasPrefix("city"))
    #expect(page.tiles.starts(with: ["Throughput", "Ingest", "Stored"]))
    #expect(page.rows.count > 2 && page.charts >= 3)
  }

  @Test("what strangers wrote is text", .needs(.chromium), .needs(.selenium))
  func foreign() async throws {
    let name = "<img src=x onerror=alert(1)></script><b>&amp;"
    var snapshot = Snapshot(source: .load, name: name, detail: name)
    snapshot.outlook = Outlook(.missing, name)
    snapshot.rates = .init()
    let server = try PageServer(
      Endpoint(host: "127.0.0.1", port: 0), token: nil, epoch: "a",
      page: LivePage(snapshot, utcOffsetSeconds: 0).html(.installed))
    for second in 1...20 {
      server.send(
        row: TimelineRow(snapshot, atUnixSeconds: 1_772_433_000 + Double(second)).csv,
        state: LivePage.state(snapshot, notes: [name]))
    }
    let browser = try browser(server.address)
    try await eventually("a browser reads") { server.browsers == 1 }
    server.end(LivePage.end(name, verdict: .pass, report: nil), within: .seconds(10))
    let page = try await seen(browser, at: server.address).script
    server.close()
    #expect(page.name == name && page.ended == name)
    #expect(page.pictures == 0)
    #expect(page.rows.count == 20 && page.charts >= 2)
    #expect(page.standing == "pass" && page.tone == "badge pass")
  }

  @Test("a browser that never reads costs neither time nor memory, and others get everything")
  func silent() async throws {
    let server = try PageServer(
      Endpoint(host: "127.0.0.1", port: 0), token: nil, epoch: "a", page: "page")
    let port = try #require(UInt16(server.address.split(separator: ":").last?.dropLast() ?? ""))
    let silent = try (0..<8).map { _ in try Socket(port: port) }
    for socket in silent {
      socket.send(Array("GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8))
    }
    try await eventually("they are served") { server.browsers == silent.count }
    let before = ProcessMetrics.current().residentBytes
    let row = String(repeating: "7", count: 1_000)
    let state = String(repeating: "s", count: 4_000)
    let clock = ContinuousClock()
    var slowest = Duration.zero
    for _ in 0..<40_000 {
      slowest = max(slowest, clock.measure { server.send(row: row, state: state) })
    }
    // 200 MB were sent to each; the history has 7,200 rows of 1 kB.
    #expect(ProcessMetrics.current().residentBytes - before < 100 << 20)
    // Needs: a processor within a second.
    #expect(slowest < .seconds(1), "\(slowest)")
    let reader = Task.detached { try Page("/events", port: port) }
    try await eventually("another reads") { server.browsers == silent.count + 1 }
    server.end("{}", within: .milliseconds(200))
    server.close()
    let page = try await reader.value
    #expect(page.code == 200)
    #expect(page.head.contains("Content-Type: text/event-stream"))
    #expect(page.body.components(separatedBy: "data: 7").count - 1 > 3_600)
    #expect(page.body.hasSuffix("event: end\ndata: {}\n\n"))
  }

  @Test("a server that is freed while a browser reads ends its stream")
  func freed() async throws {
    func read() async throws -> Task<Page, any Error> {
      let server = try PageServer(
        Endpoint(host: "127.0.0.1", port: 0), token: nil, epoch: "a", page: "page")
      let port = try #require(UInt16(server.address.split(separator: ":").last?.dropLast() ?? ""))
      let reader = Task.detached { try Page("/events", port: port) }
      try await eventually("a browser reads") { server.browsers == 1 }
      return reader
    }
    // Its head may not have been sent yet; what matters is that it ends.
    _ = try await read().value
  }

  @Test("requests over a socket: headers, methods, a name that is not ours, and a token")
  func requests() throws {
    let token = "0123456789abcdef"
    let open = try PageServer(
      Endpoint(host: "127.0.0.1", port: 0), token: nil, epoch: "a", page: "page")
    let closed = try PageServer(
      Endpoint(host: "0.0.0.0", port: 0), token: token, epoch: "a", page: "page")
    defer {
      open.close()
      closed.close()
    }
    func port(_ server: PageServer) throws -> UInt16 {
      try #require(UInt16(server.address.split(separator: ":").last?.dropLast() ?? ""))
    }
    let (here, anywhere) = (try port(open), try port(closed))
    let page = try Page("/", port: here)
    #expect(page.code == 200 && page.body == "page")
    for header in [
      "Cache-Control: no-store", "X-Content-Type-Options: nosniff",
      "Content-Security-Policy: default-src 'none'",
    ] { #expect(page.head.contains(header)) }
    for method in ["HEAD", "POST", "DELETE"] {
      let refused = try Page("/", method: method, port: here)
      #expect(refused.code == 405 && refused.head.contains("Allow: GET"))
    }
    for bytes in [0, 1, 1_000_000_000] {
      let length = "Content-Length: \(bytes)"
      let posted = try Page("/events", method: "POST", port: here, headers: [length])
      #expect(posted.code == 405)
    }
    #expect(try Page("/", port: anywhere).code == 401)
    #expect(try Page("/events", port: anywhere).code == 401)
    let redirect = try Page("/?token=\(token)", port: anywhere)
    #expect(redirect.code == 303 && redirect.head.contains("Location: /\r\n"))
    let cookie = "Cookie: flotilla-\(anywhere)=\(token)"
    #expect(redirect.head.contains("Set-\(cookie); HttpOnly"))
    #expect(try Page("/", port: anywhere, headers: [cookie]).body == "page")
    #expect(try Page("/?token=\(token)x", port: anywhere).code == 401)
  }
}
