internal import Commands
internal import Run
internal import Wire

struct ExplainOptions: Equatable {
  var scenario = ScenarioOptions()
  var phone: String?
  var whySilent = false
  /// The time of a position request; nil for none.
  var ask: String?
  var deadline = AskRequest.customaryDeadline
  var html: String?

  static func command(_ body: @escaping (ExplainOptions, Console) throws -> ExitCode) -> Command {
    Command(
      "explain",
      "Print the events of one phone: true movement, wakes, fixes, uploads and pushes.",
      positionals: [
        Positional(
          name: "SCENARIO",
          help: "A scenario's name, such as city, the path of a file, or the folder of a run."
        ) { $1.scenario.names.append($0) }
      ],
      options: [
        .text("--phone", "ID", \.phone, "Phone ID, from 0."),
        .flag("--why-silent", \.whySilent, "Print only the longest silences and their causes."),
        .text(
          "--ask", "TIME", \.ask,
          "Request a position at this time, such as 12:00, and print only the outcome."),
        AskOptions.deadline("Time limit of --ask, in simulated time; default 30s.") {
          $1.deadline = $0
        },
        .text(
          "--html", "FILE.html", \.html, "Write a page with a map, a time line and all events."),
        .replaced("--plot", by: "--html "),
        .replaced("--threads", by: "--set run.threads="),
      ] + Option.scenario(\.scenario),
      examples: [
        "flotilla explain city --phone 17",
        "flotilla explain city --phone 17 --why-silent",
        "flotilla explain city --phone 17 --ask 08:00 --deadline 30s",
        "flotilla explain replay --phone 0 --html phone-0.html",
        "flotilla explain runs/city-20260302-073000 --phone 17 --html phone-17.html",
      ],
      start: ExplainOptions(), body: body)
  }
}
