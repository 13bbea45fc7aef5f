import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Transport

@Suite("Calls to grpcio methods", .live, .timeLimit(.minutes(10)))
struct StrangeCallTests {
  private let python = Machine.root.appendingPathComponent("Tests/LiveTests/Python")

  /// A grpcio server with the API of strange.proto, while `body` runs. Returns its output.
  private func serve(
    _ arguments: [String], _ body: (Endpoint, EventLoop) throws -> Void
  ) throws -> String {
    let set = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).pb").path
    defer { try? FileManager.default.removeItem(atPath: set) }
    let protoc = Process()
    protoc.executableURL = URL(fileURLWithPath: try #require(Oracle.protoc.path))
    protoc.arguments = ["-I", python.path, "--include_imports", "-o", set, "strange.proto"]
    try protoc.run()
    protoc.waitUntilExit()
    let server = try PythonChild("strange_server.py", [set] + arguments)
    let loop = EventLoop(name: "caller")
    loop.start()
    defer { loop.stopAndWait() }
    try body(Endpoint(host: "127.0.0.1", port: try server.port()), loop)
    let ended = server.end()
    #expect(ended.code == 0)
    return ended.text
  }

  @Test(
    "messages arrive with metadata and compression, and an error has its status",
    .needs(.grpcio), .needs(.protoc), arguments: [MessageEncoding.identity, .gzip])
  func call(encoding: MessageEncoding) throws {
    let text = try serve([]) { endpoint, loop in
      let client = RPCClient(loop: loop, to: endpoint, carrier: .grpc)
      let path = "/strange.v1.Ingest/Upload"
      // device_id, and 2,000 empty points.
      let points = [[UInt8]](repeating: [0x1A, 0], count: 2_000).flatMap(\.self)
      let message: [UInt8] = [0x0A, 1, 0x78] + points
      let answer = client.callBlocking(
        GRPCRequest(
          path, message, metadata: [("authorization", "Bearer t"), ("X-Phone", "17")],
          encoding: encoding), deadline: .seconds(60))
      #expect(answer.status.code == .ok)
      #expect(answer.messages == [[0x08, 1, 0x10, 0xD0, 0x0F, 0x1A, 5, 0x0A, 3, 0x73, 0x2D, 0x31]])
      let refused = client.callBlocking(GRPCRequest(path, [0x10, 13]), deadline: .seconds(60))
      #expect(refused.status == CallStatus(.alreadyExists, "13 was here"))
      #expect(refused.messages.isEmpty)
      let nowhere = client.callBlocking(GRPCRequest("/a.B/C", []), deadline: .seconds(60))
      #expect(nowhere.status.code == .unimplemented)
      client.close()
    }
    #expect(text.contains(#""authorization": "Bearer t""#) && text.contains(#""x-phone": "17""#))
  }

  @Test(
    "a grpcio server lists its services by reflection, with a token",
    .needs(.grpcio), .needs(.protoc))
  func reflection() throws {
    _ = try serve(["--reflection", "--token", "t"]) { endpoint, loop in
      let client = RPCClient(loop: loop, to: endpoint, carrier: .grpc)
      var unknown = ReflectionClient(client)
      let error = #expect(throws: ReflectionClient.ReflectionError.self) {
        try unknown.files(defining: ["strange.v1.Ingest"])
      }
      #expect(
        error?.description.contains("UNAUTHENTICATED: who are you?") == true,
        "\(error!)")
      var known = ReflectionClient(client, metadata: [("authorization", "Bearer t")])
      let files = try known.files(defining: ["strange.v1.Ingest"])
      let names = files.map { ProtobufFields.text(of: 1, in: $0) }
      #expect(Set(names).count == 4 && names.contains("google/protobuf/wrappers.proto"), "\(names)")
      #expect(throws: ReflectionClient.ReflectionError.self) {
        try known.files(defining: ["strange.v1.Nowhere"])
      }
      client.close()
    }
  }

  @Test(
    "a server without reflection differs from one that denies access", .needs(.grpcio),
    .needs(.protoc))
  func noReflection() throws {
    _ = try serve([]) { endpoint, loop in
      let client = RPCClient(loop: loop, to: endpoint, carrier: .grpc)
      var reflection = ReflectionClient(client)
      let error = #expect(throws: ReflectionClient.ReflectionError.self) {
        try reflection.files(defining: ["strange.v1.Ingest"])
      }
      #expect(error?.description.hasPrefix("the server has no reflection service; give") == true)
      client.close()
    }
  }
}
