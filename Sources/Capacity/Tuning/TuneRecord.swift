package import Figures

/// What a search of settings found, as a file: `tune.json`.
///
/// Two searches of one scenario, seed and question give equal bytes but for `command`, `machine`
/// and `timing`, with any number of threads.
package struct TuneRecord: Equatable, StudyRecord {
  package static let schemaVersion = 1

  package var schema = TuneRecord.schemaVersion
  package var tool = RunRecord.Tool()
  package var command: [String] = []
  package var scenario = RunRecord.ScenarioFacts()
  package var seed: UInt64 = 0
  package var machine = RunRecord.Machine()
  package var timing = RunRecord.Timing()
  /// The policy whose settings were searched.
  package var policy = ""
  /// The keys that were varied, each with its values.
  package var axes: [Axis] = []
  /// The keys of the figures, in the order in which all figures below stand.
  package var figures: [String] = []
  /// What was asked; figures by their places.
  package var question = TuneQuestion(
    goals: [.init(figure: 0, direction: .maximize)], bounds: [])
  /// How many candidates were lived by how many phones and how long.
  package var schedule = TuneSchedule(candidates: 1, phones: 1, seconds: 1, warmStart: 0)
  /// What was spent, in phone-days.
  package var cost = Cost()
  /// All candidates in the order of the grid.
  package var candidates: [Candidate] = []
  /// The places in `candidates` of those that no other of the last rung dominates.
  package var front: [Int] = []
  /// The place in `candidates` of the best; null where nothing was lived.
  @Nullable package var winner: Int?
  /// The goal's difference of the winner to each other of the last rung, paired.
  package var margins: [Margin] = []
  /// How the winner did on phones that the search did not see; null where that was not lived.
  @Nullable package var confirmation: Confirmation?
  /// Whether the search was stopped before its end.
  package var isInterrupted = false

  package init() {}

  /// Which place does not exist that another part of the record names; nil: none.
  package var damage: String? {
    let figures = question.goals.map(\.figure) + question.bounds.map(\.figure)
    guard !question.goals.isEmpty, figures.allSatisfy({ self.figures.indices.contains($0) }) else {
      return "its question is about figures that it does not have"
    }
    let places = front + margins.map(\.candidate) + [winner].compactMap { $0 }
    let isWhole = candidates.allSatisfy {
      $0.values.count == axes.count
        && $0.figures.count == ($0.rung == nil ? 0 : self.figures.count)
    }
    guard isWhole, places.allSatisfy({ candidates.indices.contains($0) }),
      winner.map({ candidates[$0].rung != nil }) ?? true, !schedule.rungs.isEmpty
    else { return "its candidates do not fit together" }
    guard let confirmation else { return nil }
    let counts = [
      confirmation.winner.count, confirmation.asWritten.count, confirmation.difference.count,
    ]
    return counts.allSatisfy { $0 == self.figures.count }
      && confirmation.bounds.count == question.bounds.count
      ? nil : "its confirmation is of other figures"
  }

  /// A key that was varied.
  package struct Axis: Equatable, Sendable, Codable {
    /// The path as `--set` takes it.
    package var key: String
    /// Its values as they are written.
    package var values: [String]

    package init(key: String, values: [String]) {
      self.key = key
      self.values = values
    }
  }

  /// In phone-days.
  package struct Cost: Equatable, Sendable, Codable {
    /// What the search took.
    package var search = 0.0
    /// What a grid of the same candidates, phones and hours takes.
    package var grid = 0.0
    /// What the confirmation took.
    package var confirmation = 0.0

    package init() {}
  }

  /// One combination of values.
  package struct Candidate: Equatable, Sendable, Codable {
    /// Its value on each axis.
    package var values: [String]
    /// The last rung of the schedule at which it was lived, from 0; null: it was not.
    @Nullable package var rung: Int?
    /// Its figures there with 95 % intervals, in the order of `figures`.
    package var figures: [Ratio] = []

    package init(values: [String]) { self.values = values }
  }

  /// How far the winner is ahead of another.
  package struct Margin: Equatable, Sendable, Codable {
    /// The place of the other in `candidates`.
    package var candidate: Int
    /// The winner's first goal less the other's, on the same phones.
    package var goal: Ratio

    package init(candidate: Int, goal: Ratio) {
      self.candidate = candidate
      self.goal = goal
    }
  }

  /// A life of the winner, and of the settings as they were written, with other seeds.
  package struct Confirmation: Equatable, Sendable, Codable {
    /// The seeds.
    package var seeds: [UInt64] = []
    /// The number of phones of all seeds together.
    package var phones = 0
    /// The winner's figures over all seeds.
    package var winner: [Ratio] = []
    /// The figures of the settings as they were written, on the same phones.
    package var asWritten: [Ratio] = []
    /// The winner's figures less those as written, paired.
    package var difference: [Ratio] = []
    package var bounds: [Kept] = []

    package init() {}
  }

  /// Whether a bound is kept.
  package enum Kept: String, Sendable, Codable {
    /// The whole interval keeps it.
    case kept
    /// The interval lies on both sides of the bound.
    case unsure
    /// The whole interval lies beyond it.
    case broken

    package init(_ ratio: Ratio, _ bound: TuneQuestion.Bound) {
      let (low, high) = (bound.excess(of: ratio.low), bound.excess(of: ratio.high))
      self = low == 0 && high == 0 ? .kept : low > 0 && high > 0 ? .broken : .unsure
    }
  }
}
