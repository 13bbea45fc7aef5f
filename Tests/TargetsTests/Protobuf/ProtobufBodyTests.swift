import Foundation
import Scenarios
import TestSupport
import Testing
@testable import Targets

@Suite("Protobuf bodies over HTTP and MQTT", .quick, .needs(.protoc))
struct ProtobufBodyTests {
  private func target(_ keys: String, protocol name: String = "http", place: String = "path: /")
    throws -> Target
  {
    try readTarget(
      """
      name: test
      protocol: \(name)
      url: \(name)://127.0.0.1:1
      identity: { id: "a{phone:07}" }
      schema: { proto: strange.proto }
      upload:
        \(place)
        \(keys)
      answer:
        - { when: { status: 0-999 }, is: stored }
      """)
  }

  private func body(_ target: Target, fixes: Int = 1) throws -> [UInt8] {
    let programs = TargetPrograms(masked: target)
    let calls = try MessageCalls(target, programs.names, schema: try Strange.schema())
    return MessageWriter().body(
      of: programs.upload, calls.upload, context((0..<fixes).map { fix(second: Int64($0) * 300) }))
  }

  private static let point = "lat_e7: $latitude.e7, accuracy: $accuracy, at: $time"

  @Test(
    "a body has the bytes of the same message over gRPC",
    arguments: [
      ("http", "path: /"), ("mqtt", "topic: t"),
    ])
  func sameAsCall(name: String, place: String) throws {
    let message = "device_id: $id\npoints:\n  each: fix\n  lat_e7: $latitude.e7"
    let indented = message.replacing("\n", with: "\n    ")
    let target = try target(
      "proto: strange.v1.Upload\n  message:\n    \(indented)", protocol: name, place: place)
    let program = try grpcTarget(message).program(try Strange.schema(), "strange.v1.Upload")
    let fixes = (0..<2).map { fix(second: Int64($0) * 300) }
    #expect(try body(target, fixes: 2) == written(program, context(fixes)))
    #expect(target.upload.fixes == .upTo(100))
  }

  @Test("the messages of a list stand one after the other, each after its length")
  func delimited() throws {
    let type = "strange.v1.Point"
    let one = try body(try target("proto: \(type)\n  message: { \(Self.point) }"))
    let list = try body(
      try target("proto: \(type)\n  message: { each: fix, \(Self.point) }"), fixes: 200)
    var reader = list[...]
    var count = 0
    while let length = reader.popFirst() {
      // A point is shorter than 128 bytes, so its length has one byte.
      let message = Array(reader.prefix(Int(length)))
      #expect(message.count == one.count)
      if count == 0 { #expect(message == one) }
      reader = reader.dropFirst(Int(length))
      count += 1
    }
    #expect(count == 200)
    let written = try body(
      try target("proto: \(type)\n  message: [{ accuracy: 3 }, { each: fix, \(Self.point) }]"))
    let fixed = try body(try target("proto: \(type)\n  message: [{ accuracy: 3 }]"))
    #expect(written == fixed + [UInt8(one.count)] + one)
    let long = try body(
      try target(
        "proto: strange.v1.Upload\n  message: [{ device_id: \"\(String(repeating: "x", count: 300))\" }]"
      ))
    // 303 bytes are more than one byte of a varint counts.
    #expect(long.count == 305 && Array(long.prefix(2)) == [0xAF, 0x02])
    #expect(
      try body(try target("proto: \(type)\n  message: { each: fix, accuracy: 3 }"), fixes: 0)
        .isEmpty)
  }

  private func mistakes(_ target: Target) throws -> [String] {
    let names = TargetPrograms(masked: target).names
    let schema = try Strange.schema()
    let error = #expect(throws: ScenarioError.self) {
      try MessageCalls(target, names, schema: schema)
    }
    return error?.diagnostics.map(\.description) ?? []
  }

  @Test("a mistake in a type or a field has its line")
  func mistakes() throws {
    for (keys, expected) in [
      (
        "proto: Upload\n  message: { seq: 1 }", "test.yaml:8:10: the schema has no message 'Upload'"
      ),
      ("proto: Upload\n  message: { seq: 1 }", "Did you mean 'strange.v1.Upload'?"),
      ("proto: strange.v1.Uplaod\n  message: { seq: 1 }", "Did you mean 'strange.v1.Upload'?"),
      (
        "proto: strange.v1.Upload\n  message: { sek: 1 }",
        "test.yaml:9:14: 'strange.v1.Upload' has no"
      ),
      (
        "proto: strange.v1.Upload\n  message: { note: { $base64: x } }",
        "'note' would hold base64; a protobuf field needs none"
      ),
      (
        "proto: strange.v1.Upload\n  message: [$id]",
        "'strange.v1.Upload' is a message; write a map of"
      ),
    ] {
      let found = try mistakes(try target(keys))
      #expect(found.contains { $0.contains(expected) }, "\(keys): \(found)")
    }
    let wrong = try target("answerProto: strange.v1.Reply\n  message: { a: 1 }")
    var broken = wrong
    broken.answer[0].fields = [FieldCondition(path: FieldPath(keys: ["acepted"]), value: "true")]
    #expect(try mistakes(broken).contains { $0.contains("has no field 'acepted'") })
  }
}
