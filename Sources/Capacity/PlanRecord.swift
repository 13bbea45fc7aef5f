internal import Core
package import Figures
internal import Foundation

/// The keys `demand`, `capacity`, `size` and `growth` in the `run.json` of a plan or a demand.
package struct PlanRecord: Equatable, Sendable {
  package var demand: DemandRecord
  package var capacity: CapacityRecord?
  /// The sizing; nil if the capacity is unknown.
  package var size: SizeRecord?
  /// The growth table; nil if not requested.
  package var growth: GrowthRecord?

  package init(
    demand: DemandRecord, capacity: CapacityRecord? = nil, size: SizeRecord? = nil,
    growth: GrowthRecord? = nil
  ) {
    self.demand = demand
    self.capacity = capacity
    self.size = size
    self.growth = growth
  }
}

extension RunRecord {
  /// The reason why a plan's record cannot be read; nil if it can, or if there is no plan.
  package var planDamage: String? {
    guard case .planned(let block) = demand else { return nil }
    func damage<Block: Decodable>(_ key: String, _ block: JSONValue?, _: Block.Type) -> String? {
      guard let block else { return nil }
      do {
        _ = try JSONDecoder().decode(Block.self, from: try JSONEncoder().encode(block))
        return nil
      } catch {
        return "\(key).\((error as? DecodingError)?.words ?? "\(error)")"
      }
    }
    let found =
      damage("demand", block, DemandRecord.self) ?? damage(
        "capacity", capacity, CapacityRecord.self)
      ?? damage("size", size, SizeRecord.self) ?? damage("growth", growth, GrowthRecord.self)
    if let found { return found }
    let isWhole = plan.map { plan in
      let demand = plan.demand
      return demand.batchesPerPolicy.count == demand.policies.count
        && demand.minutes.allSatisfy { $0.batches.count == demand.policies.count }
    }
    return isWhole == true ? nil : "demand has minutes of other policies"
  }

  package var plan: PlanRecord? {
    get {
      guard case .planned(let block) = demand, let demand = block.decoded(as: DemandRecord.self)
      else { return nil }
      return PlanRecord(
        demand: demand, capacity: capacity?.decoded(as: CapacityRecord.self),
        size: size?.decoded(as: SizeRecord.self),
        growth: growth?.decoded(as: GrowthRecord.self))
    }
    set {
      demand = newValue.map { .planned(JSONValue(encoding: $0.demand)) }
      capacity = newValue?.capacity.map { JSONValue(encoding: $0) }
      size = newValue?.size.map { JSONValue(encoding: $0) }
      growth = newValue?.growth.map { JSONValue(encoding: $0) }
    }
  }
}
