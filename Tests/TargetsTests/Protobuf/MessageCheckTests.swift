import Foundation
import Scenarios
import TestSupport
import Testing
@testable import Targets

@Suite("A mapping that does not fit its schema", .quick)
struct MessageCheckTests {
  /// Mistakes in the upload's message, as `target check` prints them.
  private func mistakes(
    _ message: String, _ name: String = "strange.v1.Upload", _ file: String = "strange.proto"
  ) throws -> [String] {
    do {
      _ = try grpcTarget(message).program(try Strange.schema(file), name)
      return []
    } catch let error as ScenarioError {
      return error.diagnostics.map(\.description)
    }
  }

  @Test("an unknown field has its line and column, and the nearest name", .needs(.protoc))
  func field() throws {
    let found = try mistakes("device_id: $id\nsek: 1\nnested: { dept: 2, inner: { txt: x } }")
    #expect(found.count == 3)
    #expect(found[0].hasPrefix("test.yaml:9:5: 'strange.v1.Upload' has no field 'sek'; it has dev"))
    #expect(found[0].hasSuffix("and 12 more. Did you mean 'seq'?"), "\(found[0])")
    #expect(
      found[1]
        == "test.yaml:10:15: 'strange.v1.Upload.Nested' has no field 'dept'; it has inner, depth, "
        + "text. Did you mean 'depth'?")
    #expect(found[2].hasPrefix("test.yaml:10:33: 'strange.v1.Upload.Nested' has no field 'txt'"))
  }

  @Test("the instants of a readback fit a timestamp as those of a fix do", .needs(.protoc))
  func instants() throws {
    for name in ["time", "now"] { #expect(try mistakes("sent_at: $\(name)") == []) }
    let schema = try Strange.schema("strange.proto")
    for name in ["from", "to"] {
      let target = try grpcTarget(
        "device_id: $id",
        readback: """
          readback: { call: /strange.v1.Ingest/Rows, message: { sent_at: $\(name) }, time: t,
            latitude: a, longitude: o }
          """)
      let message = try #require(target.readback?.request.message)
      let type = try #require(schema.message(named: "strange.v1.Upload"))
      #expect(throws: Never.self) {
        try MessageProgram(message, as: type, of: schema, target.names)
      }
    }
  }

  @Test(
    "a value of another type gives an error with the field's type", .needs(.protoc),
    arguments: [
      (
        "altitude: $latitude",
        "holds whole numbers, and $latitude has 6 decimals; write $latitude.e7"
      ),
      ("altitude: $time.ms", "$time.ms is 0 … 2000000000000, and 'altitude', a int32, holds"),
      ("points: [{ accuracy: $longitude.e7 }]", "$longitude.e7 is -1800000000 … 1800000000, and"),
      ("points: [{ accuracy: $altitude }]", "$altitude is -500 … 20000, and 'accuracy', a uint32"),
      ("offset: 3000000000", "3000000000 is out of the range of 'offset', a sfixed32: -2147483648"),
      ("seq: -1", "-1 is out of the range of 'seq', a uint64: 0 …"),
      ("seq: many", "'seq' is a uint64, and 'many' is not a whole number."),
      ("charging: yes", "'charging' is a bool, and 'yes' is not true or false."),
      ("charging: $battery", "'charging' is a bool, and $battery is a number."),
      ("share: $motion", "'share' is a float, and $motion is a text."),
      ("number: $time", "'number' is a fixed64, and $time a date; write $time.s, .ms or .us."),
      ("share: \"x{phone}\"", "'x{phone}' is a text, and 'share' a float."),
      ("age: soon", "'age' is a google.protobuf.Duration; write a number of seconds"),
      ("sent_at: $count", "'sent_at' is a google.protobuf.Timestamp; write $time or $now."),
      ("nested: 3", "'nested' is the message 'strange.v1.Upload.Nested'; write a map of inner,"),
      ("seq: { a: 1 }", "'seq' is a uint64; write a value such as $latitude."),
      ("seq: [1]", "'seq' is not repeated; it has one value."),
      ("seq: { each: fix, is: $accuracy }", "'seq' is not repeated; it has one value."),
      ("words: one", "'words' is repeated; write a list, or { each: fix, … }"),
      ("tags: [a]", "'tags' is a map; write keys with their values."),
      ("by_number: { x: { accuracy: 1 } }", "'key' is a int32, and 'x' is not a whole number."),
      (
        "kinds: [STIL]", "'strange.v1.Activity' has no value 'STIL'; it has ACTIVITY_UNKNOWN, STILL"
      ),
      ("activity: $motion", "$motion may be 'still', which 'strange.v1.Activity' does not have"),
      (
        "activity: { is: $motion, default: STILL, words: { still: SITTING } }",
        "'strange.v1.Activity' has no value 'SITTING'"
      ),
      ("user: a\nkey: b", "'key' and 'user' are of the oneof 'who', of which a message has one."),
      ("device_id: a\ndeviceId: b", "'device_id' is written twice."),
      ("altitude: { is: $altitude, default: high }", "'altitude' is a int32, and 'high' is not"),
    ])
  func type(message: String, expected: String) throws {
    let found = try mistakes(message)
    #expect(found.contains { $0.contains(expected) }, "\(found)")
    #expect(found.allSatisfy { $0.hasPrefix("test.yaml:") }, "\(found)")
  }

  @Test("a required field of proto2 that is missing or may be unknown is an error", .needs(.protoc))
  func required() throws {
    let found = try mistakes("activity: { is: $trigger }", "strange.v2.Old", "strange2.proto")
    #expect(found.count == 2)
    #expect(
      found.contains { $0.hasSuffix("'strange.v2.Old' requires 'id', which is not written.") })
    #expect(
      found.contains {
        $0.hasSuffix("'activity' is required, and $trigger may be unknown; give a default.")
      }, "\(found)")
    let group = try mistakes(
      "id: x\nactivity: STILL\nlegacy: { inside: 1 }", "strange.v2.Old", "strange2.proto")
    #expect(group.count == 1 && group[0].hasSuffix("'legacy' is a group, which is not written."))
  }

  @Test(
    "the shipped example fits its schema, and its call's mistakes are found together",
    .needs(.protoc))
  func calls() throws {
    let proto = Machine.root.appendingPathComponent("scenarios/targets/grpc-example.proto").path
    let schema = try Strange.schema(proto)
    let target = try shippedTargets.load("grpc-example")
    _ = try MessageCalls(target, target.names, schema: schema)
    var broken = target
    broken.upload.request.call = "/harbor.telemetry.v2.Beacon/Delivr"
    broken.answer[0].fields[0].path = FieldPath(keys: ["verdikt"])
    broken.register?.keep[0] = .init(
      name: "session", origin: .file("x.yaml", line: 3, column: 4),
      value: FieldPath(keys: ["until", "x"]))
    let error = #expect(throws: ScenarioError.self) {
      try MessageCalls(broken, target.names, schema: schema)
    }
    let found = (error?.diagnostics ?? []).map(\.description)
    #expect(found.contains { $0.contains("Did you mean '/harbor.telemetry.v2.Beacon/Deliver'?") })
    #expect(
      found.contains {
        $0.hasPrefix("x.yaml:3:4: 'google.protobuf.Timestamp' has no field 'x'")
      }, "\(found)")
    broken.upload.request.call = target.upload.request.call
    let other = #expect(throws: ScenarioError.self) {
      try MessageCalls(broken, target.names, schema: schema)
    }
    #expect(
      (other?.diagnostics ?? []).contains { $0.description.contains("Did you mean 'verdict'?") })
  }
}
