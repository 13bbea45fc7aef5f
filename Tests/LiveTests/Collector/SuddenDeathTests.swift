import Core
import Foundation
import TestSupport
import Testing
import Transport
import Wire

@testable import Collector
@testable import CollectorSupport

/// The collector's own process, killed the moment after it has acknowledged.
@Suite("Kill right after an ack", .live, .timeLimit(.minutes(10)))
struct SuddenDeathTests {
  private static let program: URL? = {
    let folders =
      [Bundle.main.executableURL].compactMap { $0?.deletingLastPathComponent() }
      + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    return folders.map { $0.appending(path: "flotilla") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  let folder = TemporaryFolder()

  private struct Victim {
    let process: Process
    let port: UInt16
  }

  private func start() throws -> Victim {
    let process = Process()
    process.executableURL = Self.program
    process.arguments = [
      "collect", "--listen", "127.0.0.1:0", "--store-path", folder.path("run.db"), "--ui", "plain",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    var text = ""
    while !text.contains("\n") {
      let more = output.fileHandleForReading.availableData
      try #require(!more.isEmpty, "the collector ended: \(text)")
      text += String(decoding: more, as: UTF8.self)
    }
    let line = text.prefix { $0 != "\n" }
    let digits = try #require(line.split(separator: ":").last?.prefix { $0.isNumber })
    return Victim(process: process, port: try #require(UInt16(digits)))
  }

  @Test(
    "12 kills, each right after an ack: acknowledged batches are stored once",
    .needs(Oracle(name: "flotilla", advice: "build it beside the tests") { program?.path }))
  func deaths() throws {
    var acknowledged: [BatchID] = []
    for round in 0..<12 as Range<UInt32> {
      let victim = try start()
      let loop = EventLoop(name: "client")
      loop.start()
      let client = RPCClient(loop: loop, to: Endpoint(host: "127.0.0.1", port: victim.port))
      func upload(_ id: BatchID) throws -> UploadReply {
        let reply = try client.callBlocking(
          .upload, LiveCollector.request(id), deadline: .seconds(60))
        return try MessageCodec().decode(UploadReply.self, from: reply)
      }
      if round == 0 {
        _ = try client.callBlocking(
          .openRun, LiveCollector.openRequest(), deadline: .seconds(60), as: OpenRunReply.self)
      }
      for id in acknowledged.suffix(8) { #expect(try upload(id).duplicate) }
      for sequence in 1...(3 + round) {
        let id = LiveCollector.id(round, sequence)
        #expect(try upload(id).duplicate == false)
        acknowledged.append(id)
      }
      kill(victim.process.processIdentifier, SIGKILL)
      victim.process.waitUntilExit()
      client.close()
      loop.stopAndWait()
    }
    var held: Set<BatchID> = []
    let report = try StoreAudit.run(
      .sqlite(path: folder.path("run.db")), visit: { held.insert($0.id) })
    #expect(report.isIntact, "\(report.findings)")
    #expect(report.found.batches == UInt64(acknowledged.count))
    #expect(held == Set(acknowledged))
  }
}
