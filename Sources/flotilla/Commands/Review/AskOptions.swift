internal import Commands
internal import Coordinator
internal import Scenarios
internal import SimulationCore

/// The options of `flotilla ask`.
struct AskOptions: Equatable {
  /// Where a collector listens.
  var target = ""
  /// nil: not given.
  var phone: String?
  var deadline = PositionQuestion.customaryDeadline
  /// nil: that of the run's push settings.
  var accuracy: Distance?
  var isJSON = false
  var tokenFile: String?
  var tls = TLSOptions()

  /// - Parameter body: asks.
  static func command(_ body: @escaping (AskOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "ask", "Ask one phone for its position now, through a collector.",
      positionals: [
        Positional(name: "HOST:PORT", help: "Where the collector listens.") { $1.target = $0 }
      ],
      options: [
        .text("--phone", "ID", \.phone, "Which phone, from 0."),
        Option(
          name: "--deadline", placeholder: "D",
          help: "Scenario time to wait at most, 1s to 1h; 30s, the default, is what iOS gives."
        ) { (text, options) throws(UsageError) in options.deadline = try deadline(text) },
        Option(
          name: "--accuracy", placeholder: "D",
          help: "A coarser fix is no answer, such as 100m; without it, the run's own limit."
        ) { (text, options) throws(UsageError) in options.accuracy = try accuracy(text) },
        .flag("--json", \.isJSON, "One JSON object on standard output."),
        .text("--token-file", "FILE", \.tokenFile, "What the collector asks its clients for."),
      ] + Option.tls(\.tls),
      examples: [
        "flotilla ask 127.0.0.1:7070 --phone 17",
        "flotilla ask 127.0.0.1:7070 --phone 17 --deadline 2min --accuracy 65m",
        "flotilla ask collector.example:7070 --phone 17 --json --token-file token.txt",
      ],
      start: AskOptions(), body: body)
  }

  /// Reads a deadline that a collector takes.
  static func deadline(_ text: String) throws(UsageError) -> SimDuration {
    guard let time = ArgumentText.time(text), PositionQuestion.deadlines.contains(time) else {
      throw .badValue(option: "--deadline", value: text, wanted: "a time from 1s to 1h, as 30s")
    }
    return time
  }

  private static func accuracy(_ text: String) throws(UsageError) -> Distance {
    guard let limit = ArgumentText.distance(text), (1...50_000).contains(limit.meters) else {
      throw .badValue(
        option: "--accuracy", value: text, wanted: "a distance from 1m to 50km, as 100m")
    }
    return limit
  }
}
