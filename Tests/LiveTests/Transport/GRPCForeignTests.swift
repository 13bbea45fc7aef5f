import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("gRPC with grpc-go and grpc-netty", .live, .timeLimit(.minutes(10)))
struct GRPCForeignTests {
  @Test("a client in Go keeps one connection, in the clear and over TLS", .needs(.grpcGo))
  func go() throws {
    let folder = try Folder()
    try folder.run(
      Machine.program("go") ?? "go",
      ["build", "-o", folder["client"], Self.source("Go/client.go")],
      [
        "GO111MODULE": "off", "GOFLAGS": "", "GOPATH": "/usr/share/gocode",
        "GOCACHE": folder["cache"], "HOME": folder.path,
      ])
    try check { try folder.run(folder["client"], $0) }
  }

  @Test("a client in Java keeps one connection, in the clear and over TLS", .needs(.grpcJava))
  func java() throws {
    let folder = try Folder()
    let jars = [
      "grpc-api", "grpc-core", "grpc-context", "grpc-netty", "guava", "opencensus-api",
      "perfmark-api", "netty-buffer", "netty-codec", "netty-codec-http", "netty-codec-http2",
      "netty-common", "netty-handler", "netty-resolver", "netty-transport", "netty-tcnative",
    ].map { "/usr/share/java/\($0).jar" }.joined(separator: ":")
    try folder.run(
      Machine.program("javac") ?? "javac",
      ["-cp", jars, "-d", folder.path, Self.source("Java/Client.java")])
    // Debian's library has another name than the one that Netty loads.
    for library in Folder.list("/usr/lib").map({ "/usr/lib/\($0)/jni/libnetty-tcnative.so" })
    where FileManager.default.fileExists(atPath: library) {
      try FileManager.default.copyItem(
        atPath: library, toPath: folder["libnetty_tcnative.so"])
    }
    let options = ["-Djava.library.path=\(folder.path)", "-cp", "\(folder.path):\(jars)", "Client"]
    try check { try folder.run(Machine.program("java") ?? "java", options + $0) }
  }

  private static func source(_ name: String) -> String {
    Machine.root.appendingPathComponent("Tests/LiveTests/\(name)").path
  }

  /// Calls of every kind; `run` passes arguments to a client and returns its output.
  private func check(_ run: ([String]) throws -> String) throws {
    let certificates = try Certificates()
    let (upload, question) = ("\(certificates.folder)/upload", "\(certificates.folder)/question")
    // As long as a batch of 300 fixes: a thousand of them do not fit into the window.
    try Data(repeating: 7, count: 12_621).write(to: URL(fileURLWithPath: upload))
    // The list of services: field 7 of a ServerReflectionRequest.
    try Data([0x3A, 0]).write(to: URL(fileURLWithPath: question))
    let collector = "/flotilla.v1.Collector"
    for isSecured in [false, true] {
      let loop = EventLoop(name: "foreign")
      let handler = Answering(on: loop)
      let server = RPCServer(
        loop: loop, tls: isSecured ? try certificates.server() : nil,
        services: [ReflectionService(descriptors: ProtocolDescriptor.files)], handler: handler)
      let port = try server.listen(host: "127.0.0.1", port: 0)
      loop.start()
      let server1 = ["127.0.0.1:\(port)", isSecured ? certificates.authority : "-"]
      let said = try [
        run(server1 + ["each", "\(collector)/Upload", upload, "400"]),
        run(server1 + ["at-once", "\(collector)/Upload", upload, "2000"]),
        run(server1 + ["listen", "\(collector)/Pushes", question, "200"]),
        run(
          server1
            + [
              "stream", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", question,
              "200",
            ]),
      ]
      let counters = loop.sync { server.counters }
      loop.stopAndWait()
      let expected = ["400 OK 400 answers", "2000 OK 2000 answers"]
      #expect(said == expected + ["1 OK 200 answers", "1 OK 200 answers"])
      #expect(counters[.accepted] == 4 && counters[.protocolErrors] == 0)
      #expect(counters.limitHits.allSatisfy { $0.count == 0 }, "\(counters.limitHits)")
    }
  }

  /// Answers uploads in groups, as a store commits them, and sends one message of a stream at a
  /// time.
  ///
  /// `@unchecked Sendable`: its state is used on its loop's thread only.
  private final class Answering: RPCHandler, @unchecked Sendable {
    private let loop: EventLoop
    private var waiting: [ServerCall] = []
    private var listeners: [ServerCall] = []
    private var timer: LoopTimer?

    init(on loop: EventLoop) { self.loop = loop }

    func received(_ call: ServerCall, message: UnsafeRawBufferPointer) {
      if call.method.isServerStreaming { listeners.append(call) } else { waiting.append(call) }
      if timer == nil { timer = LoopTimer(on: loop) { [unowned self] in answer() } }
      timer?.arm(at: loop.now + .milliseconds(2))
    }

    private func answer() {
      for call in exchange(&waiting, with: []) { call.reply([1, 2, 3]) }
      guard !listeners.isEmpty else { return }
      let message = [UInt8](repeating: 5, count: 2_000)
      for call in listeners { _ = message.withUnsafeBytes { call.send($0) } }
      timer?.arm(at: loop.now + .milliseconds(2))
    }

    func cancelled(_ call: ServerCall) { listeners.removeAll { $0 == call } }
  }

  /// A folder of one test, and the programs run there.
  private final class Folder {
    struct EndedError: Error { let code: Int32?, output: String }

    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString)").path

    init() throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    subscript(name: String) -> String { "\(path)/\(name)" }

    static func list(_ path: String) -> [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    /// Returns the output of a program, in one line.
    @discardableResult
    func run(
      _ program: String, _ words: [String], _ environment: [String: String] = [:]
    ) throws -> String {
      var surroundings = Child.Surroundings()
      surroundings.environment = ProcessInfo.processInfo.environment
        .merging(environment) { $1 }
      let (output, errors) = (self["stdout"], self["stderr"])
      let child = try Child(
        program, words, output: URL(fileURLWithPath: output),
        errors: URL(fileURLWithPath: errors), in: surroundings)
      child.wait()
      let text = try String(contentsOfFile: output, encoding: .utf8)
      guard child.code == 0 else {
        throw EndedError(
          code: child.code, output: text + (try String(contentsOfFile: errors, encoding: .utf8)))
      }
      return text.split { " \n".contains($0) }.joined(separator: " ")
    }
  }
}
