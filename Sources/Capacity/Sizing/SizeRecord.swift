package import Measure
internal import Scenarios
internal import SimulationCore

/// What to buy: the key `size` of a plan's `run.json`.
package struct SizeRecord: Equatable, Sendable, Codable {
  /// A number of instances, and from how many to how many.
  package struct Interval: Equatable, Sendable, Codable {
    package var low: Double
    package var high: Double
  }

  package struct Instance: Equatable, Sendable, Codable {
    package var name: String
    package var cores: Int
    package var memoryBytes: Double
    package var networkBits: Double
  }

  /// A policy in the place of every cohort's own.
  package struct Alternative: Equatable, Sendable, Codable {
    package var policy: String
    package var livedPhones: Int
    package var batchesPerPhoneDay: Double
    package var rate: Ratio
    package var instances: Int
    package var storageBytesPerDay: Double
    package var trafficInBytesPerDay: Double
    package var pushQuotaShare: Double
    package var costPerMonth: Double
    package var served: ServedPhones?
  }

  package var phones: Int
  package var instance: Instance
  /// What an ack may wait, seconds, and the rate that follows, batches a second.
  package var delay: Double
  package var rate: Ratio
  /// What a core is taken to carry: the lower end of what was found.
  package var perCore: Double
  /// Phones whose demand a core carries, at `rate` and without headroom; three digits of it.
  package var phonesPerCore: Double
  package var spare: Int
  package var zones: Int
  package var plannedShare: Double
  package var retentionDays: Double
  package var replication: Int
  package var growthPerMonth: Double
  /// Estimated with the values of the assumptions.
  package var instances: Int
  package var needed: Int
  package var withOneSpare: Int
  package var withTwoSpares: Int
  package var withZoneLoss: Int
  package var limiting: Sizing.Resource
  package var cores: Int
  package var memoryBytes: Double
  package var needs: [Sizing.Need]
  package var networkInBitsPerSecond: Double
  package var networkOutBitsPerSecond: Double
  package var storageBytesPerDay: Double
  package var storedBytes: Double
  package var trafficInBytesPerDay: Double
  package var trafficOutBytesPerDay: Double
  package var pushesPerMinute: Double
  package var pushQuotaShare: Double
  package var headroom: Double
  @Nullable package var daysUntilExhausted: Double?
  package var currency: String
  package var costPerMonth: Double
  /// Of `instances`, from demand and capacity as they were sampled …
  package var sampling: Interval
  /// … and from what the assumptions may be instead.
  package var inputs: Interval
  /// Of the two, the outer ends.
  package var interval: Interval
  package var costInterval: Interval
  package var assumptions: [Assumption]
  /// Which assumption moves the number of instances, or the storage, by how much: the correlation
  /// of ranks over the points that were tried.
  package var sensitivity: [Sensitivity]
  /// How many instances the limiting resource asks for, in parts of one, when one assumption is at
  /// an end of its range and all others stay.
  package var swings: [Swing]
  package var alternatives: [Alternative] = []
  /// null: nobody kept the single arrivals.
  @Nullable package var storm: StormRecord?
  /// As long as it is true, it stands beside every answer.
  package var caveat: String

  package struct Sensitivity: Equatable, Sendable, Codable {
    package var name: String
    package var cost: Double
    package var load: Double
  }

  package struct Swing: Equatable, Sendable, Codable {
    package var name: String
    /// At the assumption's low and at its high end.
    package var atLow: Double
    package var atHigh: Double
  }

  package static let caveat = "reference collector, loopback, no TLS, phones with iOS"

  package init(_ input: SizingInput, seed: UInt64) {
    let demanded = input.demand.sustained(delay: input.delay) ?? Ratio(value: 0, low: 0, high: 0)
    let study = SizingStudy(input, demanded, seed: seed)
    let (size, prices) = (study.size, input.prices)
    phones = input.demand.phones
    instance = Instance(prices.instance)
    delay = input.delay
    rate = demanded
    perCore = input.perCore.low
    phonesPerCore =
      demanded.value > 0
      ? Self.threeDigits(Double(phones) * input.perCore.low / demanded.value) : 0
    spare = prices.spare
    zones = prices.zones
    plannedShare = prices.headroom
    retentionDays = prices.retention.seconds / 86_400
    replication = prices.replication
    growthPerMonth = prices.growth
    instances = size.total
    needed = size.needed
    withOneSpare = size.withOneSpare
    withTwoSpares = size.withTwoSpares
    withZoneLoss = size.withZoneLoss
    limiting = size.limiting
    cores = size.total * prices.instance.cores
    memoryBytes = Double(size.total) * prices.instance.memoryBytes
    needs = size.needs
    networkInBitsPerSecond = size.need(of: .networkIn).demand * 8
    networkOutBitsPerSecond = size.need(of: .networkOut).demand * 8
    storageBytesPerDay = size.storageBytesPerDay
    storedBytes = size.storedBytes
    trafficInBytesPerDay = size.trafficInBytesPerDay
    trafficOutBytesPerDay = size.trafficOutBytesPerDay
    pushesPerMinute = input.demand.peakPushesPerMinute
    pushQuotaShare = size.pushQuotaShare
    headroom = size.headroom
    _daysUntilExhausted = Nullable(wrappedValue: size.daysUntilExhausted)
    currency = prices.currency
    costPerMonth = size.costPerMonth
    sampling = study.sampling
    inputs = study.inputs
    interval = study.sampling.spanning(study.inputs)
    costInterval = study.costs
    assumptions = input.assumptions
    sensitivity = study.sensitivity
    swings = study.swings
    caveat = Self.caveat
  }

  private static func threeDigits(_ value: Double) -> Double {
    var step = 1.0
    while value >= 1_000 * step { step *= 10 }
    return (value / step).rounded(.down) * step
  }
}

extension SizeRecord.Instance {
  fileprivate init(_ instance: PriceList.Instance) {
    self.init(
      name: instance.name, cores: instance.cores, memoryBytes: instance.memoryBytes,
      networkBits: instance.networkBits)
  }
}

extension SizeRecord.Interval {
  /// The 95 % of what was tried.
  init(of values: [Double]) {
    let sorted = values.sorted()
    low = sorted.sortedQuantile(0.025, .upperInverse) ?? 0
    high = sorted.sortedQuantile(0.975, .upperInverse) ?? 0
  }

  /// From the lower of the low ends to the higher of the high ones.
  func spanning(_ other: Self) -> Self {
    Self(low: min(low, other.low), high: max(high, other.high))
  }
}

extension SizeRecord.Alternative {
  /// The same capacity, another demand.
  package init(
    _ policy: String, _ demand: DemandRecord, like input: SizingInput, served: ServedPhones? = nil
  ) {
    var input = input
    input.demand = demand
    let rate = demand.sustained(delay: input.delay) ?? Ratio(value: 0, low: 0, high: 0)
    let size = Sizing(
      input, perCore: input.perCore.low, rate: rate.value, values: input.assumptions.map(\.value))
    self.init(
      policy: policy, livedPhones: demand.livedPhones,
      batchesPerPhoneDay: demand.batchesPerPhoneDay, rate: rate, instances: size.total,
      storageBytesPerDay: size.storageBytesPerDay,
      trafficInBytesPerDay: size.trafficInBytesPerDay, pushQuotaShare: size.pushQuotaShare,
      costPerMonth: size.costPerMonth, served: served)
  }
}
