internal import Commands
internal import Core
internal import Scenarios
internal import Transport

struct LoadOptions: Equatable {
  var run = RunOptions()
  /// Nil to start a collector as a child, and stop it at the end.
  var collector: HostAndPort?
  /// A file whose first line that collector demands.
  var tokenFile: String?
  var tls = TLSOptions()
  /// The share of secured upload connections that resume a session.
  var resumedShare = 0.0
  var dictionary: String?
  var carrier = CarrierKind.flotilla
  /// A user's backend in place of collectors: a name or a file.
  var target: String?
  var targetURL: String?
  var rateLimit: Rate?
  /// A folder for the fleet's journal, from which a killed fleet resumes.
  var state: String?
  var uploadsVia: HostAndPort?
  var endsWithParent = false
  /// Whether to skip reading the collector's store at the end.
  var isWithoutProof = false
  var pushEndpoint: HostAndPort?
  var push = PushEndpointOptions()
  /// Whether to simulate the scenario as well, and report the differences.
  var hasTwin = false

  static func command(_ body: @escaping (LoadOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "load", "Run the fleet against a collector.", positionals: [.scenario(\.run.scenario)],
      options: Option.run(\.run) + [
        .shard(\.run).rare, .startAt(\.run).rare,
      ] + Option.collector + [
        Option(
          name: "--dictionary", placeholder: "FILE",
          help: "Send columns compressed with this zstd dictionary (encoding: columns)."
        ) { text, options in
          options.dictionary = text
          options.run.scenario.settings.append(
            ScenarioChange("encoding=columns", option: "--dictionary \(text)"))
        }.rare,
        .word("--carrier", \.carrier, "How calls stand on the wire."),
      ] + Option.target + [
        .text(
          "--state", "DIR", \.state,
          "Keep the outboxes there; a fleet that was killed goes on from them."),
        .address(
          "--uploads-via", \.uploadsVia,
          "Send uploads there, as through a proxy; other calls go to the collector."
        ).rare,
        .flag("--with-parent", \.endsWithParent, "End when standard input is closed.").rare,
        .flag(
          "--no-proof", \.isWithoutProof,
          "Do not read the collector's store at the end to show that all is there."
        ).rare,
        .flag(
          "--twin", \.hasTwin,
          "Live it in virtual time afterwards, too, and say how far the two part."),
      ] + Option.tls(\.tls) + [
        .share(
          "--resume", \.resumedShare,
          "Resume so many of the uploads' TLS sessions where the phone has one, such as 80%."
        ).rare
      ] + LoadPushes.options,
      examples: [
        "flotilla load city",
        "flotilla load city --phones 50000 --duration 30min",
        "flotilla load city --set push.silentAfter=2h --out runs/two-hours",
        "flotilla load city --twin",
        "flotilla load city --collector 127.0.0.1:7070",
        "flotilla load city --set collector.store=postgresql --collectors 2",
        "flotilla load city --carrier grpc",
        "flotilla load city --target overland --target-url http://127.0.0.1:8080 --duration 1min",
        "flotilla load city --target acme.yaml --rate-limit 500/s --phones 2000",
        "flotilla load city --state runs/outboxes",
        "flotilla load city --tls --resume 80%",
        "flotilla load city --speed 1 --push-endpoint 127.0.0.1:2197 --set push.scheduler=none",
        "flotilla load city --collector collector.example:7070 --shard 1/2 "
          + "--start-at 2026-03-02T08:05:00Z",
        "flotilla load city --collector collector.example:7070 --tls --ca ca.pem",
      ],
      start: LoadOptions(), body: body)
  }
}

extension Option<LoadOptions> {
  fileprivate static var collector: [Option] {
    [
      .address("--collector", \.collector, "Use this collector instead of starting one."),
      Option(
        name: "--collectors", placeholder: "N",
        help: "Start so many, on one database (collector.count; store: postgresql)."
      ) { text, options in
        options.run.scenario.settings.append(
          ScenarioChange("collector.count=\(text)", option: "--collectors \(text)"))
      }.rare,
      .text("--token-file", "FILE", \.tokenFile, "What that collector demands.").rare,
    ]
  }

  fileprivate static var target: [Option] {
    [
      .text(
        "--target", "TARGET", \.target,
        "Send to a backend of your own instead, as its file says; see flotilla target."),
      .text(
        "--target-url", "URL", \.targetURL, "Its address, in the place of the file's."),
      Option(
        "--rate-limit", "RATE", "Ask it no more than this of requests, such as 500/s.",
        wanted: "requests a second, such as 500/s", { Rate($0) }, set: { $1.rateLimit = $0 }),
    ]
  }
}

extension Rate {
  /// Parses `500/s` or `30000/min`.
  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let count = Double(parts[0]), count > 0, count.isFinite else {
      return nil
    }
    switch parts[1] {
    case "s": self.init(perSecond: count)
    case "min": self.init(perSecond: count / 60)
    case _: return nil
    }
  }
}
