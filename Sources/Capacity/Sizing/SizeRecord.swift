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
    /// The bandwidth in each direction, in bits a second.
    package var networkBits: Double
  }

  package struct Alternative: Equatable, Sendable, Codable {
    package var policy: String
    package var livedPhones: Int
    package var batchesPerPhoneDay: Double
    /// The rate to sustain at the record's `delay`, in batches a second, with its 95 % interval.
    package var rate: Ratio
    /// The instances to buy, which include spares and suffice after the loss of a zone.
    package var instances: Int
    /// The bytes stored in a day, all copies together.
    package var storageBytesPerDay: Double
    package var trafficInBytesPerDay: Double
    /// The share of the push quota used in the busiest minute; above 1 the quota is too small.
    package var pushQuotaShare: Double
    /// The cost of instances, storage, outgoing traffic and pushes, in the record's `currency`.
    package var costPerMonth: Double
    /// How well the phones were served; nil if not recorded.
    package var served: ServedPhones?
  }

  package var phones: Int
  package var instance: Instance
  /// The acceptable delay of an ack, in seconds.
  package var delay: Double
  /// The rate to sustain at `delay`, in batches a second, with its 95 % interval.
  package var rate: Ratio
  /// The capacity of a core, in batches a second: the lower end of the measured interval.
  package var perCore: Double
  /// The reads of viewers in the busiest second, each of which takes as much of a core as a batch;
  /// absent without viewers.
  package var peakReads: Double?
  /// The phones that a core carries at `rate` and `peakReads`, without headroom, to three significant
  /// digits.
  package var phonesPerCore: Double
  /// The number of instances that may fail at the peak.
  package var spare: Int
  /// The zones over which instances are spread; with 1, the loss of a zone is not covered.
  package var zones: Int
  /// The share of an instance's capacity that is planned for, 0 ... 1: `headroom`.
  package var plannedShare: Double
  package var retentionDays: Double
  package var replication: Int
  /// The fleet's growth per month, as a share of its size.
  package var growthPerMonth: Double
  /// The instances to buy if every assumption has its value.
  package var instances: Int
  /// The instances that the peak needs, without spares.
  package var needed: Int
  package var withOneSpare: Int
  package var withTwoSpares: Int
  /// The fewest instances, spread evenly over the zones, that leave `needed` after one zone fails.
  package var withZoneLoss: Int
  package var limiting: Sizing.Resource
  package var cores: Int
  package var memoryBytes: Double
  package var needs: [Sizing.Need]
  /// The incoming traffic at the peak.
  package var networkInBitsPerSecond: Double
  package var networkOutBitsPerSecond: Double
  /// The bytes stored in a day, all copies together.
  package var storageBytesPerDay: Double
  /// The bytes stored once the retention time has passed, all copies together.
  package var storedBytes: Double
  package var trafficInBytesPerDay: Double
  package var trafficOutBytesPerDay: Double
  package var pushesPerMinute: Double
  /// The share of the push quota used in the busiest minute; above 1 the quota is too small.
  package var pushQuotaShare: Double
  /// The factor, at least 1, by which the peak may grow before `needed` instances are too few.
  package var headroom: Double
  /// The days until growth has used up `headroom`; null if the fleet does not grow.
  @Nullable package var daysUntilExhausted: Double?
  package var currency: String
  /// The cost of instances, storage, outgoing traffic and pushes, in `currency`.
  package var costPerMonth: Double
  /// The range of `instances` from the sampling of demand and capacity.
  package var sampling: Interval
  /// The range of `instances` from the ranges of the assumptions.
  package var inputs: Interval
  /// The interval from the lower of both low ends to the higher of both high ends.
  package var interval: Interval
  /// The range of `costPerMonth` over the ranges of the assumptions.
  package var costInterval: Interval
  package var assumptions: [Assumption]
  /// The rank correlation of each assumption with the storage and with the instances, in fractions.
  package var sensitivity: [Sensitivity]
  /// The number of instances, in fractions, with each assumption at either end of its range.
  package var swings: [Swing]
  package var alternatives: [Alternative] = []
  /// The database to buy; null if each collector has a file.
  @Nullable package var database: DatabaseSize?
  /// The arrivals around the peak; null if single arrivals were not recorded.
  @Nullable package var storm: StormRecord?
  /// The conditions of the measurement, which stand beside every answer.
  package var caveat: String

  /// Spearman's rank correlations of an assumption with two results, −1 ... 1.
  package struct Sensitivity: Equatable, Sendable, Codable {
    package var name: String
    /// The correlation with the bytes stored in a day.
    package var cost: Double
    /// The correlation with the fractional number of instances for the limiting resource.
    package var load: Double
  }

  package struct Swing: Equatable, Sendable, Codable {
    package var name: String
    package var atLow: Double
    package var atHigh: Double
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
    peakReads = input.demand.views?.peakReads
    let requests = demanded.value + (peakReads ?? 0)
    phonesPerCore =
      requests > 0 ? Self.threeDigits(Double(phones) * input.perCore.low / requests) : 0
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
    let reads = peakReads == nil ? "" : ", a viewer’s read counted as a batch"
    caveat = "\(input.conditions)\(reads), phones with \(input.systems.joined(separator: " and "))"
    _database = Nullable(
      wrappedValue: input.database.map { DatabaseSize($0, rate: requests, prices: prices) })
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
  /// Creates the interval of the middle 95 % of the values.
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
