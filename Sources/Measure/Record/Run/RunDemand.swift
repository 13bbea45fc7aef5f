/// What is asked of a backend: the key `demand`.
package enum RunDemand: Equatable, Sendable {
  /// By the fleet of a simulation.
  case simulated(SimulatedDemand)
  /// By the phones of a plan. Capacity, which stands above this room, writes and reads it as
  /// `RunRecord.plan`.
  case planned(JSONValue)
}

/// The mean and the busiest scenario minute of `measure`, and what one phone adds in a day.
package struct SimulatedDemand: Equatable, Sendable, Codable {
  package struct Minute: Equatable, Sendable, Codable {
    package var batchesPerSecond: Double
    /// Local time, as the scenario writes it.
    package var endsAt: String

    package init(batchesPerSecond: Double, endsAt: String) {
      self.batchesPerSecond = batchesPerSecond
      self.endsAt = endsAt
    }
  }

  @Nullable package var batchesPerSecondMean: Double?
  @Nullable package var peakMinute: Minute?
  /// Left out of a run that measured no time.
  package var batchesPerPhoneDay: Double?
  package var fixesPerPhoneDay: Double?

  package init(batchesPerSecondMean: Double?, peakMinute: Minute?) {
    _batchesPerSecondMean = Nullable(wrappedValue: batchesPerSecondMean)
    _peakMinute = Nullable(wrappedValue: peakMinute)
  }
}

extension RunDemand: Codable {
  private enum Keys: String, CodingKey {
    /// Every plan has one, and no simulation.
    case curve
  }

  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .simulated(let demand): try demand.encode(to: encoder)
    case .planned(let block): try block.encode(to: encoder)
    }
  }

  package init(from decoder: any Decoder) throws {
    let isPlanned = try decoder.container(keyedBy: Keys.self).contains(.curve)
    self =
      isPlanned
      ? .planned(try JSONValue(from: decoder))
      : .simulated(try SimulatedDemand(from: decoder))
  }
}
