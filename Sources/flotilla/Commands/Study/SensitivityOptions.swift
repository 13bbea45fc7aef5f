internal import Commands
internal import Core
internal import Figures

struct SensitivityOptions: Equatable {
  var run = RunOptions()
  /// Figures, separated by commas; nil for all.
  var figures: String?
  /// Prefixes of paths, separated by commas; nil for every parameter.
  var vary: String?
  var stars = 4
  var points = 64
  var top = 15
  var isJSON = false

  static func command(
    _ body: @escaping (SensitivityOptions, Console) throws -> ExitCode
  ) -> Command {
    Command(
      "sensitivity", "Say what of the model an answer hangs on, and how far it may be off.",
      positionals: [.scenario(\.run.scenario)],
      options: Option.study(\.run) + [
        .text(
          "--of", "FIGURE,…", \.figures,
          "Only of these: \(StudyFigure.headlines.map(\.rawValue).joined(separator: ", ")). "
            + "A run serves all."),
        .text(
          "--vary", "PATH,…", \.vary,
          "Move only parameters whose path begins so, such as profiles.energy,push.phone."),
        .count(
          "--trajectories", \.stars, 0...1_000,
          "Bases from which each parameter is moved once: 4 to 10; 0: no effects, intervals only."),
        .count(
          "--points", \.points, 0...10_000,
          "Points of the Latin hypercube that the model’s interval rests on; 0: no interval."),
        .count("--top", \.top, 1...1_000, "Parameters in each table; the files have all."),
        .json(Studies.sensitivity, \.isJSON),
      ],
      examples: [
        "flotilla sensitivity city --phones 300 --duration 6h",
        "flotilla sensitivity city --phones 300 --duration 6h --of battery --vary profiles.energy",
        "flotilla sensitivity city --phones 1000 --trajectories 10 --points 128 --threads 2",
        "flotilla sensitivity city --phones 300 --trajectories 0 --json | jq '.figures[].model'",
        "flotilla report runs/city-20260302-073000 --sensitivity runs/city-sensitivity-20260302",
      ],
      start: SensitivityOptions(), body: body)
  }
}
