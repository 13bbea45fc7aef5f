import Foundation
import LiveSupport
import TestSupport
import Testing

/// The shipped targets of three SDKs, against receivers that are as strict as those SDKs' backends.
@Suite(
  "Targets of SDKs, against receivers of their kind", .timeLimit(.minutes(10)), .needs(.python))
struct TargetReceiverTests {
  private struct Client {
    let target: String
    /// What a target calls the phone.
    let id: String
    /// The path that the user gives with the address; nil: the SDK's own.
    var path = ("", "")
    /// What an answer that does not take it means.
    let no: String
  }

  private static let clients = [
    Client(
      target: "overland", id: "phone-{phone:06}", path: ("  path: /\n", "  path: /overland\n"),
      no: "200 met none of 1 rules: failed"),
    Client(target: "radar", id: "device-{phone:08}", no: "429 met none of 1 rules: failed"),
    Client(
      target: "transistorsoft", id: "device-{phone:06}", no: "500 met none of 1 rules: failed"),
  ]

  /// The shipped file with a read-back of the receiver's.
  private func file(_ client: Client, in folder: TemporaryFolder) throws -> String {
    let shipped = Program.root.appendingPathComponent("scenarios/targets/\(client.target).yaml")
    let text = try String(contentsOf: shipped, encoding: .utf8)
      .replacing(client.path.0, with: client.path.1)
    let readback = """

      readback:
        method: GET
        path: /track
        query: { id: "\(client.id)" }
        rows: /points
        time: /at
        timeUnit: ms
        latitude: /lat
        longitude: /lon

      """
    let path = folder["\(client.target).yaml"]
    try Data((text + readback).utf8).write(to: path)
    return path.path
  }

  private func server(_ arguments: [String] = []) async throws -> (RunningProcess, String) {
    let script = Program.root.appendingPathComponent(
      "Tests/LiveTests/Python/sdk_receivers.py")
    let server = try RunningProcess(
      try #require(Program.tool("python3")), [script.path] + arguments)
    try await server.says("its port") { $0.contains(#/^\d+\n/#) }
    return (server, "http://127.0.0.1:\(server.text.prefix { $0 != "\n" })")
  }

  @Test("what each sends is taken as it is, and read back; what is not taken is no success")
  func trials() async throws {
    let folder = try TemporaryFolder()
    for (arguments, isTaken) in [([], true), (["--no"], false)] {
      let (server, url) = try await server(arguments)
      defer { server.signal(SIGKILL) }
      for client in Self.clients {
        let ended = try await Program.run(
          ["target", "try", try file(client, in: folder), "--target-url", url, "--phone", "17"])
        #expect(ended.code == (isTaken ? 0 : 99), "\(client.target): \(ended.text)")
        if isTaken {
          #expect(ended.text.contains("verdict    stored, and read back"), "\(ended.text)")
        } else {
          #expect(ended.text.contains(client.no), "\(client.target): \(ended.text)")
        }
      }
    }
  }

  @Test("a fleet of Radar's phones sends its backlog as replays, and all of it is there")
  func replays() async throws {
    let folder = try TemporaryFolder()
    let (server, url) = try await server()
    defer { server.signal(SIGKILL) }
    let target = try file(Self.clients[1], in: folder)
    let ended = try await Seats.hold {
      try await Program.run([
        "load", "city", "--target", target, "--target-url", url, "--phones", "200",
        "--duration", "3s", "--set", "warmStart=10min", "--set", "start=2026-03-02T08:00",
        "--set", "faults=[]", "--set", "slo={}",
        "--set", "fleet.cohorts[0].policy=hybrid", "--ui", "plain", "--out", folder["run"].path,
      ])
    }
    // On a machine that is busy with other tests its rates may be invalid.
    #expect([0, 98].contains(ended.code), "\(ended.text)\(ended.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    let stored = try record.count("target.fixes.stored")
    #expect(stored > 20, "\(ended.text)")
    #expect(try record.count("target.readback.confirmed") == stored)
    #expect(try record.count("target.readback.missing") == 0)
    let text = try RunFiles(folder: folder["run"]).text("run.json")
    #expect(text.contains(#/"request"\s*:\s*"backlog"/#))
  }
}
