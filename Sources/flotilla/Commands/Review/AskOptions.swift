internal import Commands
internal import Core
internal import Run
internal import Scenarios
internal import Wire

struct AskOptions: Equatable {
  var target = ""
  var phone: PhoneID?
  var deadline = AskRequest.customaryDeadline
  /// The required accuracy; nil for the limit of the run's push settings.
  var accuracy: Distance?
  var isJSON = false
  var tokenFile: String?
  var tls = TLSOptions()

  static func command(_ body: @escaping (AskOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "ask", "Request the current position of one phone through a collector.",
      positionals: [
        Positional(name: "HOST:PORT", help: "Address of the collector.") { $1.target = $0 }
      ],
      options: [
        Option(
          "--phone", "ID", "Phone ID, from 0.", wanted: "a phone ID, from 0",
          { UInt32($0).map { PhoneID(rawValue: $0) } }, set: { $1.phone = $0 }),
        deadline(
          "Maximum wait in simulated time, 1s to 1h; default 30s, the limit of iOS."
        ) { $1.deadline = $0 },
        Option(
          "--accuracy", "D",
          "Maximum inaccuracy of the fix, such as 100m; default: the limit of the run.",
          wanted: "a distance from 1m to 50km, such as 100m",
          { ArgumentText.distance($0).flatMap { (1...50_000).contains($0.meters) ? $0 : nil } },
          set: { $1.accuracy = $0 }),
        .flag("--json", \.isJSON, "Print the result as JSON."),
        .text("--token-file", "FILE", \.tokenFile, "File with the token for the collector."),
      ] + Option.tls(\.tls),
      examples: [
        "flotilla ask 127.0.0.1:7070 --phone 17",
        "flotilla ask 127.0.0.1:7070 --phone 17 --deadline 2min --accuracy 65m",
        "flotilla ask collector.example:7070 --phone 17 --json --token-file token.txt",
      ],
      start: AskOptions(), body: body)
  }

  static func deadline<Options>(
    _ help: String, set: @escaping (SimDuration, inout Options) -> Void
  ) -> Option<Options> {
    Option(
      "--deadline", "D", help, wanted: "a time from 1s to 1h, such as 30s",
      { ArgumentText.time($0).flatMap { AskRequest.deadlines.contains($0) ? $0 : nil } },
      set: set)
  }
}
