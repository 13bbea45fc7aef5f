package import SimulationCore

/// What a backend is bought in, what it costs, and what is asked of it beside its load: a
/// `prices.yaml`.
package struct PriceList: Equatable, Sendable {
  /// Describes the machine that a collector is run on.
  package struct Instance: Equatable, Sendable {
    /// The provider's name of the instance type, as reports print it.
    package var name: String
    /// The number of its processor cores.
    package var cores: Int
    /// Is its memory, in bytes.
    package var memoryBytes: Double
    /// Each way, bits a second.
    package var networkBits: Double
    /// For an hour.
    package var price: Double
  }

  /// What prices are in.
  package var currency: String
  /// The type of instance that the backend consists of.
  package var instance: Instance
  /// For a gigabyte (10⁹ bytes) stored for a month.
  package var storage: Double
  /// For a gigabyte that leaves.
  package var trafficOut: Double
  /// For a million silent pushes.
  package var pushes: Double
  /// How long batches are kept, and how many times.
  package var retention: SimDuration
  /// The number of copies of each batch that are kept.
  package var replication: Int
  /// Instances that may be missing at the peak.
  package var spare: Int
  /// Instances are spread over so many, of which one may be missing.
  package var zones: Int
  /// The share of what an instance sustains that is planned with.
  package var headroom: Double
  /// Of the fleet, in a month.
  package var growth: Double
  /// The rate of pushes that the provider lets through.
  package var pushQuota: Rate

  /// Without a file: a small instance, and no prices. The quota is FCM's default for a project.
  package static let unpriced = PriceList(
    currency: "none",
    instance: Instance(
      name: "reference", cores: 1, memoryBytes: 2e9, networkBits: 1e9, price: 0),
    storage: 0, trafficOut: 0, pushes: 0, retention: .hours(24 * 30), replication: 2, spare: 1,
    zones: 1, headroom: 0.75, growth: 0.05, pushQuota: Rate(perSecond: 10_000))

  /// Reads a file; every mistake at once, each with its line.
  package static func read(_ path: String) throws(ScenarioError) -> PriceList {
    let file = try SourceFile.read(path)
    var parser = YAMLParser(file.text) { .file(path, line: $0, column: $1) }
    let root = try parser.document()
    var reading = Reading(library: FileLibrary(folders: []))
    reading.diagnostics = parser.diagnostics
    guard let root else {
      throw ScenarioError([Diagnostic(origin: .whole(path), text: "is empty; write prices.")])
    }
    let prices = PriceSchema.prices.read(root, into: .unpriced, &reading)
    guard let prices, reading.diagnostics.isEmpty else { throw ScenarioError(reading.diagnostics) }
    return prices
  }
}
