package import Core
internal import Scenarios

/// What to buy: the key `size` of a plan's `run.json`.
package struct SizeRecord: Equatable, Sendable, Codable {
  /// A range of instances, or of costs in the record's `currency`.
  package struct Interval: Equatable, Sendable, Codable {
    package var low: Double
    package var high: Double
  }

  package struct Instance: Equatable, Sendable, Codable {
    package var name: String
    package var cores: Int
    package var memoryBytes: Double
    /// Each way, in bits a second.
    package var networkBits: Double
  }

  package struct Alternative: Equatable, Sendable, Codable {
    package var policy: String
    package var livedPhones: Int
    package var batchesPerPhoneDay: Double
    /// The rate to sustain at the same delay, in batches a second, with its 95 % interval.
    package var rate: Ratio
    /// Spares and zones included.
    package var instances: Int
    /// Of all copies together.
    package var storageBytesPerDay: Double
    package var trafficInBytesPerDay: Double
    /// Of the busiest minute; above 1 the quota is too small.
    package var pushQuotaShare: Double
    /// Instances, storage, outgoing traffic and pushes, in the record's `currency`.
    package var costPerMonth: Double
    /// nil if not kept.
    package var served: ServedPhones?
  }

  package var phones: Int
  package var instance: Instance
  /// The acceptable delay of an ack, in seconds.
  package var delay: Double
  /// The rate to sustain at `delay`, in batches a second, with its 95 % interval.
  package var rate: Ratio
  /// The assumed capacity of a core: the lower end of the measured one.
  package var perCore: Double
  /// Phones for a core at `rate`, without headroom; three digits.
  package var phonesPerCore: Double
  /// Instances that may fail at the peak.
  package var spare: Int
  /// With 1, no zone may fail.
  package var zones: Int
  /// The share of an instance's capacity that is planned for, 0 ... 1: `headroom`.
  package var plannedShare: Double
  package var retentionDays: Double
  package var replication: Int
  /// The fleet's growth, as a share.
  package var growthPerMonth: Double
  /// Estimated with the values of the assumptions.
  package var instances: Int
  /// For the peak, without spares.
  package var needed: Int
  package var withOneSpare: Int
  package var withTwoSpares: Int
  /// The fewest instances, spread evenly over the zones, that leave `needed` when one zone fails.
  package var withZoneLoss: Int
  package var limiting: Sizing.Resource
  package var cores: Int
  package var memoryBytes: Double
  package var needs: [Sizing.Need]
  /// At the peak.
  package var networkInBitsPerSecond: Double
  package var networkOutBitsPerSecond: Double
  /// Of all copies together.
  package var storageBytesPerDay: Double
  /// After the retention time, all copies together.
  package var storedBytes: Double
  package var trafficInBytesPerDay: Double
  package var trafficOutBytesPerDay: Double
  package var pushesPerMinute: Double
  /// Of the busiest minute; above 1 the quota is too small.
  package var pushQuotaShare: Double
  /// The multiple of the peak that `needed` instances carry at the planned share, 1 or more.
  package var headroom: Double
  /// When growth has used up `headroom`; null if the fleet does not grow.
  @Nullable package var daysUntilExhausted: Double?
  package var currency: String
  /// Instances, storage, outgoing traffic and pushes.
  package var costPerMonth: Double
  /// Of `instances`, from the sampling of demand and capacity …
  package var sampling: Interval
  /// … and from the ranges of the assumptions.
  package var inputs: Interval
  /// The outer ends of both.
  package var interval: Interval
  /// Over the ranges of the assumptions.
  package var costInterval: Interval
  package var assumptions: [Assumption]
  /// The rank correlations of each assumption with the number of instances and the storage.
  package var sensitivity: [Sensitivity]
  /// The instances for the limiting resource, in fractions, with an assumption at a range's end.
  package var swings: [Swing]
  package var alternatives: [Alternative] = []
  /// null if each collector has a file.
  @Nullable package var database: DatabaseSize?
  /// null if single arrivals were not kept.
  @Nullable package var storm: StormRecord?
  /// As long as it is true, it accompanies every answer.
  package var caveat: String

  /// Spearman's rank correlations of an assumption, −1 ... 1.
  package struct Sensitivity: Equatable, Sendable, Codable {
    package var name: String
    /// With the bytes stored in a day.
    package var cost: Double
    /// With the load of the limiting resource.
    package var load: Double
  }

  package struct Swing: Equatable, Sendable, Codable {
    package var name: String
    package var atLow: Double
    package var atHigh: Double
  }

  private static func caveat(_ conditions: String) -> String {
    "\(conditions), phones with \(PhoneSystem.names.joined(separator: " or "))"
  }

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
  /// The middle 95 %.
  init(of values: [Double]) {
    let sorted = values.sorted()
    low = sorted.sortedQuantile(0.025, .upperInverse) ?? 0
    high = sorted.sortedQuantile(0.975, .upperInverse) ?? 0
  }

  func spanning(_ other: Self) -> Self {
    Self(low: min(low, other.low), high: max(high, other.high))
  }
}

extension SizeRecord.Alternative {
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
