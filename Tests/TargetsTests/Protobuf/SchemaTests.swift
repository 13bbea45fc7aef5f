import Core
import Foundation
import TestSupport
import Testing
import Wire
@testable import Targets

@Suite("A user's message schema", .quick)
struct SchemaTests {
  /// A line for each field, as protobuf_oracle.py describes them.
  private func lines(_ schema: MessageSchema) -> Set<String> {
    Set(
      schema.messages.flatMap { message in
        message.fields.map { field in
          let flags = [
            field.isRepeated ? "repeated" : nil, field.isPacked ? "packed" : nil,
            field.isRequired ? "required" : nil, field.hasPresence ? "presence" : nil,
          ]
          return [
            message.name, field.name, field.jsonName, "\(field.number)", word(field.type, schema),
            flags.compactMap(\.self).joined(separator: " "),
            field.oneof.map { message.oneofs[$0] } ?? "",
          ].joined(separator: "\t")
        }
      })
  }

  private func word(_ type: MessageSchema.FieldType, _ schema: MessageSchema) -> String {
    switch type {
    case .double: "1"
    case .float: "2"
    case .int64: "3"
    case .uint64: "4"
    case .int32: "5"
    case .fixed64: "6"
    case .fixed32: "7"
    case .bool: "8"
    case .string: "9"
    case .group: "10"
    case .bytes: "12"
    case .uint32: "13"
    case .sfixed32: "15"
    case .sfixed64: "16"
    case .sint32: "17"
    case .sint64: "18"
    case .message, .enumeration: schema.word(for: type)
    }
  }

  @Test(
    "every field of every message is read as by Google's protobuf",
    .needs(.protoc), .needs(.pythonPackages),
    arguments: ["strange.proto", "strange2.proto", "grpc-example.proto"])
  func fields(file: String) throws {
    let path =
      file == "grpc-example.proto"
      ? Machine.root.appendingPathComponent("scenarios/targets/\(file)").path : file
    try Strange.withSet(of: path) { set in
      let schema = try MessageSchema(descriptorSet: try Strange.bytes(of: set))
      let described = Set(try Strange.python(set, ["describe"]))
      #expect(described.count > 10)
      #expect(lines(schema).symmetricDifference(described) == [])
    }
  }

  @Test(
    "an edition's file has an encoding for each field", .needs(.pythonPackages))
  func edition() throws {
    let set = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).pb").path
    defer { try? FileManager.default.removeItem(atPath: set) }
    _ = try Strange.python("edition", [set])
    let schema = try MessageSchema(descriptorSet: try Strange.bytes(of: set))
    let described = Set(try Strange.python(set, ["describe"]))
    #expect(described.count == 5)
    #expect(lines(schema).symmetricDifference(described) == [])
  }

  @Test("methods, enumerations and nested names are found", .needs(.protoc))
  func names() throws {
    let schema = try Strange.schema()
    let upload = try #require(schema.method("/strange.v1.Ingest/Upload"))
    #expect(schema.messages[upload.input].name == "strange.v1.Upload" && !upload.isStreaming)
    #expect(schema.messages[upload.output].name == "strange.v1.Reply")
    #expect(schema.method("/strange.v1.Ingest/Track")?.isStreaming == true)
    #expect(schema.message(named: "strange.v1.Upload.Nested") != nil)
    let activity = try #require(schema.enumerations.first { $0.name == "strange.v1.Activity" })
    #expect(activity.values.map(\.number) == [0, 1, 2, 5, -1])
    let point = try #require(schema.message(named: "strange.v1.Point"))
    #expect(schema.messages[point].field("latE7")?.name == "lat_e7")
  }

  @Test("a set without its imports says which file is missing", .needs(.protoc))
  func imports() throws {
    let set = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).pb").path
    defer { try? FileManager.default.removeItem(atPath: set) }
    _ = try Strange.run(
      try #require(Oracle.protoc.path), ["-I", Strange.folder.path, "-o", set, "strange.proto"])
    #expect(throws: ProtobufError.missingFile("google/protobuf/duration.proto")) {
      try MessageSchema(descriptorSet: try Strange.bytes(of: set))
    }
  }

  @Test("an invalid descriptor set is refused, and mutated ones never trap")
  func broken() throws {
    #expect(throws: ProtobufError.malformed(offset: 0)) {
      try MessageSchema(descriptorSet: [0x07, 0, 0])
    }
    // A file with a message whose field has an undefined type.
    let field: [UInt8] = [0x0A, 1, 0x61, 0x18, 1, 0x20, 1, 0x28, 11, 0x32, 2, 0x2E, 0x62]
    let message: [UInt8] = [0x0A, 1, 0x6D, 0x12, UInt8(field.count)] + field
    let file: [UInt8] = [0x0A, 1, 0x66, 0x22, UInt8(message.count)] + message
    let set = [UInt8](descriptorSetOf: [file])
    #expect(throws: ProtobufError.unknownType(".b", in: "m.a")) {
      try MessageSchema(descriptorSet: set)
    }
    var draw = Draw(seed: 3, phone: 0, Purpose(rawValue: 901), 0)
    for end in 0...set.count { _ = try? MessageSchema(descriptorSet: Array(set[..<end])) }
    for _ in 0..<20_000 {
      var bytes = set
      for _ in 0..<3 {
        bytes[Int(draw.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: draw.next())
      }
      _ = try? MessageSchema(descriptorSet: bytes)
    }
  }

  @Test("nested messages, and nested groups, have a bound")
  func depth() {
    var message: [UInt8] = [0x0A, 1, 0x6D]
    for _ in 0..<40 {
      var length = [UInt8(message.count & 0x7F | 0x80), UInt8(message.count >> 7)]
      if message.count < 128 { length = [UInt8(message.count)] }
      message = [0x0A, 1, 0x6D, 0x1A] + length + message
    }
    let length = [UInt8(message.count & 0x7F | 0x80), UInt8(message.count >> 7)]
    let set = [UInt8](descriptorSetOf: [[0x22] + length + message])
    #expect(throws: ProtobufError.tooLarge(what: "messages in one another", limit: 32)) {
      try MessageSchema(descriptorSet: set)
    }
    #expect(throws: ProtobufError.tooLarge(what: "nested groups", limit: 32)) {
      try MessageSchema(descriptorSet: [UInt8](repeating: 0x0B, count: 1_000))
    }
  }
}
