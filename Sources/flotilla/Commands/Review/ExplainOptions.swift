internal import Commands
internal import Core
internal import Run

struct ExplainOptions: Equatable {
  var scenario = ScenarioOptions()
  /// Nil if not given.
  var phone: String?
  var whySilent = false
  /// The time of a position request; nil for none.
  var ask: String?
  var deadline = PositionQuestion.customaryDeadline
  var plot: String?
  /// 0 for one per core.
  var threads = 0

  static func command(_ body: @escaping (ExplainOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "explain", "Print the events of one phone: true movement, wakes, fixes, uploads, pushes.",
      positionals: [.scenario(\.scenario)],
      options: [
        .text("--phone", "ID", \.phone, "Phone ID, from 0."),
        .flag("--why-silent", \.whySilent, "Print only the longest silences and their causes."),
        .text(
          "--ask", "TIME", \.ask,
          "Request a position at this time, such as 12:00, and print only the outcome."),
        AskOptions.deadline("Time limit of --ask, in simulated time; default 30s.") {
          $1.deadline = $0
        },
        .text("--plot", "FILE.svg", \.plot, "Plot the true track and the fixes."),
        .count(
          "--threads", \.threads, 0...1_024,
          "Number of threads; default 0, one per core."),
      ] + Option.scenario(\.scenario),
      examples: [
        "flotilla explain city --phone 17",
        "flotilla explain city --phone 17 --why-silent",
        "flotilla explain city --phone 17 --ask 08:00 --deadline 30s",
        "flotilla explain replay --phone 0 --plot phone-0.svg",
      ],
      start: ExplainOptions(), body: body)
  }
}
