internal import Commands
internal import Scenarios

struct PushEndpointOptions: Equatable {
  var keys = PushEndpointKeys()
  var phones = 1_000
  var android = 0.0
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
  /// The quota of an FCM project.
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
      Run an endpoint that answers your push sender like Apple's and reports its errors. \
      The phones accept every push; Ctrl-C or SIGTERM closes the connections and prints the report.
      """,
      positionals: [],
      options: [
        .address("--listen", \.keys.listen, "Address to listen on; port 0 picks a free port."),
        .text(
          "--auth", "any|KEYS", \.keys.auth,
          "Accepted signing keys: [TEAM:KEYID:]FILE (PEM), comma-separated; any: no check."),
        .text(
          "--topic", "TOPIC", \.keys.topic, "Topics of the app, comma-separated; any: no check."),
        .count("--phones", \.phones, 1...10_000_000, "Number of phones with the app."),
        .share(
          "--android", \.android, "Share of Android phones, the last ones: they have FCM tokens."),
        .text(
          "--tokens-out", "FILE", \.keys.tokensOut,
          "Write the push token of each phone to this file (CSV)."),
        .text(
          "--ca-out", "FILE", \.keys.authorityOut,
          "Write the CA certificate for senders to this file (PEM)."),
        .text(
          "--tls-cert", "FILE", \.tlsCertificate,
          "TLS server certificate (PEM); default: generated."),
        .text("--tls-key", "FILE", \.tlsKey, "Private key of the server certificate (PEM)."),
        .flag("--clear", \.keys.isInTheClear, "HTTP/2 without TLS, with prior knowledge."),
        .flag("--sandbox", \.isSandbox, "Act as the sandbox: responses have apns-unique-id."),
        .share("--gone", \.gone, "Share of phones without the app: response 410."),
        .share(
          "--withhold", \.keys.withhold, "Share of pushes that are accepted but never delivered."),
        .share("--busy", \.busy, "Share of requests with response 503."),
        .count(
          "--per-phone", \.perPhone, 0...10_000,
          "Pushes per phone and second before response 429; 0: no limit."),
        .count(
          "--goaway-after", \.goAwayAfter, 0...1_000_000_000,
          "Requests per connection before GOAWAY; 0: no limit."),
        .count(
          "--streams-at-first", \.streamsAtFirst, 1...1_000,
          "Concurrent streams per connection before the first accepted push; Apple uses 1."),
        .count("--seed", \.seed, 0...Int(Int32.max), "Random seed."),
      ] + gateways + [
        .text("--report", "FILE", \.reportOut, "Write the results to this file at the end (JSON)."),
        .flag("--quiet", \.isQuiet, "Print only the address and errors."),
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
        "Also act as Firebase Cloud Messaging; write its service account to this file (JSON)."),
      .text(
        "--fcm-project", "NAME", \.projectName,
        "Firebase project of the app; default flotilla-test."),
      .count(
        "--fcm-per-minute", \.messagesPerMinute, 1...1_000_000_000,
        "Messages per project and minute before QUOTA_EXCEEDED."),
      .flag(
        "--webhook", \.keys.hasWebhook, "Also accept Home Assistant notifications at /push."),
      .count(
        "--webhook-per-day", \.webhookPerDay, 1...1_000_000,
        "Notifications per phone and day before response 429."),
      .flag("--http1", \.takesHTTP1, "Also accept pushes over HTTP/1.1, unlike Apple."),
    ]
  }

  private var projectName: String? {
    get { project }
    set { project = newValue ?? project }
  }
}
