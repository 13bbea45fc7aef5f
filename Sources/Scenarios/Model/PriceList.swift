package import Core

package struct PriceList: Equatable, Sendable {
  package struct Instance: Equatable, Sendable {
    package var name: String
    package var cores: Int
    package var memoryBytes: Double
    /// The bandwidth in bits per second, in each direction.
    package var networkBits: Double
    package var price: Double
  }

  package var currency: String
  package var instance: Instance
  /// The price per gigabyte (10⁹ bytes) and month.
  package var storage: Double
  /// The price per outgoing gigabyte.
  package var trafficOut: Double
  /// The price per million silent pushes.
  package var pushes: Double
  package var retention: SimDuration
  package var replication: Int
  /// The number of instances that may fail at peak load.
  package var spare: Int
  /// The number of zones of the instances; one zone may fail.
  package var zones: Int
  /// The share of an instance's sustained load that is planned for.
  package var headroom: Double
  package var growth: Double
  package var pushQuota: Rate

  /// The list without a file: a small instance, no prices, and the push quota of an FCM project.
  package static let unpriced = PriceList(
    currency: "none",
    instance: Instance(
      name: "reference", cores: 1, memoryBytes: 2e9, networkBits: 1e9, price: 0),
    storage: 0, trafficOut: 0, pushes: 0, retention: .hours(24 * 30), replication: 2, spare: 1,
    zones: 1, headroom: 0.75, growth: 0.05, pushQuota: Rate(perSecond: 10_000))

  /// Reads a file. Throws one error with all mistakes and their lines.
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
