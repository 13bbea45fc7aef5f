internal import Core
package import Figures

package struct CapacityVerdict: Equatable, Sendable {
  package private(set) var verdict = Verdict.pass
  package private(set) var reasons: [String] = []

  package init(_ capacity: CapacityRecord) {
    guard capacity.source == .measured else {
      if capacity.perCore.low <= 0 {
        end(.sloMissed, "There is no size without a capacity: \(capacity.lawNote).")
      }
      return
    }
    let invalid = capacity.trials.filter { $0.invalid != nil }
    let isLimited = capacity.searches.contains {
      $0.irregularity == LoadSearch.Irregularity.generatorLimit.rawValue
    }
    if isLimited || (capacity.lowerBound == nil && !invalid.isEmpty) {
      end(.invalid, Self.blame(capacity, invalid.max { $0.load < $1.load }))
    } else if capacity.lowerBound == nil {
      end(.sloMissed, "No load was carried.")
    } else if capacity.verified == false {
      end(
        .sloMissed,
        "The scenario’s own phones were not served at the lower bound as the others were.")
    }
    if capacity.isGeneratorStrong == false {
      reasons.append(
        "The generator alone offers less than 1.3 times the upper bound; it may be the limit.")
    }
    if capacity.isFarApart {
      reasons.append(
        "What was demonstrated and what the processor promises are more than 10 % apart.")
    }
  }

  private mutating func end(_ verdict: Verdict, _ reason: String) {
    self.verdict = verdict
    reasons.append(reason)
  }

  private static func blame(_ capacity: CapacityRecord, _ trial: TrialRecord?) -> String {
    let most = capacity.generatorCeiling.map { ", \(Figure.quantity($0)) batches/s" } ?? ""
    let start = "The collector carried all that the generator can offer\(most)"
    guard let trial, let why = trial.invalid else { return "\(start)." }
    let advice: String =
      switch trial.limitedBy {
      case .core?: "give it a faster core, or fewer things to do beside it"
      case .stolenTime?: "run on a machine whose cores nobody else is given"
      case .pauses?, nil: "stop what else runs on this machine"
      }
    return
      "\(start); with \(Figure.quantity(trial.load)) it was no longer valid (\(why)): \(advice)."
  }
}
