package import Core

/// The demand on a backend: the key `demand`.
package enum RunDemand: Equatable, Sendable {
  case simulated(SimulatedDemand)
  /// By the phones of a plan. Capacity, which depends on this module, codes it as `RunRecord.plan`.
  case planned(JSONValue)
}

/// The mean and the busiest scenario minute of `measure`, and the demand per phone-day.
package struct SimulatedDemand: Equatable, Sendable, Codable {
  package struct Minute: Equatable, Sendable, Codable {
    /// Uploads started, per scenario second.
    package var batchesPerSecond: Double
    /// Local time, as the scenario writes it.
    package var endsAt: String

    package init(batchesPerSecond: Double, endsAt: String) {
      self.batchesPerSecond = batchesPerSecond
      self.endsAt = endsAt
    }
  }

  /// Over `measure`, per scenario second; null where no time was measured.
  @Nullable package var batchesPerSecondMean: Double?
  /// The busiest minute of `measure`; null where the timeline has none.
  @Nullable package var peakMinute: Minute?
  /// Omitted if no time was measured.
  package var batchesPerPhoneDay: Double?
  package var fixesPerPhoneDay: Double?

  package init() {}
}

extension RunDemand: Codable {
  private enum Keys: String, CodingKey {
    /// In every plan and in no simulation.
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
