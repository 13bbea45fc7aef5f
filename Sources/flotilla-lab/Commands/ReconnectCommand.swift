internal import Core
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report

struct ReconnectOptions: Equatable {
  var phones = 50_000
  var atOnce = 10_000
  var carrier = CarrierKind.flotilla
  /// The output folder; nil for a new folder in `runs`.
  var out: String?
  var json = false
}

enum ReconnectCommand {
  static var command: Command {
    Command(
      "reconnect",
      """
      Measure phones that all reconnect over TLS at once, as after a restart of a load balancer, \
      without and with session tickets.
      """,
      options: [
        .count("--phones", \.phones, 1...1_000_000, "Number of phones."),
        .count(
          "--at-once", \.atOnce, 1...16_000,
          "Maximum number of connections that are open or connecting."),
        .word("--carrier", \.carrier, "Wire protocol."),
        .text("--out", "FOLDER", \.out, "Output folder of reconnect.json and report.html."),
        .flag("--json", \.json, "Print the record as JSON."),
      ],
      examples: [
        "flotilla-lab bench reconnect", "flotilla-lab bench reconnect --phones 5000 --carrier grpc",
      ],
      start: ReconnectOptions(), body: run)
  }

  private static func run(_ options: ReconnectOptions, _ console: Console) throws -> ExitCode {
    let folder = try BenchFolder.kept(options.out, name: "reconnect")
    let stand = BenchStand(console)
    var plan = ReconnectBench.Plan()
    (plan.phones, plan.atOnce, plan.carrier) = (options.phones, options.atOnce, options.carrier)
    let record = try BenchFolder.use { scratch in
      try ReconnectBench.run(
        plan, IngestCommand.place(scratch),
        progress: { step in
          stand.show("reconnect: \(step.served) of \(options.phones) phones served")
        }, shouldStop: { stand.interruption.isRequested })
    }
    stand.show("")
    try BenchFolder.conclude(
      record, as: "reconnect.json", record.report, record.storms.map(record.answer),
      isJSON: options.json, in: folder, console)
    return stand.interruption.isRequested ? .interrupted : .pass
  }
}
