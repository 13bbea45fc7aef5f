internal import Core
internal import Commands
internal import Scenarios

struct PushEndpointOptions: Equatable {
  var keys = PushEndpointKeys()
  var phones = 1_000
  var tlsCertificate: String?
  var tlsKey: String?
  var isSandbox = false
  var gone = 0.0
  var busy = 0.0
  var perPhone = 10
  var goAwayAfter = 0
  var streamsAtFirst = 1
  var seed = 42
  var project = "flotilla-test"
  /// The quota of a project.
  var messagesPerMinute = 600_000
  var webhookPerDay = 500
  var takesHTTP1 = false
  var reportOut: String?
  var isQuiet = false

  init(_ keys: PushEndpointKeys = PushEndpointKeys()) { self.keys = keys }

  static func command(
    _ body: @escaping (PushEndpointOptions, Console) throws -> ExitCode
  ) -> Command {
    Command(
      "push-endpoint",
      """
      Answer your own push sender as Apple's provider does, and say what it does wrong. Its phones \
      take every push; Ctrl-C or SIGTERM sends the senders away and reports.
      """,
      positionals: [],
      options: [
        .address("--listen", \.keys.listen, "Where to listen; port 0 lets the system choose."),
        .text(
          "--auth", "any|KEYS", \.keys.auth,
          "Whose tokens are good: [TEAM:KEYID:]FILE (PEM), more after commas; any: unchecked."),
        .text("--topic", "TOPIC", \.keys.topic, "The app's topic, others after commas; or any."),
        .count("--phones", \.phones, 1...10_000_000, "How many phones have the app."),
        .text(
          "--tokens-out", "FILE", \.keys.tokensOut, "Write each phone's push token there (CSV)."),
        .text(
          "--ca-out", "FILE", \.keys.authorityOut, "Write the CA there that senders trust (PEM)."),
        .text("--tls-cert", "FILE", \.tlsCertificate, "A certificate of your own (PEM)."),
        .text("--tls-key", "FILE", \.tlsKey, "That certificate's private key (PEM)."),
        .flag("--clear", \.keys.isInTheClear, "HTTP/2 in the clear, with prior knowledge."),
        .flag("--sandbox", \.isSandbox, "Be the sandbox: answers have apns-unique-id."),
        .share("--gone", \.gone, "Phones whose app was deleted: 410."),
        .share("--withhold", \.keys.withhold, "Pushes that are accepted and never delivered."),
        .share("--busy", \.busy, "Requests that are answered 503."),
        .count(
          "--per-phone", \.perPhone, 0...10_000,
          "Pushes to a phone within a second before 429; 0: any number."),
        .count(
          "--goaway-after", \.goAwayAfter, 0...1_000_000_000,
          "Send a connection away after so many requests; 0: never."),
        .count(
          "--streams-at-first", \.streamsAtFirst, 1...1_000,
          "Streams of a connection until its first push was accepted; Apple has 1."),
        .count("--seed", \.seed, 0...Int(Int32.max), "What tokens and draws come from."),
      ] + gateways + [
        .text("--report", "FILE", \.reportOut, "Write the figures there at the end (JSON)."),
        .flag("--quiet", \.isQuiet, "Only the address and errors."),
      ],
      examples: [
        "flotilla push-endpoint --topic org.example.app --ca-out ca.pem --tokens-out tokens.csv",
        "flotilla push-endpoint --topic org.example.app --auth TEAM123456:KEY1234567:AuthKey.p8",
        "flotilla push-endpoint --topic org.example.app --clear --listen 127.0.0.1:0",
        "flotilla push-endpoint --topic org.example.app --fcm-account-out account.json",
        "flotilla push-endpoint --topic io.robbie.HomeAssistant --clear --webhook",
      ],
      start: PushEndpointOptions(), body: body)
  }

  private static var gateways: [Option<PushEndpointOptions>] {
    [
      .text(
        "--fcm-account-out", "FILE", \.keys.accountOut,
        "Be Firebase Cloud Messaging as well, and write its service account there (JSON)."),
      .text("--fcm-project", "NAME", \.projectName, "The project of the app; else flotilla-test."),
      .count(
        "--fcm-per-minute", \.messagesPerMinute, 1...1_000_000_000,
        "Messages of the project within a minute before QUOTA_EXCEEDED."),
      .flag(
        "--webhook", \.keys.hasWebhook, "Take Home Assistant's notifications at /push as well."),
      .count(
        "--webhook-per-day", \.webhookPerDay, 1...1_000_000,
        "Notifications to a phone a day before 429."),
      .flag("--http1", \.takesHTTP1, "Take pushes over HTTP/1.1 too, which Apple does not."),
    ]
  }

  private var projectName: String? {
    get { project }
    set { project = newValue ?? project }
  }
}
