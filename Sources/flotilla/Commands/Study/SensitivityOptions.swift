internal import Commands
internal import Figures

struct SensitivityOptions: Equatable {
  var run = RunOptions()
  /// Figures, comma-separated; nil for all.
  var figures: String?
  /// Prefixes of paths, comma-separated; nil for every parameter.
  var vary: String?
  var stars = 4
  var points = 64
  var top = 15
  var isJSON = false

  static func command(
    _ body: @escaping (SensitivityOptions, Console) throws -> ExitCode
  ) -> Command {
    Command(
      "sensitivity",
      "Find the model parameters that affect a result most, and the interval of the result.",
      positionals: [.scenario(\.run.scenario)],
      options: Option.run(\.run) + [
        .text(
          "--of", "FIGURE,…", \.figures,
          "Figures to study, comma-separated; default all: "
            + "\(StudyFigure.headlines.map(\.rawValue).joined(separator: ", "))."),
        .text(
          "--vary", "PATH,…", \.vary,
          "Vary only parameters with these path prefixes, such as profiles.energy,push.phone."),
        .count(
          "--trajectories", \.stars, 0...1_000,
          "Number of Morris trajectories; each varies every parameter once, and 4 to 10 suffice;\n"
            + "    0: intervals only."),
        .count(
          "--points", \.points, 0...10_000,
          "Number of Latin hypercube points for the interval; 0: no interval."),
        .count("--top", \.top, 1...1_000, "Number of parameters per table; the files list all."),
        .json(Studies.sensitivity, \.isJSON),
      ],
      examples: [
        "flotilla sensitivity city --phones 300 --duration 6h",
        "flotilla sensitivity city --phones 300 --duration 6h --of battery --vary profiles.energy",
        "flotilla sensitivity city --phones 1000 --trajectories 10 --points 128 "
          + "--set run.threads=2",
        "flotilla sensitivity city --phones 300 --trajectories 0 --json | jq '.figures[].model'",
        "flotilla report runs/city-20260302-073000 --sensitivity runs/city-sensitivity-20260302",
      ],
      start: SensitivityOptions(), body: body)
  }
}
