import Foundation
import LiveSupport
import Testing

@Suite("The end of a collector", .timeLimit(.minutes(10)))
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
    // A commit waits for company, so that uploads wait for it at any moment.
    try await OwnCollector(
      ["--store-path", folder["store.sqlite"].path, "--group-delay-ms", "200"] + options,
      listen: listen)
  }

  /// A call that has begun and never goes on: preface, HEADERS of an Upload, half a message.
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

  /// A fleet uploads, the collector is told to end, and another takes its place on the same port
  /// and the same store.
  private func replace(
    _ options: [String], _ end: (OwnCollector) async throws -> Void
  ) async throws {
    try await Seats.hold {
      let first = try await collector(options)
      var trial = Trial.endless
      trial.phones = 1_000
      // A disk that stands still for seconds shall not end a call before its answer.
      trial.settings = ["network.deadline=60s", "warmStart=1h"]
      let load = try Program.start(
        ["load"] + trial.options(out: files.folder) + ["--collector", first.address])
      try await load.says("acknowledged, measured batches") {
        $0.contains(#/ measure .*acked=[1-9]/#)
      }
      try await end(first)
      let printed = load.text.count
      let second = try await collector([], listen: first.address)
      try await eventually("the second collector says that it started") {
        second.events.contains("start")
      }
      #expect(second.field("batches", of: "start") ?? 0 > 0)
      try await load.says("batches acknowledged by the second collector") {
        $0.dropFirst(printed).contains(#/ measure .*acked=[1-9]/#)
      }
      load.signal(SIGINT)
      let ended = try await load.end()
      #expect([98, 130].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    }
    let record = try files.record
    try record.expectClosedLedger()
    try record.expectNothingLost()
  }

  @Test("a collector that is told to end as soon as it listens ends well")
  func earlySignal() async throws {
    for round in 1...10 {
      let first = try await collector([])
      first.process.signal(SIGTERM)
      let ended = try await first.process.end()
      #expect(ended.code == 0, "round \(round): \(ended.text)\(ended.errorOutput)")
    }
  }

  @Test("SIGTERM: not ready, GOAWAY, open calls answered, store closed, 0; nothing is lost")
  func drain() async throws {
    try await replace(["--drain-delay-ms", "300"]) { collector in
      let unknownPeer = try Self.halfAnUpload(to: collector.port)
      try await eventually("a call is open") { try collector.metric("flotilla_streams") >= 1 }
      collector.process.signal(SIGTERM)
      try await eventually("it says that it drains") {
        let page = try? collector.page("/readyz")
        return page?.code == 503 && page?.body.contains("phase: draining") == true
      }
      let ended = try await collector.process.end()
      #expect(ended.code == 0)
      // A busy machine may delay the queue meanwhile, and the log then says so.
      #expect(
        collector.events.drop { $0 != "drain.begin" }.filter { !$0.hasPrefix("overload.") }
          == ["drain.begin", "drain.goaway", "drain.calls", "store.closed", "exit"])
      #expect(collector.field("uploads_waiting", of: "drain.calls") == 0, "\(ended.errorOutput)")
      #expect(collector.field("cut", of: "drain.calls") == 0, "\(ended.errorOutput)")
      // The slow client held nobody up, and was told.
      #expect(collector.field("took_ms", of: "drain.calls") ?? .max < 9_000)
      let reported = String(decoding: unknownPeer.readAll(), as: UTF8.self)
      #expect(reported.contains("the server is shutting down"))
      #expect(!FileManager.default.fileExists(atPath: folder["store.sqlite-wal"].path))
    }
  }

  @Test("while it waits to close its doors it serves on, and says that it is not ready")
  func delay() async throws {
    let collector = try await collector(["--drain-delay-ms", "60000"])
    collector.process.signal(SIGTERM)
    try await eventually("it is not ready") { try collector.page("/readyz").code == 503 }
    #expect(try collector.page("/healthz").code == 200)
    #expect(try collector.metric("flotilla_ready") == 0)
    _ = try Socket(port: collector.port)
    collector.process.signal(SIGINT)
    #expect(try await collector.process.end().code == 130)
  }

  @Test("a second signal ends it at once with 130, and what was acknowledged is there")
  func secondSignal() async throws {
    try await replace(["--drain-delay-ms", "60000"]) { collector in
      collector.process.signal(SIGTERM)
      try await eventually("the first one is heard") { collector.events.contains("drain.begin") }
      collector.process.signal(SIGTERM)
      #expect(try await collector.process.end().code == 130)
    }
  }
}
