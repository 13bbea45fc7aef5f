package import Figures
internal import Scenarios
internal import SimulationCore

/// What to buy: the key `size` of a plan's `run.json`.
package struct SizeRecord: Equatable, Sendable, Codable {
  /// A number of instances, and from how many to how many.
  package struct Interval: Equatable, Sendable, Codable {
    /// Is the lower end, in instances; of a cost in the record's `currency`.
    package var low: Double
    /// Is the upper end, in instances; of a cost in the record's `currency`.
    package var high: Double
  }

  /// Describes the type of instance that the size is counted in, from the price list.
  package struct Instance: Equatable, Sendable, Codable {
    /// Is the provider's name of the type.
    package var name: String
    /// Is the number of processor cores.
    package var cores: Int
    /// Is the memory, in bytes.
    package var memoryBytes: Double
    /// Is the network rate each way, in bits a second.
    package var networkBits: Double
  }

  /// A policy in the place of every cohort's own.
  package struct Alternative: Equatable, Sendable, Codable {
    /// Is the name of the policy that all cohorts were given.
    package var policy: String
    /// Is the number of phones that were lived in virtual time for it.
    package var livedPhones: Int
    /// Is the mean number of batches that a phone sends in 24 h under it.
    package var batchesPerPhoneDay: Double
    /// Is the rate that the backend must sustain at the same delay, in batches a second, with its
    /// 95 % interval.
    package var rate: Ratio
    /// Is the number of instances to buy, spares and zones included.
    package var instances: Int
    /// Is what a day adds to the stores, all copies together, in bytes.
    package var storageBytesPerDay: Double
    /// Is what the backend receives in a day, in bytes.
    package var trafficInBytesPerDay: Double
    /// Is the share of the push quota that the busiest minute takes; above 1 the quota is too
    /// small.
    package var pushQuotaShare: Double
    /// Is what instances, storage, outgoing traffic and pushes cost for a month, in the record's
    /// `currency`.
    package var costPerMonth: Double
    /// Says what the policy does for freshness, battery and pushes; nil: it was not kept.
    package var served: ServedPhones?
  }

  /// Is the number of phones that the demand is of.
  package var phones: Int
  /// Describes the type of instance that is bought.
  package var instance: Instance
  /// What an ack may wait, seconds, and the rate that follows, batches a second.
  package var delay: Double
  /// Is the rate that the backend must sustain at `delay`, in batches a second, with its 95 %
  /// interval.
  package var rate: Ratio
  /// What a core is taken to carry: the lower end of what was found.
  package var perCore: Double
  /// Phones whose demand a core carries, at `rate` and without headroom; three digits of it.
  package var phonesPerCore: Double
  /// Is the number of instances that may fail at the peak.
  package var spare: Int
  /// Is the number of zones over which the instances are spread; with 1 no zone may fail.
  package var zones: Int
  /// Is the share of what an instance sustains that is planned with, 0 ... 1: `headroom` of the
  /// price list.
  package var plannedShare: Double
  /// Is how long batches are kept, in days.
  package var retentionDays: Double
  /// Is the number of copies of each batch that are kept.
  package var replication: Int
  /// Is the growth of the fleet in a month, as a share.
  package var growthPerMonth: Double
  /// Estimated with the values of the assumptions.
  package var instances: Int
  /// Is the number of instances for the peak, without spares.
  package var needed: Int
  /// Is `needed` and one.
  package var withOneSpare: Int
  /// Is `needed` and two.
  package var withTwoSpares: Int
  /// Is the least number of instances, spread evenly over the zones, of which `needed` are left
  /// when one zone fails.
  package var withZoneLoss: Int
  /// Is the resource that asks for the most instances.
  package var limiting: Sizing.Resource
  /// Is the number of cores of `instances` together.
  package var cores: Int
  /// Is the memory of `instances` together, in bytes.
  package var memoryBytes: Double
  /// Holds what the peak asks of each resource.
  package var needs: [Sizing.Need]
  /// Is what the backend receives at the peak, in bits a second.
  package var networkInBitsPerSecond: Double
  /// Is what the backend sends at the peak, in bits a second.
  package var networkOutBitsPerSecond: Double
  /// Is what a day adds to the stores, all copies together, in bytes.
  package var storageBytesPerDay: Double
  /// Is what the stores hold once the retention time has passed, all copies together, in bytes.
  package var storedBytes: Double
  /// Is what the backend receives in a day, in bytes.
  package var trafficInBytesPerDay: Double
  /// Is what the backend sends in a day, in bytes.
  package var trafficOutBytesPerDay: Double
  /// Counts the pushes of the busiest minute.
  package var pushesPerMinute: Double
  /// Is the share of the push quota that the busiest minute takes; above 1 the quota is too small.
  package var pushQuotaShare: Double
  /// Is how many times the peak the `needed` instances carry at the planned share, 1 or more.
  package var headroom: Double
  /// Is the number of days until growth has used up `headroom`; null: the fleet does not grow.
  @Nullable package var daysUntilExhausted: Double?
  /// Is the currency of all costs, as the price list names it.
  package var currency: String
  /// Is what instances, storage, outgoing traffic and pushes cost for a month.
  package var costPerMonth: Double
  /// Of `instances`, from demand and capacity as they were sampled …
  package var sampling: Interval
  /// … and from what the assumptions may be instead.
  package var inputs: Interval
  /// Of the two, the outer ends.
  package var interval: Interval
  /// Is the range of the cost for a month over what the assumptions may be.
  package var costInterval: Interval
  /// Holds the assumptions with their ranges and sources.
  package var assumptions: [Assumption]
  /// Which assumption moves the number of instances, or the storage, by how much: the correlation
  /// of ranks over the points that were tried.
  package var sensitivity: [Sensitivity]
  /// How many instances the limiting resource asks for, in parts of one, when one assumption is at
  /// an end of its range and all others stay.
  package var swings: [Swing]
  /// Compares the policies that were asked about in place of the cohorts' own.
  package var alternatives: [Alternative] = []
  /// What the collectors' database needs beside the instances; null: each collector has a file.
  @Nullable package var database: DatabaseSize?
  /// null: nobody kept the single arrivals.
  @Nullable package var storm: StormRecord?
  /// As long as it is true, it stands beside every answer.
  package var caveat: String

  /// Says how strongly one assumption moves the answer: Spearman's rank correlations, −1 ... 1.
  package struct Sensitivity: Equatable, Sendable, Codable {
    /// Is the `name` of the `Assumption` that is varied.
    package var name: String
    /// Is its correlation with the bytes stored in a day.
    package var cost: Double
    /// Is its correlation with the load of the limiting resource.
    package var load: Double
  }

  /// Says how many instances one assumption makes the limiting resource ask for at its two ends.
  package struct Swing: Equatable, Sendable, Codable {
    /// Is the `name` of the `Assumption` that is varied.
    package var name: String
    /// At the assumption's low and at its high end.
    package var atLow: Double
    /// Is the load at the assumption's high end, in instances.
    package var atHigh: Double
  }

  /// Says under which conditions the capacity was found.
  private static func caveat(_ conditions: String) -> String {
    "\(conditions), phones with \(PhoneSystem.names.joined(separator: " or "))"
  }

  /// Computes the size of an input and how far it may be off; `seed` draws the points of the study.
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
    caveat = Self.caveat(input.conditions)
    _database = Nullable(
      wrappedValue: input.database.map { DatabaseSize($0, rate: demanded.value, prices: prices) })
  }

  private static func threeDigits(_ value: Double) -> Double {
    var step = 1.0
    while value >= 1_000 * step { step *= 10 }
    return (value / step).rounded(.down) * step
  }
}

extension SizeRecord.Instance {
  init(_ instance: PriceList.Instance) {
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
