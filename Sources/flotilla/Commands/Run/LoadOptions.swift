internal import Commands
internal import Core

struct LoadOptions: Equatable {
  var run = RunOptions()
  /// The address of a collector; nil to start a child process as collector for the run.
  var collector: Endpoint?
  /// A user's backend, loaded instead of collectors.
  var target = TargetChoice()
  /// The log whose uploads the phones send instead of those of a scenario; empty for a scenario.
  var replay = LogFiles()
  /// The address of the live page; nil for none.
  var web: Endpoint?

  static func command(_ body: @escaping (LoadOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "load", "Run the fleet against a collector.",
      positionals: [.scenario(\.run.scenario, isOptional: true)],
      options: Option.run(\.run) + [
        .junit(\.run), .shard(\.run),
        .address("--collector", \.collector, "Use this collector instead of starting one."),
      ]
        + Option.target(
          \.target, "Load your own backend, described by a target file; see flotilla target.")
        + Option.log(
          "--replay", \.replay,
          "Send the uploads of your own log again, instead of a scenario: CSV or JSON as for fit, "
            + "also gzip-compressed. Repeatable.")
        + [.web(\.web)] + Option.movedOfLoad,
      examples: [
        "flotilla load city",
        "flotilla load city --phones 50000 --duration 30min",
        "flotilla load city --set push.silentAfter=2h --out runs/two-hours",
        "flotilla load city --set run.twin=true",
        "flotilla load city --quiet --junit flotilla.xml",
        "flotilla load city --web 127.0.0.1:8088",
        "flotilla load city --set metrics.listen=127.0.0.1:9100",
        "flotilla load city --collector host-b:7070 --set run.tokenFile=token",
        "flotilla load city --set collector.store=postgresql --set collector.count=2",
        "flotilla load city --set run.carrier=grpc --set tls.resume=80%",
        "flotilla load city --target overland --target-url http://127.0.0.1:8080 --duration 1min",
        "flotilla load city --target acme.yaml --set run.rateLimit=500/s --phones 2000",
        "flotilla load --replay fixes.csv --target acme.yaml",
        "flotilla load --replay fixes.csv.gz --target acme.yaml --speed 2 --duration 1h",
        "flotilla load city --set run.state=runs/outboxes",
        "flotilla load city --speed 1 --set pushEndpoint.listen=127.0.0.1:2197 "
          + "--set push.scheduler=none",
        "flotilla load city --collector collector.example:7070 --shard 1/2 "
          + "--set run.startAt=2026-03-02T08:05:00Z",
        "flotilla load city --collector collector.example:7070 --set tls.ca=ca.pem",
      ],
      start: LoadOptions(), body: body)
  }
}
