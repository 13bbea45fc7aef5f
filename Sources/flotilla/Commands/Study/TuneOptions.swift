internal import Capacity
internal import Commands
internal import Figures

struct TuneOptions: Equatable {
  var run = RunOptions()
  /// The policy of all cohorts; nil for a scenario's only policy.
  var policy: String?
  /// The settings to vary as `KEY=RANGE`, in the order of the command line.
  var vary: [String] = []
  /// Figures to maximize or minimize, in the order of the command line.
  var goals: [Goal] = []
  /// The bounds, as `FIGURE<=VALUE`.
  var subjects: [String] = []
  /// The number of sets of the model's parameters; 0 or nil for none.
  var ensemble: Int?
  var isJSON = false

  struct Goal: Equatable {
    var figure: StudyFigure
    var direction: TuneQuestion.Direction
  }

  static func command(
    _ body: @escaping (TuneOptions, Console) throws -> ExitCode
  ) -> Command {
    let figures = StudyFigure.searched.map(\.key).joined(separator: ", ")
    func goal(
      _ name: String, _ direction: TuneQuestion.Direction, _ help: String
    ) -> Option<TuneOptions> {
      Option(name, "FIGURE", help, wanted: "one of \(figures)", { StudyFigure(key: $0) }) {
        $1.goals.append(Goal(figure: $0, direction: direction))
      }
    }
    return Command(
      "tune", "Search for the best settings of a policy and of pushes, offline.",
      positionals: [.scenario(\.run.scenario)],
      options: Option.run(\.run) + [
        .text("--policy", "NAME", \.policy, "Policy of all phones."),
        .texts("--vary", "KEY=RANGE", \.vary, varyHelp),
        goal(
          "--maximize", .maximize,
          "Figure to maximize: \(figures).\n"
            + "    Repeatable: the first picks the winner; the report shows the trade-offs of all."),
        goal("--minimize", .minimize, "Figure to minimize."),
        .texts(
          "--subject", "BOUND", \.subjects,
          "Constraint, such as 'battery<=2%/day' or 'fresh>=60%'; repeatable; also ≤ and ≥."),
        .ensemble(\.ensemble, ensembleHelp),
        .json(Studies.search, \.isJSON),
      ],
      examples: [
        "flotilla tune city --phones 2000 --duration 12h --policy hybrid "
          + "--vary policy.send.interval=1min..15min:4log --vary push.silentAfter=15min..2h:4log "
          + "--maximize fresh --subject 'battery<=2%/day' --subject 'pushes<=8/day'",
        "flotilla tune night --policy hybrid --vary push.scheduler=fixed,adaptive "
          + "--vary push.spacing=15min..2h:6log --minimize pushes --subject 'fresh>=45%'",
        "flotilla tune city --policy hybrid --vary push.silentAfter=15min..2h:4log "
          + "--maximize fresh --minimize battery --ensemble 32",
        "flotilla scenario check runs/city-tune-20260302-073000/policies/hybrid-tuned.yaml",
        "flotilla report runs/city-tune-20260302-073000",
      ],
      start: TuneOptions(), body: body)
  }

  private static let ensembleHelp =
    "Also simulate the front and the original settings at N sets of the model's parameters,\n"
    + "    within their stated ranges, with at most 300 phones: figures get an interval.\n"
    + "    0: none (default)."

  private static let varyHelp =
    "A key and its values, as in --sweep: A..B:N, A..B:Nlog or V1,V2,…; repeatable.\n"
    + "    policy.KEY is a key of the policy, such as policy.send.interval; others as in --set."
}
