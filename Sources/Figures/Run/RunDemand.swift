package import Core

/// The demand on a backend: the key `demand`.
package enum RunDemand: Equatable, Sendable {
  case simulated(SimulatedDemand)
  /// The demand in a plan's record, as JSON that `RunRecord.plan` of the module Capacity decodes.
  case planned(JSONValue)
}

/// The demand in `measure`: its mean, its busiest scenario minute, and the mean per phone-day.
package struct SimulatedDemand: Equatable, Sendable, Codable {
  package struct Minute: Equatable, Sendable, Codable {
    /// Uploads started, per scenario second.
    package var batchesPerSecond: Double
    /// The end of the busiest minute in local time, formatted as in the scenario.
    package var endsAt: String

    package init(batchesPerSecond: Double, endsAt: String) {
      self.batchesPerSecond = batchesPerSecond
      self.endsAt = endsAt
    }
  }

  /// The mean rate over `measure`, per scenario second; null where no time was measured.
  @Nullable package var batchesPerSecondMean: Double?
  /// The busiest minute of `measure`; null where the timeline has none.
  @Nullable package var peakMinute: Minute?
  /// The uploads per phone-day; omitted, like the fixes below, if no time was measured.
  package var batchesPerPhoneDay: Double?
  package var fixesPerPhoneDay: Double?

  package init() {}
}

extension RunDemand: Codable {
  private enum Keys: String, CodingKey {
    /// The key that every plan has and no simulation has.
    case curve
  }

  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .simulated(let demand): try demand.encode(to: encoder)
    case .planned(let block): try block.encode(to: encoder)
    }
  }

  /// Decodes a plan if the key `curve` is there, otherwise a simulation.
  package init(from decoder: any Decoder) throws {
    let isPlanned = try decoder.container(keyedBy: Keys.self).contains(.curve)
    self =
      isPlanned
      ? .planned(try JSONValue(from: decoder))
      : .simulated(try SimulatedDemand(from: decoder))
  }
}
