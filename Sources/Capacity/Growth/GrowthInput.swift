package import Scenarios

package struct GrowthInput: Sendable {
  /// The demand of the simulated phones, not scaled to the fleet.
  package var demand: DemandRecord
  package var bytesPerPhone: Double
  package var bytesPerRank: Double
  /// The processor seconds that simulate one phone for one second.
  package var livingSeconds: Double
  /// The generator's processor seconds for a batch; nil if no trial measured them.
  package var sendingSeconds: Double?
  /// The first process's processor seconds to add one second of results of another process.
  package var reduceSeconds: Double
  package var capacity: CapacityRecord
  package var prices: PriceList

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

  var peakPerPhone: Double {
    let busiest = demand.minutes.map { $0.batches.reduce(0, +) }.max() ?? 0
    return busiest / Double(max(1, demand.phones))
  }

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
  /// The generator's processor seconds for a batch, without encoding, from the largest load of a
  /// valid full trial that passed; nil without such a trial.
  package var sendingSecondsPerBatch: Double? {
    let full = trials.filter { trial in
      trial.kind == .full && trial.invalid == nil && !trial.isHigh
        && trial.acknowledgedPerSecond > 0
    }
    return full.max { $0.load < $1.load }.map { $0.generatorCores / $0.acknowledgedPerSecond }
  }
}
