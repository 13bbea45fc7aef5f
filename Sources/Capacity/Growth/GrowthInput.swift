package import Scenarios

/// All that the growth of a fleet is computed from.
package struct GrowthInput: Sendable {
  /// Is the demand of the phones that were lived, not scaled.
  package var demand: DemandRecord
  /// Is the memory that a fleet allocates for a phone, in bytes.
  package var bytesPerPhone: Double
  /// Is the memory of a process before any phone lives in it, in bytes.
  package var bytesPerRank: Double
  /// Is the processor time in which a phone lives a second, in seconds.
  package var livingSeconds: Double
  /// Is the generator's processor time of a batch, in seconds; nil: no trial has shown it.
  package var sendingSeconds: Double?
  /// Is the processor time in which the first process adds a second of one process, in seconds.
  package var reduceSeconds: Double
  /// Is what a collector and its database sustain.
  package var capacity: CapacityRecord
  /// Says what ranks, collectors and databases are bought in.
  package var prices: PriceList

  /// Makes an input from its parts.
  package init(
    demand: DemandRecord, bytesPerPhone: Double, bytesPerRank: Double, livingSeconds: Double,
    sendingSeconds: Double?, reduceSeconds: Double, capacity: CapacityRecord, prices: PriceList
  ) {
    self.demand = demand
    self.bytesPerPhone = bytesPerPhone
    self.bytesPerRank = bytesPerRank
    self.livingSeconds = livingSeconds
    self.sendingSeconds = sendingSeconds
    self.reduceSeconds = reduceSeconds
    self.capacity = capacity
    self.prices = prices
  }

  /// Is the rate of batches of the busiest minute, a phone.
  var peakPerPhone: Double {
    let busiest = demand.minutes.map { $0.batches.reduce(0, +) }.max() ?? 0
    return busiest / Double(max(1, demand.phones))
  }

  /// Is what is assumed of the size of things, as for a plan of one collector.
  var sizing: SizingInput {
    var input = SizingInput(
      demand: demand, perCore: capacity.perCore, prices: prices, delay: 1,
      bytesStored: capacity.storedBytesPerBatch, residentBytes: capacity.residentBytes,
      tls: capacity.tls)
    input.database = capacity.database
    return input
  }
}

extension CapacityRecord {
  /// Is the generator's processor time of a batch in the largest full trial that counts and was
  /// carried, in seconds; nil: there is none. Its batches were encoded beforehand.
  package var sendingSecondsPerBatch: Double? {
    let full = trials.filter { trial in
      trial.kind == .full && trial.invalid == nil && !trial.isHigh
        && trial.acknowledgedPerSecond > 0
    }
    return full.max { $0.load < $1.load }.map { $0.generatorCores / $0.acknowledgedPerSecond }
  }
}
