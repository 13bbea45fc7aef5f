package import Figures

/// The headline figures whose dependence on the model can be asked for.
package enum SensitivityFigure: String, CaseIterable, Sendable, Codable {
  /// Share of the reachable phones' time with a position of at most the scenario's age.
  case freshness
  /// Share of the silent pushes that were answered within the scenario's time.
  case answered
  /// What tracking takes of a battery, per phone and day.
  case battery
  /// Batches that a phone sends, per day.
  case batches

  /// The figure in the record of a simulation; nil where the run cannot say it.
  package func value(in record: RunRecord) -> Double? {
    switch self {
    case .freshness: return record.freshness.reachable.share
    case .answered: return record.wake.answered?.value
    case .battery: return record.energy.perPhoneDay?.percentOfBattery
    case .batches:
      guard case .simulated(let demand) = record.demand else { return nil }
      return demand.batchesPerPhoneDay
    }
  }

  /// Is true of shares, which are written in percent.
  package var isShare: Bool {
    switch self {
    case .freshness, .answered: true
    case .battery, .batches: false
    }
  }

  /// Names the unit as files write it.
  package var unit: String {
    switch self {
    case .freshness, .answered: "share"
    case .battery: "percent-of-battery-per-phone-day"
    case .batches: "batches-per-phone-day"
    }
  }
}
