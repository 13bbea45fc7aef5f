internal import Core
internal import Scenarios

/// The keys of `scenarios/targets/*.yaml`.
enum TargetSchema {
  static var target: ObjectShape<Target> {
    ObjectShape(fields: head + connection + messages, check: TargetCheck.check)
  }

  private static var head: [Field<Target>] {
    [
      Field("name", \.name, .name, required: true, "The target's name: that of its file."),
      Field("description", \.description, .sentence, "Whose protocol it speaks."),
      Field("client", \.client, client, "The client that the file follows."),
      Field(
        "protocol", \.carrier, .word(Target.Carrier.self), required: true,
        "What carries the messages."),
      Field("url", \.url, .text, required: true, "The address, without a path."),
      Field(
        "owner", \.owner, .yesNo,
        "Whether you may put load on a host that is neither loopback nor private."),
      Field(
        "rateLimit", \.rateLimit, .optional(.rate(0.001, 10_000_000)),
        "Requests of all phones together, at most."),
    ]
  }

  private static var client: ObjectShape<FollowedClient> {
    ObjectShape(fields: [
      Field("name", \.name, .text, required: true, "Its name."),
      Field("version", \.version, .text, required: true, "Its version or date."),
      Field("source", \.source, .text, required: true, "Where it was read."),
    ])
  }

  private static var connection: [Field<Target>] {
    [
      Field("identity", \.identity, IdentitySchema.identity, "What a phone is called there."),
      Field(
        "connections", \.connections, ConnectionSchema.connections,
        "How connections are made and kept."),
      Field("tls", \.tls, ConnectionSchema.tls, "What TLS has to be like."),
      Field("mqtt", \.mqtt, ConnectionSchema.mqtt, "How phones connect to a broker."),
      Field(
        "schema", \.schema, .optional(ConnectionSchema.schema.shape(defaults: SchemaSource())),
        "Where the types of gRPC messages come from."),
    ]
  }

  private static var messages: [Field<Target>] {
    [
      Field(
        "register", \.register,
        .optional(RequestSchema.register.shape(defaults: Registration())),
        "What a phone sends before its first upload."),
      Field("upload", \.upload, RequestSchema.upload, required: true, "What a phone sends."),
      Field(
        "answer", \.answer, .list(of: AnswerSchema.rule, count: 1...64), required: true,
        "What answers mean; the first that matches counts."),
      Field(
        "retry", \.retry, AnswerSchema.retry, "What the app does where an upload is not taken."),
      Field(
        "readback", \.readback, .optional(RequestSchema.readback.shape(defaults: Readback())),
        "How what the server holds is read."),
      Field(
        "push", \.push, .optional(push.shape(defaults: PushEndpoint())),
        "What the server sends its pushes to."),
      Field("metrics", \.metrics, .text, "The address of the server's own metrics."),
      Field(
        "prime", \.prime, .time(.zero, .hours(24 * 31)),
        "How much of the time before the run is sent ahead of it."),
      Field(
        "primeRate", \.primeRate, .rate(0.001, 10_000_000),
        "Requests a second meanwhile, at most; 'rateLimit' holds as well."),
    ]
  }

  private static var push: ObjectShape<PushEndpoint> {
    ObjectShape(fields: [
      Field("listen", \.listen, .endpoint, required: true, "Where it listens."),
      Field("as", \.provider, .word(PushEndpoint.Provider.self), "Whose service it speaks as."),
      Field("topic", \.topic, .text, "The app's topic; without it, any."),
      Field(
        "keys", \.keys, .list(of: .path, count: 1...16), "The keys that may sign a push."),
      Field(
        "clear", \.isWrittenClear, .yesNo,
        "Whether it goes without TLS, as a webhook always does."),
      Field("withhold", \.withhold, .share, "The part of accepted pushes that is withheld."),
    ])
  }
}
