import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Transport

@Suite("Calls of arbitrary methods", .quick)
struct AnybodysCallTests {
  @Test("our own server answers version 1 of reflection, file by file")
  func own() throws {
    let loop = EventLoop(name: "own")
    let handler = Refusing()
    let server = RPCServer(
      loop: loop,
      services: [ReflectionService(descriptors: ProtocolDescriptor.files)], handler: handler)
    let port = try server.listen(host: "127.0.0.1", port: 0)
    loop.start()
    defer { loop.stopAndWait() }
    let client = RPCClient(
      loop: loop, to: Endpoint(host: "127.0.0.1", port: port), carrier: .grpc)
    var reflection = ReflectionClient(client)
    let files = try reflection.files(defining: ["flotilla.v1.Collector"])
    #expect(files.map { ProtobufFields.text(of: 1, in: $0) } == ["flotilla/v1/collector.proto"])
    client.close()
  }

  @Test(
    "requests have their size on a connection",
    arguments: [MessageEncoding.identity, .gzip])
  func sizes(encoding: MessageEncoding) throws {
    let loop = EventLoop(name: "own")
    let handler = Refusing()
    let server = RPCServer(loop: loop, handler: handler)
    let port = try server.listen(host: "127.0.0.1", port: 0)
    loop.start()
    defer { loop.stopAndWait() }
    let client = RPCClient(
      loop: loop, to: Endpoint(host: "127.0.0.1", port: port), carrier: .grpc)
    func request(_ phone: Int) -> GRPCRequest {
      GRPCRequest(
        "/acme.v1.Ingest/Upload", (0..<20_000).map { UInt8($0 % 251) },
        metadata: [("authorization", "Bearer t"), ("x-phone", "\(phone)")], encoding: encoding)
    }
    var written: [Int] = []
    for phone in [1, 2] {
      _ = client.callBlocking(request(phone), deadline: .seconds(20))
      written.append(Int(loop.sync { client.totals[.bytesSent] }))
    }
    let sizer = GRPCRequestSizer(authority: "127.0.0.1:\(port)", isSecured: false)
    let sizes = sizer.bytes(request(1), next: request(2), milliseconds: 20_000)
    #expect(written[0] == GRPCRequestSizer.connectionBytes + sizes.first)
    #expect(written[1] - written[0] == sizes.later && sizes.later < sizes.first)
    client.close()
  }

  /// The collector is never called.
  private final class Refusing: RPCHandler {
    func received(_ call: ServerCall, message: UnsafeRawBufferPointer) {
      call.fail(CallStatus(.unimplemented))
    }
    func cancelled(_ call: ServerCall) {}
  }
}
