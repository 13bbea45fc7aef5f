package import Core
internal import Scenarios

package struct DatabaseSize: Equatable, Sendable, Codable {
  /// The lowest capacity of a database core, in batches a second; null if not measured.
  @Nullable package var perCore: Double?
  /// The cores for the peak at the planned share; null if `perCore` is null.
  @Nullable package var cores: Int?
  /// The share of `cores` used at the peak; null if `perCore` is null.
  @Nullable package var utilisation: Double?
  /// The number of databases like the measured one; if several, each has its own collectors.
  package var likeMeasured: Int
  /// The instances of the price list that have `cores` together, and stand for one server with all
  /// cores; null if `perCore` is null.
  @Nullable package var instances: Int?
  package var costPerMonth: Double

  /// - Parameter rate: The rate to sustain, in batches a second.
  /// - Parameter headroom: The share of a core's capacity that is planned for.
  init(_ capacity: DatabaseCapacity, rate: Double, prices: PriceList) {
    func count(_ carried: Double) -> Int {
      max(1, Int(min(1e9, (rate / max(1e-9, carried * prices.headroom)).rounded(.up))))
    }
    let cores = capacity.perCore.map { count($0.low) }
    let each = prices.instance.cores
    let instances = cores.map { ($0 + each - 1) / each }
    let perCore = capacity.perCore?.low
    _perCore = Nullable(wrappedValue: perCore)
    _cores = Nullable(wrappedValue: cores)
    _utilisation = Nullable(
      wrappedValue: perCore.flatMap { perCore in cores.map { rate / (perCore * Double($0)) } })
    likeMeasured = count(capacity.carried.low)
    _instances = Nullable(wrappedValue: instances)
    costPerMonth = Double(instances ?? 0) * prices.instance.price * 24 * Sizing.daysPerMonth
  }
}
