import Core
import Foundation
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

/// A script of Tests/LiveTests/Python that a test starts.
final class PythonChild {
  private let process = Process()
  private let input = Pipe()
  let output = Pipe()

  init(_ script: String, _ arguments: [String] = []) throws {
    let root = Machine.root
    process.executableURL = root.appendingPathComponent(".build/python/bin/python")
    process.arguments =
      [root.appendingPathComponent("Tests/LiveTests/Python/\(script)").path] + arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Waits for its end and returns its output.
  func end() -> (code: Int32, text: String) {
    try? input.fileHandleForWriting.close()
    // swift-format-ignore: what is no UTF-8 is shown repaired.
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  /// Its first line, as a number.
  func port() throws -> UInt16 {
    var line: [UInt8] = []
    while let byte = try output.fileHandleForReading.read(upToCount: 1)?.first,
      byte != UInt8(ascii: "\n")
    { line.append(byte) }
    // swift-format-ignore: what is no number is none repaired, either.
    return try #require(UInt16(String(decoding: line, as: UTF8.self)))
  }
}

@Suite("gRPC with grpcio", .live, .timeLimit(.minutes(10)))
struct GRPCPythonTests {
  @Test(
    "the official interop cases pass, in the clear and over TLS", .needs(.grpcio),
    .needs(.protoc), arguments: [false, true])
  func interop(isSecured: Bool) throws {
    let certificates = try Certificates()
    let loop = EventLoop(name: "interop")
    let handler = Refusing()
    let server = RPCServer(
      loop: loop, tls: isSecured ? try certificates.server() : nil,
      services: [InteropService(on: loop)], handler: handler)
    let port = try server.listen(host: "127.0.0.1", port: 0)
    loop.start()
    let trust = isSecured ? ["--ca", certificates.authority] : []
    let ended = try PythonChild("interop.py", ["\(port)"] + trust).end()
    loop.stopAndWait()
    #expect(ended.code == 0 && ended.text.contains("18 cases, 0 failed"), "\(ended.text)")
  }

  /// The collector is never called.
  private final class Refusing: RPCHandler {
    func received(_ call: ServerCall, message: UnsafeRawBufferPointer) {
      call.fail(CallStatus(.unimplemented))
    }
    func cancelled(_ call: ServerCall) {}
  }

  /// The certificate of a grpcio server, and the clients that it accepts: none without a
  /// certificate.
  private func serving(_ certificates: Certificates?) -> [String] {
    guard let files = certificates?.files, let authority = certificates?.authority else {
      return []
    }
    return ["--cert", files.certificate, "--key", files.key, "--client-ca", authority]
  }

  private func client(_ certificates: Certificates?) throws -> TLSClient? {
    try certificates?.client([.h2]) { files in
      files.certificate = certificates?.files.certificate
      files.key = certificates?.files.key
    }
  }

  @Test(
    "client calls to a grpcio server: sizes, streams, compression, status, deadline, mTLS",
    .needs(.grpcio), .needs(.protoc), arguments: [false, true])
  func client(isSecured: Bool) throws {
    let certificates = isSecured ? try Certificates() : nil
    let child = try PythonChild("grpc_server.py", serving(certificates))
    let port = try child.port()
    let loop = EventLoop(name: "client of grpcio")
    loop.start()
    let endpoint = Endpoint(host: "127.0.0.1", port: port)
    let client = RPCClient(
      loop: loop, to: endpoint, carrier: .grpc, tls: try client(certificates))
    func call(
      _ method: CollectorMethod, _ bytes: Int = 0, within deadline: WallDuration = .seconds(60)
    ) throws(RPCClient.CallError) -> [UInt8] {
      try client.callBlocking(
        method, [UInt8](repeating: 0, count: bytes), deadline: deadline)
    }
    let empty = try call(.restore)
    #expect(empty.isEmpty)
    let large = try call(.snapshot, 271_828)
    #expect(large == [UInt8](repeating: 0, count: 314_159))
    let sizes = Box(Mutex<[Int]>([]))
    let end = Box(Mutex<CallStatus?>(nil))
    let done = DispatchSemaphore(value: 0)
    client.subscribe(
      .pushes, [], onMessage: { message in sizes.value.withLock { $0.append(message.count) } },
      onEnd: { status in
        end.value.withLock { $0 = status }
        done.signal()
      })
    done.wait()
    #expect(sizes.value.withLock { $0 } == [31_415, 9, 2_653, 58_979])
    #expect(end.value.withLock { $0?.code } == .ok)
    let special = #expect(throws: RPCClient.CallError.self) { try call(.holdings) }
    #expect(
      special?.status.text
        == "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n")
    #expect(special?.status.code == .unknown)
    let unknown = #expect(throws: RPCClient.CallError.self) { try call(.ask) }
    #expect(unknown?.status.code == .unimplemented)
    let late = #expect(throws: RPCClient.CallError.self) {
      try call(.health, within: .milliseconds(50))
    }
    #expect(late?.status.code == .deadlineExceeded)
    client.close()
    if let certificates {
      let unknown = RPCClient(
        loop: loop, to: endpoint, carrier: .grpc, tls: try certificates.client([.h2]))
      let error = #expect(throws: RPCClient.CallError.self) {
        try unknown.callBlocking(.restore, [], deadline: .seconds(60))
      }
      // It closes the connection and gives no reason.
      #expect(error?.status.code == .unavailable)
      unknown.close()
    }
    loop.stopAndWait()
    #expect(child.end().code == 0)
  }

  @Test(
    "a fleet loads a grpcio server in all connection modes, and honours its backoff",
    .needs(.grpcio), .needs(.protoc),
    arguments: [.perUpload, .perPhone, .pooled(2)] as [ConnectionUse], [false, true])
  func fleet(use: ConnectionUse, isSecured: Bool) throws {
    let certificates = isSecured ? try Certificates() : nil
    let child = try PythonChild("grpc_server.py", serving(certificates))
    let endpoint = Endpoint(host: "127.0.0.1", port: try child.port())
    let tls = try client(certificates)
    let fleet = try TestFleet(socketTo: endpoint, use) {
      $0.carrier = .grpc
      $0.tls = tls
      $0.resumedShare = 0.8
    }
    fleet.dispatcher.submit(
      try TestFleet.jobs(300, from: fleet.loop.now, over: .seconds(3), phones: 100))
    let report = fleet.wait(for: 300)
    #expect(report.acknowledged == 300)
    report.checkParts()
    let counters = fleet.dispatcher.counters()
    // The ten phones that end in 3 send three batches each: less than half of a retry budget. A
    // server that is behind may refuse a stream, and the client tries it again, too; over three
    // seconds, few.
    let refused =
      [StatusCode.unavailable, .resourceExhausted].reduce(-counters[.pushbacks]) {
        $0 + counters[.statuses]["\($1)", default: 0]
      }
    #expect(counters[.pushbacks] == 30 && counters[.retries] == 30 + refused, "\(counters)")
    #expect((counters[.handshakesFull] > 0) == isSecured)
    fleet.stop()
    #expect(child.end().code == 0)
  }
}
