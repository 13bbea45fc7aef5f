internal import Core
internal import Foundation
internal import Scenarios

package struct Sizing: Equatable, Sendable {
  package enum Resource: String, CaseIterable, Sendable, Codable {
    case cpu, memory
    case networkIn = "network-in"
    case networkOut = "network-out"
  }

  /// The demand for a resource at the peak, and the supply of one instance.
  package struct Need: Equatable, Sendable, Codable {
    package var resource: Resource
    /// The demand on all instances together, in `unit`.
    package var demand: Double
    /// The supply of one instance in `unit`, as far as it is planned for.
    package var perInstance: Double
    /// The unit: batches/s, bytes or bytes/s.
    package var unit: String
    /// The instances that this resource alone needs, at least 1.
    package var instances: Int
    /// The utilisation at the peak if there are no spare instances.
    package var utilisation: Double

    /// The instances that this resource needs, as a fractional number.
    package var load: Double { demand / perInstance }
  }

  /// The need for every resource, processor first.
  package var needs: [Need]
  /// The instances that the peak needs, without spares.
  package var needed: Int
  /// The resource that needs the most instances, or the first of several such resources.
  package var limiting: Resource
  /// The instances to buy, which include the spares and suffice after the loss of a zone.
  package var total: Int
  package var withOneSpare: Int
  package var withTwoSpares: Int
  /// The fewest instances, spread evenly over the zones, that leave `needed` after one zone fails;
  /// `needed` if there is only one zone.
  package var withZoneLoss: Int
  /// The bytes stored in a day, all copies together.
  package var storageBytesPerDay: Double
  /// The bytes stored once the retention time has passed, all copies together.
  package var storedBytes: Double
  /// The incoming traffic of a day, headers included.
  package var trafficInBytesPerDay: Double
  package var trafficOutBytesPerDay: Double
  /// The share of the push quota used in the busiest minute; above 1 the quota is too small.
  package var pushQuotaShare: Double
  package var pushQuotaPerMinute: Double
  /// The factor by which the peak may grow before `needed` instances are too few.
  package var headroom: Double
  /// The days until the price list's growth has used up `headroom`; nil if the fleet does not grow.
  package var daysUntilExhausted: Double?
  /// The cost of instances, storage, outgoing traffic and pushes in a month of 365.25 / 12 days.
  package var costPerMonth: Double

  func need(of resource: Resource) -> Need {
    guard let need = needs.first(where: { $0.resource == resource }) else {
      preconditionFailure("every resource has a need, \(resource) has none")
    }
    return need
  }

  /// The instances that the limiting resource needs, as a fractional number.
  package var load: Double { needs.map(\.load).max() ?? 0 }

  static let daysPerMonth = 365.25 / 12

  /// - Parameter perCore: A core's capacity in batches a second; `rate` is the demand.
  init(_ input: SizingInput, perCore: Double, rate: Double, values: [Double]) {
    func value(_ name: SizingInput.Name) -> Double { values[name.rawValue] }
    let (demand, prices) = (input.demand, input.prices)
    let rate = rate * value(.peakFactor)
    let reads = (demand.views?.peakReads ?? 0) * value(.peakFactor)
    let cores = Double(prices.instance.cores)
    let perDay = demand.curve.mean * 86_400
    let bytesIn = demand.bytesPerBatch + value(.overheadIn)
    // All collectors together carry this load, however many they are.
    let shared =
      Double(demand.phones) * value(.bytesPerPhone)
      + demand.peakConnections * value(.peakFactor) * value(.bytesPerConnection)
    let memory = max(1, prices.instance.memoryBytes * prices.headroom - value(.baseMemory))
    let network = prices.instance.networkBits / 8 * prices.headroom
    needs = [
      // A read counts as a batch. The bytes of reads are unknown.
      Self.need(.cpu, rate + reads, max(1e-9, perCore * cores * prices.headroom), "batches/s"),
      Self.need(.memory, shared, memory, "bytes"),
      Self.need(.networkIn, rate * bytesIn, network, "bytes/s"),
      Self.need(.networkOut, rate * value(.bytesOut), network, "bytes/s"),
    ]
    // The first of equal needs wins: the processor, since instances are bought by cores.
    let worst = needs.dropFirst().reduce(needs[0]) { $1.load > $0.load ? $1 : $0 }
    limiting = worst.resource
    needed = needs.map(\.instances).max() ?? 1
    withOneSpare = needed + 1
    withTwoSpares = needed + 2
    withZoneLoss = Self.overZones(needed, prices.zones)
    total = max(needed + prices.spare, withZoneLoss)
    headroom = Double(needed) / max(1e-9, worst.load)
    daysUntilExhausted =
      prices.growth > 0 ? log(headroom) / log(1 + prices.growth) * Self.daysPerMonth : nil
    storageBytesPerDay = perDay * value(.bytesStored) * Double(prices.replication)
    storedBytes = storageBytesPerDay * prices.retention.seconds / 86_400
    trafficInBytesPerDay = perDay * bytesIn
    trafficOutBytesPerDay = perDay * value(.bytesOut)
    pushQuotaPerMinute = prices.pushQuota.perSecond * 60
    pushQuotaShare = demand.peakPushesPerMinute * value(.peakFactor) / pushQuotaPerMinute
    let pushesPerMonth =
      demand.seconds > 0 ? demand.pushes / demand.seconds * 86_400 * Self.daysPerMonth : 0
    let bought = Double(total) * prices.instance.price * 24 * Self.daysPerMonth
    let moved = trafficOutBytesPerDay * Self.daysPerMonth / 1e9 * prices.trafficOut
    costPerMonth =
      bought + moved + storedBytes / 1e9 * prices.storage + pushesPerMonth / 1e6 * prices.pushes
  }

  private static func need(
    _ resource: Resource, _ demand: Double, _ perInstance: Double, _ unit: String
  ) -> Need {
    let instances = max(1, Int(min(1e9, (demand / perInstance).rounded(.up))))
    return Need(
      resource: resource, demand: demand, perInstance: perInstance, unit: unit,
      instances: instances, utilisation: demand / (Double(instances) * perInstance))
  }

  private static func overZones(_ needed: Int, _ zones: Int) -> Int {
    guard zones > 1 else { return needed }
    let each = (needed + zones - 2) / (zones - 1)
    return each * zones
  }
}
