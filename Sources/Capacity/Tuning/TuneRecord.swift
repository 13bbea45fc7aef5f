package import Core
package import Figures

/// The results of a search for the best settings, stored as `tune.json`.
package struct TuneRecord: Equatable, StudyRecord {
  package static let schemaVersion = 1

  package var schema = TuneRecord.schemaVersion
  package var tool = RunRecord.Tool()
  package var command: [String] = []
  package var scenario = RunRecord.ScenarioFacts()
  package var seed: UInt64 = 0
  package var machine = RunRecord.Machine()
  package var timing = RunRecord.Timing()
  package var policy = ""
  package var axes: [Axis] = []
  /// The keys of the figures, whose order holds in the whole record.
  package var figures: [String] = []
  package var question = TuneQuestion(
    goals: [.init(figure: 0, direction: .maximize)], bounds: [])
  package var schedule = TuneSchedule(candidates: 1, phones: 1, seconds: 1, warmStart: 0)
  package var cost = Cost()
  package var candidates: [Candidate] = []
  /// The candidates of the last rung that no other dominates, as indices in `candidates`.
  package var front: [Int] = []
  /// The index of the best candidate in `candidates`; null if nothing was simulated.
  @Nullable package var winner: Int?
  /// The winner's paired difference in the first goal to each other candidate of the last rung.
  package var margins: [Margin] = []
  @Nullable package var confirmation: Confirmation?
  /// The original settings' figures over sets of the model's parameters; omitted if not requested.
  package var ensemble: EnsembleFigures?
  /// For each figure, the number of these sets in which the winner is better than the original
  /// settings.
  package var better: [Int]?
  package var isInterrupted = false

  package init() {}

  /// The first inconsistency of the record, such as an index out of range; nil without any.
  package var damage: String? {
    let figures = question.goals.map(\.figure) + question.bounds.map(\.figure)
    guard !question.goals.isEmpty, figures.allSatisfy({ self.figures.indices.contains($0) }) else {
      return "its question refers to unknown figures"
    }
    let places = front + margins.map(\.candidate) + [winner].compactMap { $0 }
    let isWhole = candidates.allSatisfy {
      $0.values.count == axes.count
        && $0.figures.count == ($0.rung == nil ? 0 : self.figures.count)
    }
    guard isWhole, places.allSatisfy({ candidates.indices.contains($0) }),
      winner.map({ candidates[$0].rung != nil }) ?? true, !schedule.rungs.isEmpty
    else { return "its candidates do not fit together" }
    guard (better?.count ?? self.figures.count) == self.figures.count else {
      return "its ensemble has other figures"
    }
    guard let confirmation else { return Facts(self).damage }
    let counts = [
      confirmation.winner.count, confirmation.asWritten.count, confirmation.difference.count,
    ]
    return counts.allSatisfy { $0 == self.figures.count }
      && confirmation.bounds.count == question.bounds.count
      ? Facts(self).damage : "its confirmation has other figures"
  }

  package struct Axis: Equatable, Sendable, Codable {
    package var key: String
    package var values: [String]

    package init(key: String, values: [String]) {
      self.key = key
      self.values = values
    }
  }

  /// The numbers of simulated phone-days.
  package struct Cost: Equatable, Sendable, Codable {
    package var search = 0.0
    package var grid = 0.0
    package var confirmation = 0.0

    package init() {}
  }

  package struct Candidate: Equatable, Sendable, Codable {
    package var values: [String]
    /// The last rung that simulated the candidate, from 0; null if no rung did.
    @Nullable package var rung: Int?
    package var figures: [Ratio] = []
    /// Figures over sets of the model's parameters, for the winner with differences from the
    /// original settings; omitted if not requested, or if the candidate is not on the front.
    package var ensemble: EnsembleFigures?

    package init(values: [String]) { self.values = values }
  }

  package struct Margin: Equatable, Sendable, Codable {
    package var candidate: Int
    package var goal: Ratio

    package init(candidate: Int, goal: Ratio) {
      self.candidate = candidate
      self.goal = goal
    }
  }

  package struct Confirmation: Equatable, Sendable, Codable {
    package var seeds: [UInt64] = []
    package var phones = 0
    package var winner: [Ratio] = []
    package var asWritten: [Ratio] = []
    package var difference: [Ratio] = []
    package var bounds: [Kept] = []

    package init() {}
  }

  package enum Kept: String, Sendable, Codable {
    /// The whole interval meets the bound.
    case kept
    /// The interval includes the bound.
    case unsure
    /// The whole interval is beyond the bound.
    case broken

    package init(_ ratio: Ratio, _ bound: TuneQuestion.Bound) {
      let (low, high) = (bound.excess(of: ratio.low), bound.excess(of: ratio.high))
      self = low == 0 && high == 0 ? .kept : low > 0 && high > 0 ? .broken : .unsure
    }
  }
}
