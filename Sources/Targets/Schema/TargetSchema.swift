internal import Core
internal import Scenarios

/// The keys of `scenarios/targets/*.yaml`.
enum TargetSchema {
  static var target: ObjectShape<Target> {
    ObjectShape(fields: head + connection + messages, check: TargetCheck.check)
  }

  private static var head: [Field<Target>] {
    [
      Field(
        "name", \.name, .name, required: true,
        "Name of the target, which is that of its file."),
      Field("description", \.description, .sentence, "Description of the target."),
      Field("client", \.client, client, "Client whose protocol the file follows."),
      Field(
        "protocol", \.carrier, .word(Target.Carrier.self), required: true,
        "Protocol that carries the messages."),
      Field(
        "url", \.url, .text, required: true,
        "Address; over HTTP and WebSocket its path, if any, begins the path of each request."),
      Field(
        "owner", \.owner, .yesNo,
        "Whether you are allowed to load a host that is neither loopback nor private."),
      Field(
        "rateLimit", \.rateLimit, .optional(.rate(0.001, 10_000_000)),
        "Maximum request rate of all phones together."),
    ]
  }

  private static var client: ObjectShape<FollowedClient> {
    ObjectShape(fields: [
      Field("name", \.name, .text, required: true, "Name of the client."),
      Field("version", \.version, .text, required: true, "Version or date of the client."),
      Field("source", \.source, .text, required: true, "Source of the protocol."),
    ])
  }

  private static var connection: [Field<Target>] {
    [
      Field("identity", \.identity, IdentitySchema.identity, "Identity of a phone at the target."),
      Field(
        "connections", \.connections, ConnectionSchema.connections,
        "Connections to the target."),
      Field("tls", \.tls, ConnectionSchema.tls, "TLS settings."),
      Field("mqtt", \.mqtt, ConnectionSchema.mqtt, "Connection to an MQTT broker."),
      Field("websocket", \.websocket, RequestSchema.socket, "How a WebSocket is opened."),
      Field(
        "schema", \.schema, .optional(ConnectionSchema.schema.shape(defaults: SchemaSource())),
        "Source of the types of protobuf messages."),
    ]
  }

  private static var messages: [Field<Target>] {
    [
      Field(
        "register", \.register,
        .optional(RequestSchema.register.shape(defaults: Registration())),
        "Request that a phone sends before its first upload."),
      Field(
        "upload", \.upload, RequestSchema.upload, required: true, "Request that uploads fixes."),
      Field(
        "events", \.events, .optional(RequestSchema.events.shape(defaults: EventUpload())),
        "Request of one event; without this key the server gets no events."),
      Field(
        "answer", \.answer, .list(of: AnswerSchema.rule, count: 1...64), required: true,
        "Meaning of answers; the first rule that matches applies."),
      Field(
        "retry", \.retry, AnswerSchema.retry, "What the app does if an upload fails."),
      Field(
        "readback", \.readback, .optional(RequestSchema.readback.shape(defaults: Readback())),
        "Request that reads back what the server stored."),
      Field(
        "view", \.view, .optional(RequestSchema.view.shape(defaults: Readback())),
        "Request by which a viewer reads a phone's newest position over HTTP, or the WebSocket that "
          + "sends positions to a viewer; keys as in readback."
      ),
      Field(
        "push", \.push, .optional(push.shape(defaults: PushEndpoint())),
        "Push provider that the run emulates for the server."),
      Field("metrics", \.metrics, .text, "Address of the server's metrics."),
      Field(
        "prime", \.prime, .time(.zero, .hours(24 * 31)),
        "Time before the run whose uploads are sent before the run begins."),
      Field(
        "primeRate", \.primeRate, .rate(0.001, 10_000_000),
        "Maximum request rate of the uploads of 'prime'; 'rateLimit' applies, too."),
    ]
  }

  private static var push: ObjectShape<PushEndpoint> {
    ObjectShape(fields: [
      Field("listen", \.listen, .endpoint, required: true, "Address to listen on."),
      Field("as", \.provider, .word(PushEndpoint.Provider.self), "Service to emulate."),
      Field("topic", \.topic, .text, "Topic of the app; default: any."),
      Field(
        "keys", \.keys, .list(of: .path, count: 1...16), "Keys that may sign a push."),
      Field(
        "clear", \.isWrittenClear, .yesNo,
        "Whether to listen without TLS, as a webhook always does."),
      Field("withhold", \.withhold, .share, "Share of accepted pushes that are not delivered."),
    ])
  }
}
