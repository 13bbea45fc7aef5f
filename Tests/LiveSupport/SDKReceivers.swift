internal import Foundation
internal import Testing

/// The shipped targets of three SDKs, and receivers as strict as those SDKs' backends.
package enum SDKReceivers {
  package struct Client {
    package let target: String
    /// The target's name for the phone.
    package let id: String
    /// The path that the user gives with the address; nil: the SDK's own.
    package var path = ("", "")
    /// Result of an answer that refuses the upload.
    package let no: String
  }

  package static let clients = [
    Client(
      target: "overland", id: "phone-{phone:06}", path: ("  path: /\n", "  path: /overland\n"),
      no: "200 met none of 1 rules: failed"),
    Client(target: "radar", id: "device-{phone:08}", no: "429 met none of 1 rules: failed"),
    Client(
      target: "transistorsoft", id: "device-{phone:06}", no: "500 met none of 1 rules: failed"),
  ]

  /// The shipped file with the receiver's read-back.
  package static func file(_ client: Client, in folder: TemporaryFolder) throws -> String {
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

  package static func server(_ arguments: [String] = []) async throws -> (RunningProcess, String) {
    let script = Program.root.appendingPathComponent(
      "Tests/LiveTests/Python/sdk_receivers.py")
    let server = try RunningProcess(
      try #require(Program.tool("python3")), [script.path] + arguments)
    try await server.says("its port") { $0.contains(#/^\d+\n/#) }
    return (server, "http://127.0.0.1:\(server.text.prefix { $0 != "\n" })")
  }
}
