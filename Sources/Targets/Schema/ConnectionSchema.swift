internal import Core
internal import Scenarios

enum ConnectionSchema {
  static var connections: ObjectShape<ConnectionRule> {
    ObjectShape(fields: [
      Field("per", \.per, .lifetime, "Lifetime and sharing of connections."),
      Field(
        "streams", \.streams, .count(1...10_000),
        "Maximum number of concurrent requests on an HTTP/2 connection."),
      Field(
        "keepalive", \.keepalive, .time(.zero, .hours(24)),
        "Time for which an idle connection stays open."),
    ])
  }

  static var tls: ObjectShape<TLSRule> {
    ObjectShape(fields: [
      Field(
        "ca", \.ca, .path, "CA of the server's certificate; default: the system's."),
      Field("verify", \.verify, .yesNo, "Whether the server's certificate is checked."),
      Field(
        "alpn", \.alpn, .word(TLSRule.Protocols.self),
        "Protocols that the client offers; h2 on http:// is HTTP/2 without TLS."),
      Field("resume", \.resume, .share, "Share of handshakes that resume a session."),
      Field("minimum", \.minimum, .word(TLSRule.Version.self), "Minimum TLS version."),
    ])
  }

  static var mqtt: ObjectShape<BrokerRule> {
    ObjectShape(fields: [
      Field("level", \.level, .word(BrokerRule.Level.self), "Version of MQTT."),
      Field("client", \.client, .valueText, "Client id, one per phone."),
      Field("user", \.user, .valueText, "User name; empty: none."),
      Field("password", \.password, .valueText, "Password, such as {password}."),
      Field(
        "keepalive", \.keepalive, .time(.zero, .hours(18)),
        "Time without a packet after which the client sends a ping."),
      Field("clean", \.isClean, .yesNo, "Whether the broker forgets a client that disconnects."),
      Field(
        "will", \.will, .optional(will.shape(defaults: BrokerRule.Will())),
        "Will message, published by the broker when the client is gone."),
    ])
  }

  private static var will: ObjectShape<BrokerRule.Will> {
    ObjectShape(fields: [
      Field("topic", \.topic, .valueText, required: true, "Topic of the will message."),
      Field("message", \.message, .some(MappingSchema.message), "Message, as JSON."),
      Field("qos", \.qos, .count(0...2), "Quality of service."),
      Field("retain", \.isRetained, .yesNo, "Whether the broker retains the will message."),
    ])
  }

  static var schema: ObjectShape<SchemaSource> {
    ObjectShape(
      fields: [
        Field("proto", \.proto, .path, "A .proto file, read by protoc."),
        Field("imports", \.imports, .list(of: .path, count: 1...16), "Import folders of protoc."),
        Field(
          "descriptorSet", \.descriptorSet, .path,
          "Descriptor set written by protoc -o, with imports."),
        Field("reflection", \.reflection, .yesNo, "Whether to use server reflection."),
      ],
      check: { schema, origin, reading in
        let given = [!schema.proto.isEmpty, !schema.descriptorSet.isEmpty, schema.reflection]
        if given.count(where: { $0 }) != 1 {
          reading.diagnose(
            origin, "write exactly one of proto, descriptorSet and reflection: yes.")
        }
      })
  }
}

extension Shape<ConnectionMode> {
  /// How long a connection lasts: `upload`, `phone` or `pool(n)`.
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
