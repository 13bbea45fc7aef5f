internal import Foundation
internal import Scenarios
internal import SimulationCore

/// How many instances a demand needs, resource by resource.
package struct Sizing: Equatable, Sendable {
  /// Is a resource of an instance that the peak may exhaust.
  package enum Resource: String, CaseIterable, Sendable, Codable {
    case cpu, memory
    case networkIn = "network-in"
    case networkOut = "network-out"
  }

  /// What of a resource is asked for at the peak, and what an instance gives.
  package struct Need: Equatable, Sendable, Codable {
    /// Is the resource that the other fields are of.
    package var resource: Resource
    /// Is what the peak asks of all instances together, in `unit`.
    package var demand: Double
    /// Is what an instance gives to the plan, in `unit`: its headroom is already taken off.
    package var perInstance: Double
    /// Is the unit of `demand` and `perInstance`: batches/s, bytes or bytes/s.
    package var unit: String
    /// Is the number of instances for this resource alone, at least 1.
    package var instances: Int
    /// At the peak, of the instances that are needed without spares.
    package var utilisation: Double

    /// Instances that it asks for, in parts of one.
    package var load: Double { demand / perInstance }
  }

  /// Holds the need of every resource, processor first.
  package var needs: [Need]
  /// Without spares.
  package var needed: Int
  /// Is the resource that asks for the most instances; of equals the first.
  package var limiting: Resource
  /// With the spares that were asked for, and enough when a zone is gone.
  package var total: Int
  /// Is `needed` and one.
  package var withOneSpare: Int
  /// Is `needed` and two.
  package var withTwoSpares: Int
  /// Is the least number of instances, spread evenly over the zones, of which `needed` are left
  /// when one zone fails; with one zone `needed`.
  package var withZoneLoss: Int
  /// Is what a day adds to the stores, all copies together, in bytes.
  package var storageBytesPerDay: Double
  /// Is what the stores hold once the retention time has passed, all copies together, in bytes.
  package var storedBytes: Double
  /// Is what the backend receives in a day, headers included, in bytes.
  package var trafficInBytesPerDay: Double
  /// Is what the backend sends in a day, headers included, in bytes.
  package var trafficOutBytesPerDay: Double
  /// Of the push quota, in the busiest minute.
  package var pushQuotaShare: Double
  /// Is the number of pushes that the quota allows in a minute.
  package var pushQuotaPerMinute: Double
  /// How many times the peak the instances without spares carry.
  package var headroom: Double
  /// Until they carry no more, at the growth of the price list; nil: it does not grow.
  package var daysUntilExhausted: Double?
  /// Is what instances, storage, outgoing traffic and pushes cost for a month of 365.25 / 12 days.
  package var costPerMonth: Double

  func need(of resource: Resource) -> Need {
    guard let need = needs.first(where: { $0.resource == resource }) else {
      preconditionFailure("every resource has a need, \(resource) has none")
    }
    return need
  }

  /// Instances that the limiting resource asks for, in parts of one.
  package var load: Double { needs.map(\.load).max() ?? 0 }

  static let daysPerMonth = 365.25 / 12

  /// - Parameters:
  ///   - perCore: batches a second.
  ///   - rate: that the backend must sustain, batches a second.
  ///   - values: of the assumptions, in their order.
  init(_ input: SizingInput, perCore: Double, rate: Double, values: [Double]) {
    func value(_ name: SizingInput.Name) -> Double { values[name.rawValue] }
    let (demand, prices) = (input.demand, input.prices)
    let rate = rate * value(.peakFactor)
    let cores = Double(prices.instance.cores)
    let perDay = demand.curve.mean * 86_400
    let bytesIn = demand.bytesPerBatch + value(.overheadIn)
    // A collector serves its phones and connections whether there is one more or not.
    let shared =
      Double(demand.phones) * value(.bytesPerPhone)
      + demand.peakConnections * value(.peakFactor) * value(.bytesPerConnection)
    let memory = max(1, prices.instance.memoryBytes * prices.headroom - value(.baseMemory))
    let network = prices.instance.networkBits / 8 * prices.headroom
    needs = [
      Self.need(.cpu, rate, max(1e-9, perCore * cores * prices.headroom), "batches/s"),
      Self.need(.memory, shared, memory, "bytes"),
      Self.need(.networkIn, rate * bytesIn, network, "bytes/s"),
      Self.need(.networkOut, rate * value(.bytesOut), network, "bytes/s"),
    ]
    // Of equals the first: cores are what is bought.
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

  /// So many that those of all zones but one are enough.
  private static func overZones(_ needed: Int, _ zones: Int) -> Int {
    guard zones > 1 else { return needed }
    let each = (needed + zones - 2) / (zones - 1)
    return each * zones
  }
}
