import Foundation
import TestSupport
import Testing
import Transport
@testable import Uploads
@testable import Targets

@Suite("Sources of a target's message types", .quick)
struct SchemaLoaderTests {
  private let python = Machine.root.appendingPathComponent("Tests/LiveTests/Python").path

  private func target(_ schema: String) throws -> Target {
    try TargetReader.read(
      text: """
        name: test
        protocol: grpc
        url: grpc://127.0.0.1:1
        schema: \(schema)
        upload: { call: /strange.v1.Ingest/Upload, message: { seq: $sequence } }
        answer:
          - { when: { status: OK }, is: stored }

        """, from: "\(python)/test.yaml")
  }

  private func load(_ schema: String, protoc: String? = Oracle.protoc.path) throws -> MessageSchema
  {
    try SchemaLoader(try target(schema), protoc: protoc).load {
      preconditionFailure("the server is not asked where a file is named")
    }
  }

  private func failure(_ schema: String, protoc: String? = Oracle.protoc.path) -> String {
    do {
      _ = try load(schema, protoc: protoc)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test("a .proto file is compiled by protoc, with imports from its folder", .needs(.protoc))
  func proto() throws {
    let schema = try load("{ proto: strange2.proto }")
    #expect(schema.message(named: "strange.v2.Old") != nil)
    #expect(schema.message(named: "google.protobuf.Timestamp") != nil)
  }

  @Test("each way to fail says what to do", .needs(.protoc))
  func failures() throws {
    #expect(failure("{ proto: nowhere.proto }").hasSuffix("nowhere.proto: there is no such file."))
    #expect(
      failure("{ proto: strange.proto }", protoc: nil).contains(
        "protoc is not installed; install protobuf-compiler, or make a descriptor set"))
    #expect(failure("{ proto: messages.py }").hasPrefix("protoc: "))
    #expect(failure("{ descriptorSet: x.pb }").hasSuffix("x.pb: cannot be read."))
    #expect(
      failure("{ descriptorSet: strange.proto }").contains(
        "strange.proto: it is not a protobuf message (byte"))
  }
}
