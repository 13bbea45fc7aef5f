import Core
import TestSupport
import Testing
import Wire

@testable import Transport

@Suite("Server reflection", .quick)
struct ReflectionServiceTests {
  /// A server's answers to requests, each of which has one field.
  private func ask(_ questions: [(field: Int, text: String)]) throws -> [[UInt8]] {
    let loop = EventLoop(name: "reflection")
    let collector = Refusing()
    let server = RPCServer(
      loop: loop, services: [ReflectionService(descriptors: ProtocolDescriptor.files)],
      handler: collector)
    let port = try server.listen(host: "127.0.0.1", port: 0)
    loop.start()
    defer { loop.stopAndWait() }
    let client = RPCClient(
      loop: loop, to: Endpoint(host: "127.0.0.1", port: port), carrier: .grpc)
    defer { client.close() }
    return questions.flatMap { question in
      var writer = ProtobufWriter()
      writer.add(question.field, question.text)
      return client.callBlocking(
        GRPCRequest(
          "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", writer.message),
        deadline: .seconds(20)
      ).messages
    }
  }

  private final class Refusing: RPCHandler {
    func received(_ call: ServerCall, message: UnsafeRawBufferPointer) {
      call.fail(CallStatus(.unimplemented))
    }
    func cancelled(_ call: ServerCall) {}
  }

  /// The name of the file in an answer.
  private func file(_ answer: [UInt8]) -> String? {
    ProtobufFields.bytes(of: 4, in: answer).flatMap { ProtobufFields.bytes(of: 1, in: $0) }
      .first.map { ProtobufFields.text(of: 1, in: $0) }
  }

  @Test("every listed service is described, gRPC's own and reflection included")
  func listed() throws {
    let lists = try ask([(7, "*")]).flatMap { ProtobufFields.bytes(of: 6, in: $0) }
    let names = lists.flatMap { ProtobufFields.bytes(of: 1, in: $0) }
      .map { ProtobufFields.text(of: 1, in: $0) }
    #expect(
      names == [
        "flotilla.v1.Collector", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
      ])
    #expect(
      try ask(names.map { (4, $0) }).map(file) == [
        "flotilla/v1/collector.proto", "grpc/health/v1/health.proto",
        "grpc/reflection/v1/reflection.proto", "grpc/reflection/v1alpha/reflection.proto",
      ])
  }

  @Test("messages, fields, oneofs, enums, their values and methods are known by their full names")
  func symbols() throws {
    let health = "grpc/health/v1/health.proto"
    let reflection = "grpc/reflection/v1/reflection.proto"
    let own = "flotilla/v1/collector.proto"
    let known = [
      ("grpc.health.v1.Health.Watch", health), ("grpc.health.v1.HealthCheckRequest", health),
      ("grpc.health.v1.HealthCheckRequest.service", health),
      ("grpc.health.v1.HealthCheckResponse.ServingStatus", health),
      // A value's scope is its enum's.
      ("grpc.health.v1.HealthCheckResponse.NOT_SERVING", health),
      ("grpc.reflection.v1.ServerReflectionRequest.message_request", reflection),
      ("flotilla.v1.UploadRequest.phone", own), ("flotilla.v1.Collector.Upload", own),
    ]
    #expect(try ask(known.map { (4, $0.0) }).map(file) == known.map(\.1))
    for answer in try ask([
      (4, "flotilla.v1.Nothing"), (4, "NOT_SERVING"), (3, "no.proto"), (6, "flotilla.v1.Nothing"),
    ]) {
      let errors = ProtobufFields.bytes(of: 7, in: answer)
      #expect(errors.first.map { ProtobufFields.numbers(of: 1, in: $0) } == [5])
    }
  }

  @Test("a message has no extensions")
  func extensions() throws {
    let answers = try ask([(6, "flotilla.v1.UploadRequest")])
      .flatMap { ProtobufFields.bytes(of: 5, in: $0) }
    #expect(answers.map { ProtobufFields.texts(of: 1, in: $0) } == [["flotilla.v1.UploadRequest"]])
  }

  @Test("a file without a package has names without a dot")
  func noPackage() {
    var value = ProtobufWriter()
    value.add(1, "RED")
    var colours = ProtobufWriter()
    colours.add(1, "Colour")
    colours.add(2, value.message)
    var file = ProtobufWriter()
    file.add(5, colours.message)
    #expect(FileSymbols(of: file.message).all == ["Colour", "RED"])
  }
}
