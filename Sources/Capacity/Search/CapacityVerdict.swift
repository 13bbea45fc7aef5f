internal import Core
package import Figures

package struct CapacityVerdict: Equatable, Sendable {
  package private(set) var verdict = Verdict.pass
  package private(set) var reasons: [String] = []

  package init(_ capacity: CapacityRecord) {
    guard capacity.source == .measured else {
      if capacity.perCore.low <= 0 {
        end(.sloMissed, "No size without a capacity: \(capacity.lawNote).")
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
      end(.sloMissed, "No load was sustained.")
    } else if capacity.verified == false {
      end(
        .sloMissed,
        "The trial with the scenario’s phones failed at the lower bound.")
    }
    if capacity.isGeneratorStrong == false {
      reasons.append(
        "The generator offers less than 1.3 × the upper bound and may be the limit.")
    }
    if capacity.isFarApart {
      reasons.append(
        "Measured capacity and capacity derived from CPU time differ by more than 10 %.")
    }
  }

  private mutating func end(_ verdict: Verdict, _ reason: String) {
    self.verdict = verdict
    reasons.append(reason)
  }

  private static func blame(_ capacity: CapacityRecord, _ trial: TrialRecord?) -> String {
    let most = capacity.generatorCeiling.map { ", \(Figure.quantity($0)) batches/s" } ?? ""
    let start = "The collector sustained the generator’s maximum load\(most)"
    guard let trial, let why = trial.invalid else { return "\(start)." }
    let advice: String =
      switch trial.limitedBy {
      case .core?: "use a faster or less busy core for it"
      case .stolenTime?: "use a machine with dedicated cores"
      case .pauses?, nil: "stop other processes on this machine"
      }
    return
      "\(start); at \(Figure.quantity(trial.load)) the trial was invalid (\(why)): \(advice)."
  }
}
