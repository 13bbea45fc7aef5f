package import Core
internal import Scenarios

/// The needs of fleets of several sizes, from measured parts: the key `growth` of a plan's record.
package struct GrowthRecord: Equatable, Sendable, Codable {
  package enum Basis: String, Sendable, Codable {
    case measured
    case simulated
    case given
    /// The value comes from a cited source.
    case assumed
  }

  package struct Part: Equatable, Sendable, Codable {
    package var name: String
    /// The value; null if unknown, so that results that need the value are null or absent.
    @Nullable package var value: Double?
    package var unit: String
    package var basis: Basis
    package var source: String
  }

  package struct Row: Equatable, Sendable, Codable {
    package var phones: Double
    package var batchesPerSecond: Double
    /// The number of generators, each one process on its own machine.
    package var ranks: Int
    package var ranksLimitedBy: String
    /// The number of generators that each measured resource requires.
    package var ranksByResource: [String: Int]
    package var rankMemoryBytes: Double
    @Nullable package var rankCores: Double?
    package var networkOutBitsPerSecond: Double
    package var networkInBitsPerSecond: Double
    /// The share of a core with which the first rank sums the per-second results of all ranks.
    package var reduceCores: Double
    /// The collectors, spares included; null if their capacity is unknown.
    @Nullable package var collectors: Int?
    /// The number of databases like the measured one; null if no database was measured.
    @Nullable package var databases: Int?
    /// The cores of all databases; null if their processor time was not measured.
    @Nullable package var databaseCores: Int?
    /// The bytes stored in a day, all copies together.
    package var storageBytesPerDay: Double
  }

  package var instance: SizeRecord.Instance
  package var plannedShare: Double
  package var parts: [Part]
  package var rows: [Row]
  package var notMeasured: [String]

  package init(_ input: GrowthInput, phones: [Double]) {
    instance = SizeRecord.Instance(input.prices.instance)
    plannedShare = input.prices.headroom
    parts = Self.parts(input)
    rows = phones.map { Self.row(input, phones: $0) }
    notMeasured = Self.open(input)
  }

  // MARK: Rows

  /// The ports of one address for one collector: Linux's `ip_local_port_range`, 32768 to 60999.
  static let portsPerAddress = 28_232.0

  private static func row(_ input: GrowthInput, phones: Double) -> Row {
    let factor = phones / Double(max(1, input.demand.phones))
    let rate = phones * input.peakPerPhone
    var sizing = input.sizing
    sizing.demand = input.demand.grown(by: factor)
    let values = sizing.assumptions.map(\.value)
    let bytesIn = input.demand.bytesPerBatch + values[SizingInput.Name.overheadIn.rawValue]
    let bytesOut = values[SizingInput.Name.bytesOut.rawValue]
    let cores = input.sendingSeconds.map { phones * input.livingSeconds + rate * $0 }
    let needs = ranks(
      input, phones: phones, cores: cores, bits: rate * max(bytesIn, bytesOut) * 8,
      connections: sizing.demand.peakConnections)
    let most = needs.max { ($0.value, $1.key) < ($1.value, $0.key) }
    let ranks = most?.value ?? 1
    let perCore = input.capacity.perCore.low
    let size = Sizing(sizing, perCore: perCore, rate: rate, values: values)
    let database = input.capacity.database.map {
      DatabaseSize(
        $0, rate: rate + (sizing.demand.views?.peakReads ?? 0), prices: input.prices)
    }
    return Row(
      phones: phones, batchesPerSecond: rate, ranks: ranks, ranksLimitedBy: most?.key ?? "memory",
      ranksByResource: needs,
      rankMemoryBytes: phones * input.bytesPerPhone + Double(ranks) * input.bytesPerRank,
      rankCores: cores, networkOutBitsPerSecond: rate * bytesIn * 8,
      networkInBitsPerSecond: rate * bytesOut * 8,
      reduceCores: Double(ranks) * input.reduceSeconds,
      collectors: perCore > 0 ? size.total : nil, databases: database?.likeMeasured,
      databaseCores: database?.cores, storageBytesPerDay: size.storageBytesPerDay)
  }

  private static func ranks(
    _ input: GrowthInput, phones: Double, cores: Double?, bits: Double, connections: Double
  ) -> [String: Int] {
    let (bought, share) = (input.prices.instance, input.prices.headroom)
    func count(_ needed: Double, _ each: Double) -> Int {
      max(1, Int(min(1e9, (needed / max(1e-9, each)).rounded(.up))))
    }
    let memory = max(1, bought.memoryBytes * share - input.bytesPerRank)
    var needs = [
      "memory": count(phones * input.bytesPerPhone, memory),
      "network": count(bits, bought.networkBits * share),
      "connections": count(connections, portsPerAddress * share),
    ]
    if let cores { needs["cpu"] = count(cores, Double(bought.cores) * share) }
    return needs
  }
}

extension DemandRecord {
  fileprivate func grown(by factor: Double) -> DemandRecord {
    var grown = self
    grown.phones = Int((Double(phones) * factor).rounded())
    grown.curve.mean *= factor
    grown.peakConnections *= factor
    grown.views?.peakSecond *= factor
    grown.pushes *= factor
    grown.peakPushesPerMinute *= factor
    return grown
  }
}
