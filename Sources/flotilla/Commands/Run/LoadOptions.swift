internal import Scenarios
internal import Transport

/// The options of `flotilla load`.
struct LoadOptions: Equatable {
  var run = RunOptions()
  /// nil: a collector is started as a child, and stopped at the end.
  var collector: HostAndPort?
  /// A file whose first line that collector demands.
  var tokenFile: String?
  var tls = TLSOptions()
  /// Of the uploads' secured connections, those that resume a session where they have one.
  var resumedShare = 0.0
  /// A zstd dictionary to compress columns with.
  var dictionary: String?
  var carrier = CarrierKind.flotilla
  /// A folder for the fleet's journal: a fleet that was killed goes on from it.
  var state: String?
  /// Where uploads go instead of to the collector, as through a proxy.
  var uploadsVia: HostAndPort?
  var endsWithParent = false
  /// Live the scenario in virtual time as well, and say how far the two part.
  var hasTwin = false

  /// - Parameter body: runs the fleet against the collector.
  static func command(_ body: @escaping (LoadOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "load", "Run the fleet against a collector.", positionals: [.scenario(\.run.scenario)],
      options: Option.run(\.run) + [
        .shard(\.run), .startAt(\.run),
        .address("--collector", \.collector, "Use this collector instead of starting one."),
        Option(
          name: "--collectors", placeholder: "N",
          help: "Start so many, on one database (collector.count; store: postgresql)."
        ) { text, options in
          options.run.scenario.settings.append(
            ScenarioChange("collector.count=\(text)", option: "--collectors \(text)"))
        },
        .text("--token-file", "FILE", \.tokenFile, "What that collector demands."),
        Option(
          name: "--dictionary", placeholder: "FILE",
          help: "Send columns compressed with this zstd dictionary (encoding: columns)."
        ) { text, options in
          options.dictionary = text
          options.run.scenario.settings.append(
            ScenarioChange("encoding=columns", option: "--dictionary \(text)"))
        },
        .word("--carrier", \.carrier, "How calls stand on the wire."),
        .text(
          "--state", "DIR", \.state,
          "Keep the outboxes there; a fleet that was killed goes on from them."),
        .address(
          "--uploads-via", \.uploadsVia,
          "Send uploads there, as through a proxy; other calls go to the collector."),
        .flag("--with-parent", \.endsWithParent, "End when standard input is closed."),
        .flag(
          "--twin", \.hasTwin,
          "Live it in virtual time afterwards, too, and say how far the two part."),
      ] + Option.tls(\.tls) + [
        .share(
          "--resume", \.resumedShare,
          "Resume so many of the uploads' TLS sessions where the phone has one, such as 80%.")
      ],
      examples: [
        "flotilla load city",
        "flotilla load city --phones 50000 --duration 30min",
        "flotilla load city --set push.silentAfter=2h --out runs/two-hours",
        "flotilla load city --twin",
        "flotilla load city --collector 127.0.0.1:7070",
        "flotilla load city --set collector.store=postgresql --collectors 2",
        "flotilla load city --carrier grpc",
        "flotilla load city --state runs/outboxes",
        "flotilla load city --tls --resume 80%",
        "flotilla load city --collector collector.example:7070 --shard 1/2 "
          + "--start-at 2026-03-02T08:05:00Z",
        "flotilla load city --collector collector.example:7070 --tls --ca ca.pem",
      ],
      start: LoadOptions(), body: body)
  }
}
