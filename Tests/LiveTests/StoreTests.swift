import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("Contents of a store", .live, .timeLimit(.minutes(10)))
struct StoreTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func collect(_ prefix: String = "exec", store: String? = nil) throws -> RunningProcess {
    let shell = URL(fileURLWithPath: "/bin/bash")
    let path = store ?? folder["live.sqlite"].path
    return try RunningProcess(
      shell,
      [
        "-c",
        "\(prefix) '\(Program.url.path)' collect --listen 127.0.0.1:0 --ui plain --store-path "
          + "'\(path)'",
      ])
  }

  private func expectOneLine(_ ended: Ended, _ words: String..., code: Int32 = 73) {
    #expect(ended.code == code, "\(ended.text)\(ended.errorOutput)")
    let lines = ended.errorOutput.split(separator: "\n")
    #expect(lines.count == 1, "\(ended.errorOutput)")
    for word in words { #expect(ended.errorOutput.contains(word), "\(ended.errorOutput)") }
  }

  /// A limit on the size of the process's files is the disk that is full; it is lifted from
  /// outside, as space is made.
  @Test("full disk: no acks, phones keep their fixes, and with space the run continues")
  func fullDisk() async throws {
    // Less than the write-ahead log takes before a checkpoint (250 pages).
    let collector = try collect("ulimit -S -f 900; exec")
    try await collector.says("listening on")
    let line = try #require(collector.text.split(separator: "\n").first)
    let address = String(line.dropFirst("listening on ".count))
    var trial = Trial.endless
    trial.phones = 2_000
    trial.settings = ["network.deadline=4s"]
    let load = try Program.start(
      ["load"] + trial.options(out: folder["run"]) + ["--collector", address])
    defer { load.signal(SIGKILL) }
    try await load.says("acknowledged batches") { $0.contains(#/ measure .*acked=[1-9]/#) }
    try await load.says("uploads that fail") { $0.contains(#/failed=[1-9]/#) }
    #expect(try await ProcessTable.isAlive(collector.pid))
    let lift = try await Program.runTool(
      "prlimit", ["--pid", "\(collector.pid)", "--fsize=unlimited:unlimited"])
    #expect(lift.code == 0, "\(lift.errorOutput)")
    let printed = load.text.count
    try await load.says("acknowledged batches again") {
      $0.dropFirst(printed).contains(#/acked=[1-9]/#)
    }
    load.signal(SIGINT)
    let ended = try await load.end()
    #expect([98, 130].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    try record.expectClosedLedger()
    try record.expectNothingLost()
    collector.signal(SIGTERM)
    #expect(try await collector.end().code == 0)
    let verified = try await Program.run(["verify", folder["live.sqlite"].path])
    #expect(verified.code == 0, "\(verified.text)\(verified.errorOutput)")
  }
}
