internal import Core
internal import Scenarios

extension RequestSchema {
  /// The keys of `websocket`.
  static var socket: ObjectShape<SocketRule> {
    let upgrade = ["path", "headers", "basic", "query"]
    return ObjectShape(
      fields: common.filter { upgrade.contains($0.name) }.map { Field($0, of: \.request) } + [
        Field("subprotocol", \.subprotocol, .text, "Subprotocols that the client offers."),
        Field(
          "keepalive", \.keepalive, .time(.zero, .hours(18)),
          "Time without a message after which the client sends a ping; 0s: no pings."),
        Field("match", \.match, .matching, "Message of the server that answers an upload."),
        Field("open", \.open, steps, "Messages before the first upload, such as a login."),
      ])
  }

  private static var steps: Shape<[SocketRule.Step]> {
    let step = ObjectShape<SocketRule.Step>(
      fields: [
        Field("send", \.request.message, .some(MappingSchema.message), "Message to send, as JSON."),
        Field(
          "expect", \.expect, AnswerSchema.conditionsOfFields,
          "Fields that the server's next message must have; * matches any value."),
      ],
      check: { step, origin, reading in
        guard step.request.message == nil, step.expect.isEmpty else { return }
        reading.diagnose(origin, "the step does nothing; write send, expect or both.")
      })
    return .list(of: step.shape(defaults: .init()), count: 1...8)
  }

  static var view: ObjectShape<Readback> {
    ObjectShape(
      fields: readback.fields + [
        Field(
          "url", \.url, .text,
          "Address of the WebSocket that sends positions to viewers; default: the target's."),
        Field(
          "device", \.device, .optional(.fieldPath),
          "Path of the phone's id in a row with others; MQTT: default: the topic."),
        Field(
          "open", \.open, steps,
          "WebSocket: messages after the upgrade, such as a login."
        ),
      ], advice: advice)
  }
}

extension Shape<SocketRule.Matching> {
  /// `next`, `none`, or the path of a field.
  fileprivate static var matching: Shape {
    let path = Shape<FieldPath>.fieldPath
    return Shape(
      allowed: "next, none, or the path of a field that both messages have, such as /id",
      form: path.form,
      read: { node, reading in
        switch node.content {
        case .scalar("next"): .next
        case .scalar("none"): SocketRule.Matching.none
        case .scalar, .list, .map: path.read(node, &reading).map { .field($0) }
        }
      },
      show: { value, scenario in
        switch value {
        case .next: .scalar("next")
        case .none: .scalar("none")
        case .field(let field): path.show(field, scenario)
        }
      })
  }
}
