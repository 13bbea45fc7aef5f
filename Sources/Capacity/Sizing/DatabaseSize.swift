package import Figures
internal import Scenarios
internal import SimulationCore

/// What the database of the collectors needs, apart from them.
package struct DatabaseSize: Equatable, Sendable, Codable {
  /// Is what a core of it carries, in batches a second, at least; null: its processor time was not
  /// seen.
  @Nullable package var perCore: Double?
  /// Is the number of cores for the peak, at the planned share; null: as before.
  @Nullable package var cores: Int?
  /// Is the share of those cores that the peak uses; null: as before.
  @Nullable package var utilisation: Double?
  /// Is the number of databases such as the one that was measured which the peak asks for; more
  /// than one means that each has collectors and phones of its own.
  package var likeMeasured: Int
  /// Is the number of instances of the price list: with one of them all cores that are needed are
  /// in one server; null: its processor time was not seen.
  @Nullable package var instances: Int?
  /// Is what those instances cost for a month, in the currency of the price list.
  package var costPerMonth: Double

  /// - Parameters:
  ///   - rate: that the backend must sustain, in batches a second.
  ///   - headroom: the share of what a core carries that is planned with.
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
