package import Figures

/// What a search of settings found, as a file: `tune.json`.
///
/// Two searches of one scenario, seed and question give equal bytes but for `command`, `machine`
/// and `timing`, with any number of threads.
package struct TuneRecord: Equatable, StudyRecord {
  /// Is the version of the format that this program writes and reads.
  package static let schemaVersion = 1

  /// Is the version of the format in which the record was written.
  package var schema = TuneRecord.schemaVersion
  /// Names the program that searched.
  package var tool = RunRecord.Tool()
  /// Holds the command line as it was given, word by word.
  package var command: [String] = []
  /// Describes the scenario as it was written, with the policy that was asked for.
  package var scenario = RunRecord.ScenarioFacts()
  /// Is the seed that all candidates share, so that a difference is the settings' doing.
  package var seed: UInt64 = 0
  /// Describes the machine on which the search ran.
  package var machine = RunRecord.Machine()
  /// Holds when the search began and how long it took, in wall time.
  package var timing = RunRecord.Timing()
  /// Is the policy whose settings were searched.
  package var policy = ""
  /// Holds the keys that were varied, each with its values.
  package var axes: [Axis] = []
  /// Holds the keys of the figures, in the order in which all figures below stand.
  package var figures: [String] = []
  /// Is what was asked; figures by their places.
  package var question = TuneQuestion(
    goals: [.init(figure: 0, direction: .maximize)], bounds: [])
  /// Says how many candidates were lived by how many phones and how long.
  package var schedule = TuneSchedule(candidates: 1, phones: 1, seconds: 1, warmStart: 0)
  /// Is what was spent, in phone-days.
  package var cost = Cost()
  /// Holds all candidates in the order of the grid.
  package var candidates: [Candidate] = []
  /// Holds the places in `candidates` of those that no other of the last rung dominates.
  package var front: [Int] = []
  /// Is the place in `candidates` of the best; null where nothing was lived.
  @Nullable package var winner: Int?
  /// Holds the goal's difference of the winner to each other of the last rung, paired.
  package var margins: [Margin] = []
  /// Is how the winner did on phones that the search did not see; null where that was not lived.
  @Nullable package var confirmation: Confirmation?
  /// Is true where the search was stopped before its end.
  package var isInterrupted = false

  /// Makes an empty record of the current schema.
  package init() {}

  /// Says which place does not exist that another part of the record names; nil: none.
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

  /// Is a key that was varied.
  package struct Axis: Equatable, Sendable, Codable {
    /// Is the path as `--set` takes it.
    package var key: String
    /// Holds its values as they are written.
    package var values: [String]

    /// Makes an axis.
    package init(key: String, values: [String]) {
      self.key = key
      self.values = values
    }
  }

  /// Counts phone-days.
  package struct Cost: Equatable, Sendable, Codable {
    /// Is what the search took.
    package var search = 0.0
    /// Is what a grid of the same candidates, phones and hours takes.
    package var grid = 0.0
    /// Is what the confirmation took.
    package var confirmation = 0.0

    /// Makes counts of zero.
    package init() {}
  }

  /// Is one combination of values.
  package struct Candidate: Equatable, Sendable, Codable {
    /// Holds its value on each axis.
    package var values: [String]
    /// Is the last rung of the schedule at which it was lived, from 0; null: it was not.
    @Nullable package var rung: Int?
    /// Holds its figures there with 95 % intervals, in the order of `figures`.
    package var figures: [Ratio] = []

    /// Makes a candidate that was not lived.
    package init(values: [String]) { self.values = values }
  }

  /// Is how far the winner is ahead of another.
  package struct Margin: Equatable, Sendable, Codable {
    /// Is the place of the other in `candidates`.
    package var candidate: Int
    /// Is the winner's first goal less the other's, on the same phones.
    package var goal: Ratio

    /// Makes a margin.
    package init(candidate: Int, goal: Ratio) {
      self.candidate = candidate
      self.goal = goal
    }
  }

  /// Is a life of the winner, and of the settings as they were written, with other seeds.
  package struct Confirmation: Equatable, Sendable, Codable {
    /// Holds the seeds.
    package var seeds: [UInt64] = []
    /// Counts the phones of all seeds together.
    package var phones = 0
    /// Holds the winner's figures over all seeds.
    package var winner: [Ratio] = []
    /// Holds the figures of the settings as they were written, on the same phones.
    package var asWritten: [Ratio] = []
    /// Holds the winner's figures less those as written, paired.
    package var difference: [Ratio] = []
    /// Says of each bound whether the winner keeps it there.
    package var bounds: [Kept] = []

    /// Makes an empty confirmation.
    package init() {}
  }

  /// Says whether a bound is kept.
  package enum Kept: String, Sendable, Codable {
    /// The whole interval keeps it.
    case kept
    /// The value does, or does not, and its interval lies on both sides.
    case unsure
    /// The whole interval lies beyond it.
    case broken

    /// Judges a figure by a bound.
    package init(_ ratio: Ratio, _ bound: TuneQuestion.Bound) {
      let (low, high) = (bound.excess(of: ratio.low), bound.excess(of: ratio.high))
      self = low == 0 && high == 0 ? .kept : low > 0 && high > 0 ? .broken : .unsure
    }
  }
}
