import Foundation
import LiveSupport
import Testing

@Suite("Shutdown of a collector", .timeLimit(.minutes(2)))
struct DrainTests {
  let folder: TemporaryFolder
  let files: RunFiles

  init() throws {
    folder = try TemporaryFolder()
    files = RunFiles(folder: folder["run"])
  }

  private func collector(
    _ options: [String], listen: String = "127.0.0.1:0"
  ) async throws -> OwnCollector {
    // Commits wait for other batches, so that some uploads are always waiting.
    try await OwnCollector(
      ["--store-path", folder["store.sqlite"].path, "--group-delay-ms", "200"] + options,
      listen: listen)
  }

  /// A call that never completes: preface, HEADERS of an Upload, half a message.
  private static func halfAnUpload(to port: UInt16) throws -> Socket {
    let path = Array("/flotilla.v1.Collector/Upload".utf8)
    let headers = [0, 0, 0, 0, 0, UInt8(path.count)] + path
    let data: [UInt8] = [0, 0, 0, 1, 0, 1, 2]
    let socket = try Socket(port: port)
    socket.send(
      Array("FLOTLA/1".utf8) + frame(type: 1, headers) + frame(type: 0, data))
    return socket
  }

  private static func frame(type: UInt8, _ body: [UInt8]) -> [UInt8] {
    [0, 0, 0, UInt8(body.count), type, 0, 0, 0, 0, 1] + body
  }

  @Test("SIGTERM right after the start ends cleanly; with a delay the collector keeps serving")
  func signals() async throws {
    for round in 1...6 {
      let first = try await collector([])
      first.process.signal(SIGTERM)
      let ended = try await first.process.end()
      #expect(ended.code == 0, "round \(round): \(ended.text)\(ended.errorOutput)")
    }
    let collector = try await collector(["--drain-delay-ms", "60000"])
    collector.process.signal(SIGTERM)
    try await eventually("it is not ready") { try collector.page("/readyz").code == 503 }
    #expect(try collector.page("/healthz").code == 200)
    #expect(try collector.metric("flotilla_ready") == 0)
    _ = try Socket(port: collector.port)
    collector.process.signal(SIGINT)
    #expect(try await collector.process.end().code == 130)
  }

  /// A fleet uploads while one collector after the other takes the place of the last, on the same
  /// port and the same store: the first drains, the second is told twice to end.
  @Test("SIGTERM: not ready, GOAWAY, responses, store closed, exit 0; twice: 130; no loss")
  func drain() async throws {
    let first = try await collector(["--drain-delay-ms", "2000"])
    // A stalled disk must not end a call before its response.
    let trial = Trial.open(phones: 200, "network.deadline=60s")
    let load = try Program.start(
      ["load"] + trial.options(out: files.folder) + ["--collector", first.address])
    try await load.acknowledges()
    try await expectDrain(first)
    var printed = load.text.count
    let second = try await successor(of: first, ["--drain-delay-ms", "60000"])
    try await load.acknowledges(after: printed)
    second.process.signal(SIGTERM)
    try await eventually("the first one is heard") { second.events.contains("drain.begin") }
    second.process.signal(SIGTERM)
    #expect(try await second.process.end().code == 130)
    printed = load.text.count
    let third = try await successor(of: first)
    try await load.acknowledges(after: printed)
    load.signal(SIGINT)
    try await load.end().expectInterrupted()
    withExtendedLifetime(third) {}
    let record = try files.record
    try record.expectClosedLedger()
    try record.expectNothingLost()
  }

  /// Its store has the batches acknowledged by the previous collector.
  private func successor(
    of first: OwnCollector, _ options: [String] = []
  ) async throws -> OwnCollector {
    let next = try await collector(options, listen: first.address)
    try await eventually("it says that it started") { next.events.contains("start") }
    #expect(next.field("batches", of: "start") ?? 0 > 0)
    return next
  }

  private func expectDrain(_ collector: OwnCollector) async throws {
    let unknownPeer = try Self.halfAnUpload(to: collector.port)
    try await eventually("a call is open") { try collector.metric("flotilla_streams") >= 1 }
    collector.process.signal(SIGTERM)
    try await eventually("it says that it drains") {
      let page = try? collector.page("/readyz")
      return page?.code == 503 && page?.body.contains("phase: draining") == true
    }
    let ended = try await collector.process.end()
    #expect(ended.code == 0)
    // The queue may be delayed meanwhile; the log then says so.
    #expect(
      collector.events.drop { $0 != "drain.begin" }.filter { !$0.hasPrefix("overload.") }
        == ["drain.begin", "drain.goaway", "drain.calls", "store.closed", "exit"])
    #expect(collector.field("uploads_waiting", of: "drain.calls") == 0, "\(ended.errorOutput)")
    #expect(collector.field("cut", of: "drain.calls") == 0, "\(ended.errorOutput)")
    // The slow client delayed no other, and got a response.
    // Needs: a store that commits within seconds.
    #expect(collector.field("took_ms", of: "drain.calls") ?? .max < 9_000)
    let reported = String(decoding: unknownPeer.readAll(), as: UTF8.self)
    #expect(reported.contains("the server is shutting down"))
    #expect(!FileManager.default.fileExists(atPath: folder["store.sqlite-wal"].path))
  }
}
