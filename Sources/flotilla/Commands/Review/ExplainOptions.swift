internal import Commands
internal import Core
internal import Run

struct ExplainOptions: Equatable {
  var scenario = ScenarioOptions()
  /// Nil if not given.
  var phone: String?
  var whySilent = false
  /// When the phone is asked for its position; nil for never.
  var ask: String?
  var deadline = PositionQuestion.customaryDeadline
  var plot: String?
  /// 0 for one per core.
  var threads = 0

  static func command(_ body: @escaping (ExplainOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "explain", "Tell one phone's day: truth, wakes, fixes, uploads, pushes.",
      positionals: [.scenario(\.scenario)],
      options: [
        .text("--phone", "ID", \.phone, "Which phone, from 0."),
        .flag("--why-silent", \.whySilent, "Only the longest silences, and what caused them."),
        .text(
          "--ask", "TIME", \.ask,
          "Ask the phone for its position then, such as 12:00, and tell only what became of it."),
        AskOptions.deadline("Of --ask: the position is wanted within so long, 30s without it.") {
          $1.deadline = $0
        },
        .text("--plot", "FILE.svg", \.plot, "Draw truth and fixes."),
        .count(
          "--threads", \.threads, 0...1_024,
          "Threads for the fleet; 0, the default, is one per core."),
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
