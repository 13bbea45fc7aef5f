internal import Core
internal import Scenarios

enum ConnectionSchema {
  static var connections: ObjectShape<ConnectionRule> {
    ObjectShape(fields: [
      Field("per", \.per, .lifetime, "What has a connection of its own."),
      Field(
        "streams", \.streams, .count(1...10_000),
        "Requests that share a connection of HTTP/2 at a time, at most."),
      Field(
        "keepalive", \.keepalive, .time(.zero, .hours(24)), "How long an idle one stays open."),
    ])
  }

  static var tls: ObjectShape<TLSRule> {
    ObjectShape(fields: [
      Field(
        "ca", \.ca, .path, "The CA of the server's certificate; without it, the system's."),
      Field("verify", \.verify, .yesNo, "Whether the server's certificate is checked."),
      Field(
        "alpn", \.alpn, .word(TLSRule.Protocols.self),
        "What the client offers to speak; h2 on http:// is HTTP/2 in the clear."),
      Field("resume", \.resume, .share, "The part of handshakes that resume a session."),
      Field("minimum", \.minimum, .word(TLSRule.Version.self), "The oldest version spoken."),
    ])
  }

  static var mqtt: ObjectShape<BrokerRule> {
    ObjectShape(fields: [
      Field("level", \.level, .word(BrokerRule.Level.self), "The version of MQTT."),
      Field("client", \.client, .valueText, "The client's id, one a phone."),
      Field("user", \.user, .valueText, "The user's name; empty: none is given."),
      Field("password", \.password, .valueText, "The user's password, such as {password}."),
      Field(
        "keepalive", \.keepalive, .time(.zero, .hours(18)),
        "After how long without a packet the client says that it lives."),
      Field("clean", \.isClean, .yesNo, "Whether the broker forgets a client that leaves."),
      Field(
        "will", \.will, .optional(will.shape(defaults: BrokerRule.Will())),
        "What the broker publishes when the client is gone."),
    ])
  }

  private static var will: ObjectShape<BrokerRule.Will> {
    ObjectShape(fields: [
      Field("topic", \.topic, .valueText, required: true, "Where it is published."),
      Field("message", \.message, .some(MappingSchema.message), "The message, as JSON."),
      Field("qos", \.qos, .count(0...2), "The quality of service."),
      Field("retain", \.isRetained, .yesNo, "Whether the broker keeps it."),
    ])
  }

  static var schema: ObjectShape<SchemaSource> {
    ObjectShape(
      fields: [
        Field("proto", \.proto, .path, "A .proto file, which protoc reads."),
        Field(
          "imports", \.imports, .list(of: .path, count: 1...16),
          "Folders in which protoc finds what it imports."),
        Field("descriptorSet", \.descriptorSet, .path, "What protoc -o wrote, with imports."),
        Field("reflection", \.reflection, .yesNo, "Whether the server is asked."),
      ],
      check: { schema, origin, reading in
        let given = [!schema.proto.isEmpty, !schema.descriptorSet.isEmpty, schema.reflection]
        if given.count(where: { $0 }) != 1 {
          reading.diagnose(
            origin, "there must be one of proto, descriptorSet and reflection: yes.")
        }
      })
  }
}

extension Shape<ConnectionMode> {
  /// `upload`, `phone` or `pool(n)`.
  fileprivate static var lifetime: Shape {
    let most = 65_536
    return .scalar(
      "upload, phone or pool(n) with n from 1 to \(most)",
      parse: { (text, _) throws(ValueError) in
        switch text {
        case "upload": return .perUpload
        case "phone": return .perPhone
        case _:
          guard text.hasPrefix("pool("), text.hasSuffix(")"),
            let count = Int(text.dropFirst(5).dropLast())
          else {
            throw ValueError(
              "'\(text)' is unknown", hint: Spelling.hint(for: text, in: ["upload", "phone"]))
          }
          guard (1...most).contains(count) else { throw ValueError("\(count) is out of range") }
          return .pooled(count)
        }
      },
      show: { value, _ in
        switch value {
        case .perUpload: "upload"
        case .perPhone: "phone"
        case .pooled(let count): "pool(\(count))"
        }
      })
  }
}

extension Shape {
  static func some<Wrapped>(_ shape: Shape<Wrapped>) -> Shape<Wrapped?> where Value == Wrapped? {
    Shape<Wrapped?>(
      allowed: shape.allowed, form: shape.form,
      read: { node, reading in shape.read(node, &reading).map { .some($0) } },
      show: { value, scenario in value.map { shape.show($0, scenario) } ?? .scalar("none") })
  }
}
