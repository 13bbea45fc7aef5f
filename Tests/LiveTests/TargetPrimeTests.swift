import Foundation
import LiveSupport
import TestSupport
import Testing

/// A backend that receives the hours before a run in advance: `receiver.py`, in its own process.
@Suite("load --target with prime", .live, .timeLimit(.minutes(10)), .needs(.python))
struct TargetPrimeTests {
  private final class Backend {
    let folder: TemporaryFolder
    let server: RunningProcess
    let url: String

    init(_ answers: String = "ok", prime: String, rate: String) async throws {
      folder = try TemporaryFolder()
      let script = Program.root.appendingPathComponent("Tests/LiveTests/Python/receiver.py")
      server = try RunningProcess(
        try #require(Program.tool("python3")), [script.path, "--stay", "--answers", answers])
      try await server.says("its address") { $0.contains(#/listening on .*:\d+\n/#) }
      url = "http://\(server.text.dropFirst("listening on ".count).dropLast())"
      let target = TargetPrimeTests.target + "prime: \(prime)\nprimeRate: \(rate)\n"
      try Data(target.utf8).write(to: folder["acme.yaml"])
    }

    func get(_ path: String) async throws -> Data {
      try await Program.runTool(
        "python3",
        [
          "-c",
          "import sys, urllib.request as r; "
            + "sys.stdout.write(r.urlopen(sys.argv[1]).read().decode())", "\(url)\(path)",
        ]
      ).output
    }

    func words(phones: Int = 300, warmStart: String = "10min") -> [String] {
      [
        "load", "city", "--target", folder["acme.yaml"].path, "--target-url", url,
        "--phones", "\(phones)", "--duration", "3s", "--set", "warmStart=\(warmStart)",
        "--set", "start=2026-03-02T08:00", "--set", "faults=[]", "--set", "slo={}",
        "--set", "fleet.cohorts[0].policy=radar-continuous", "--ui", "plain",
        "--out", folder["run"].path,
      ]
    }

    func start() throws -> RunningProcess { try Program.start(words()) }

    func counts() async throws -> [String: Double] {
      try JSONDecoder().decode([String: Double].self, from: try await get("/counts"))
    }

    var record: RecordFile { get throws { try RunFiles(folder: folder["run"]).record } }
  }

  private static let target = """
    name: acme
    description: A test's.
    client: { name: Acme, version: "1", source: "made up" }
    protocol: http
    url: http://127.0.0.1:1
    identity: { id: "a{phone:05}" }
    register:
      once: phone
      path: /devices
      message: { id: $id }
      keep: { session: /session }
      answer:
        - { when: { status: 201 }, is: stored }
    upload:
      path: /fixes
      headers: { X-Session: "{session}" }
      fixes: 20
      message: { id: $id, points: { each: fix, at: $time.ms, lat: $latitude, lon: $longitude } }
    answer:
      - { when: { status: 200, field: { /ok: true } }, is: stored }
      - { when: { status: 503 }, is: retry }
    retry: { on: backoff, first: 200ms, factor: 2, longest: 1s, deadline: 20s }
    readback:
      method: GET
      path: /track
      query: { id: $id }
      rows: /points
      time: /at
      timeUnit: ms
      latitude: /lat
      longitude: /lon

    """

  @Test("uploads before the run are on the server at its start, in order and with their times")
  func primes() async throws {
    let backend = try await Backend(prime: "10min", rate: "2000/s")
    let began = Date.now
    let ended = try await backend.start().end()
    ended.expectRun()
    let record = try backend.record
    let primed = try record.count("target.primed.fixes.stored")
    #expect(primed > 500)
    #expect(try record.count("target.primed.left") == 0)
    #expect(try record.count("target.primed.fixes.handed") == primed)
    #expect(
      ended.text.contains("fixes of the preceding 10 min were uploaded in "), "\(ended.text)")
    let stored = try record.count("target.fixes.stored")
    let counts = try await backend.counts()
    #expect(Double(primed + stored) == counts["fixes"])
    // The run reads back only its own fixes; a kept registration is not repeated.
    #expect(try record.count("target.readback.confirmed") == stored)
    #expect(try record.count("target.readback.missing") == 0)
    let devices = counts["devices"] ?? 0
    #expect(try Double(record.count("target.primed.phones")) <= devices)
    #expect(try record.number("target.primed.perSecondMax") == 2_000)
    let page = backend.folder["run/report.html"]
    #expect(try String(contentsOf: page, encoding: .utf8).contains("Sent before the run"))
    try await checkTimes(backend, since: began)
  }

  /// The fixes of each phone have the order of sending, and none is in the future.
  private func checkTimes(_ backend: Backend, since began: Date) async throws {
    struct Track: Decodable {
      struct Point: Decodable { let at: Double }
      let points: [Point]
    }
    var spans: [Double] = []
    let now = Date.now.timeIntervalSince1970 * 1_000
    for phone in 0..<12 {
      let name = "a0000\(phone)".suffix(5)
      let track = try JSONDecoder().decode(
        Track.self, from: try await backend.get("/track?id=a\(name)"))
      let times = track.points.map(\.at)
      #expect(times == times.sorted())
      // Clocks of a few phones are wrong.
      guard let first = times.first, let last = times.last, abs(now - last) < 1_000_000 else {
        continue
      }
      spans.append(last - first)
      #expect(last <= now + 1_000)
      #expect(first >= began.timeIntervalSince1970 * 1_000 - 11 * 60_000)
    }
    #expect((spans.max() ?? 0) > 60_000, "\(spans)")
  }

  @Test(
    "two mpirun processes prime and upload for their phones; the record has both",
    .needs(.mpirun))
  func ranks() async throws {
    let backend = try await Backend(prime: "5min", rate: "2000/s")
    let ended = try await MPIJob(folder: backend.folder).start(2, backend.words()).end()
    ended.expectRun()
    let record = try backend.record
    #expect(try record.count("scenario.phones") == 300)
    let primed = try record.count("target.primed.fixes.stored")
    let stored = try record.count("target.fixes.stored")
    let counts = try await backend.counts()
    #expect(primed > 250 && stored > 10 && counts["fixes"] == Double(primed + stored))
    #expect(try record.count("target.readback.confirmed") == stored)
    #expect(try record.count("ledger.fixes.acknowledged") == stored)
    #expect(ended.text.split(separator: "\n").count { $0.hasPrefix("verdict") } == 1)
  }

  @Test("Ctrl-C during priming reports the sent history")
  func interrupted() async throws {
    let backend = try await Backend(prime: "10min", rate: "20/s")
    let load = try backend.start()
    try await load.says("priming acme: ")
    load.signal(SIGINT)
    let ended = try await load.end()
    #expect(ended.code == 130, "\(ended.text)\(ended.errorOutput)")
    let record = try backend.record
    #expect(try record.verdict == "interrupted")
    #expect(
      try record.reasons.first == "Stopped while priming acme: nothing was measured.")
    let left = try record.count("target.primed.left")
    #expect(left > 0)
    #expect(try record.count("target.fixes.handed") == 0)
    #expect(ended.text.contains(" not stored."), "\(ended.text)")
  }

  @Test("priming stops if the server rejects everything, and the report says so")
  func refuses() async throws {
    let backend = try await Backend("503", prime: "10min", rate: "2000/s")
    let ended = try await backend.start().end()
    ended.expectRun()
    let record = try backend.record
    #expect(try record.count("target.primed.fixes.stored") == 0, "\(ended.text)")
    #expect(try record.count("target.primed.fixes.failed") > 0)
    #expect(try record.count("target.primed.left") > 0)
    #expect(try record.count("target.primed.phonesGivenUp") >= 64)
  }

}
