package import Figures
internal import Scenarios

/// What fleets of several sizes take, by arithmetic from measured parts: the key `growth` of a
/// plan's `run.json`.
package struct GrowthRecord: Equatable, Sendable, Codable {
  /// Says where a part comes from.
  package enum Basis: String, Sendable, Codable {
    /// On this machine, by the command that made the record.
    case measured
    /// Of phones in virtual time.
    case simulated
    /// By an option.
    case given
    /// From what its source says.
    case assumed
  }

  /// Is a number that rows are computed from.
  package struct Part: Equatable, Sendable, Codable {
    /// Names the part, in words.
    package var name: String
    /// Is its value; null: nothing has shown it, and what needs it is left open.
    @Nullable package var value: Double?
    /// Is the unit of the value.
    package var unit: String
    /// Says where the value comes from.
    package var basis: Basis
    /// Says how it was found, or who says so.
    package var source: String
  }

  /// Is what so many phones take.
  package struct Row: Equatable, Sendable, Codable {
    /// Counts the phones.
    package var phones: Double
    /// Is the rate of the busiest minute, in batches a second.
    package var batchesPerSecond: Double
    /// Is the number of ranks: processes with a machine each.
    package var ranks: Int
    /// Names what asks for the most of them.
    package var ranksLimitedBy: String
    /// Is the number that each resource asks for; without one that nothing has shown.
    package var ranksByResource: [String: Int]
    /// Is the memory of all ranks, in bytes.
    package var rankMemoryBytes: Double
    /// Is the number of cores that the ranks use at the peak; null: sending was not measured.
    @Nullable package var rankCores: Double?
    /// Is what all ranks send at the peak, in bits a second.
    package var networkOutBitsPerSecond: Double
    /// Is what all ranks receive at the peak, in bits a second.
    package var networkInBitsPerSecond: Double
    /// Is the share of a core in which the first rank adds the seconds of all.
    package var reduceCores: Double
    /// Is the number of collectors' instances, spares included; null: their capacity is not known.
    @Nullable package var collectors: Int?
    /// Is the number of databases such as the one that was measured; null: none was.
    @Nullable package var databases: Int?
    /// Is the number of cores of all databases; null: their processor time was not seen.
    @Nullable package var databaseCores: Int?
    /// Is what a day adds to the stores, all copies together, in bytes.
    package var storageBytesPerDay: Double
  }

  /// Describes the machine that ranks and collectors are counted in.
  package var instance: SizeRecord.Instance
  /// Is the share of what an instance has that is planned with.
  package var plannedShare: Double
  /// Holds the numbers that rows are computed from.
  package var parts: [Part]
  /// Holds a row for each size, in their order.
  package var rows: [Row]
  /// Says what nothing has shown, as sentences.
  package var notMeasured: [String]

  /// Computes what fleets of these sizes take.
  package init(_ input: GrowthInput, phones: [Double]) {
    instance = SizeRecord.Instance(input.prices.instance)
    plannedShare = input.prices.headroom
    parts = Self.parts(input)
    rows = phones.map { Self.row(input, phones: $0) }
    notMeasured = Self.open(input)
  }

  // MARK: Rows

  /// Ports of one address towards one collector: Linux's `ip_local_port_range`, 32768 to 60999.
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
      DatabaseSize($0, rate: rate, prices: input.prices)
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
  /// Returns the demand of `factor` times as many phones, in proportion.
  fileprivate func grown(by factor: Double) -> DemandRecord {
    var grown = self
    grown.phones = Int((Double(phones) * factor).rounded())
    grown.curve.mean *= factor
    grown.peakConnections *= factor
    grown.pushes *= factor
    grown.peakPushesPerMinute *= factor
    return grown
  }
}
