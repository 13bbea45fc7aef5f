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
  /// Is one scenario minute of the timeline.
  package struct Minute: Equatable, Sendable, Codable {
    /// Is the rate of uploads that the fleet began in it, a scenario second.
    package var batchesPerSecond: Double
    /// Local time, as the scenario writes it.
    package var endsAt: String

    /// Makes a minute from its rate and the local time at which it ends.
    package init(batchesPerSecond: Double, endsAt: String) {
      self.batchesPerSecond = batchesPerSecond
      self.endsAt = endsAt
    }
  }

  /// Is the mean rate over `measure`, a scenario second; null where no time was measured.
  @Nullable package var batchesPerSecondMean: Double?
  /// Is the busiest minute of `measure`; null where the timeline has none.
  @Nullable package var peakMinute: Minute?
  /// Left out of a run that measured no time.
  package var batchesPerPhoneDay: Double?
  /// Is the mean number of fixes in the batches of one phone and day; left out where no time was
  /// measured.
  package var fixesPerPhoneDay: Double?

  /// Makes a demand without figures.
  package init() {}
}

extension RunDemand: Codable {
  private enum Keys: String, CodingKey {
    /// Every plan has one, and no simulation.
    case curve
  }

  /// Writes the block of the simulation or of the plan, without a key that names the kind.
  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .simulated(let demand): try demand.encode(to: encoder)
    case .planned(let block): try block.encode(to: encoder)
    }
  }

  /// Reads a plan's block where the key `curve` is there, and a simulation's otherwise.
  package init(from decoder: any Decoder) throws {
    let isPlanned = try decoder.container(keyedBy: Keys.self).contains(.curve)
    self =
      isPlanned
      ? .planned(try JSONValue(from: decoder))
      : .simulated(try SimulatedDemand(from: decoder))
  }
}
