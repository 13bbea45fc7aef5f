internal import Core
package import Figures

/// The keys `demand`, `capacity`, `size` and `growth` of a plan's or a demand's `run.json`.
package struct PlanRecord: Equatable, Sendable {
  package var demand: DemandRecord
  package var capacity: CapacityRecord?
  /// nil if the capacity is unknown.
  package var size: SizeRecord?
  /// nil if not requested.
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
  /// nil if the record is of a run.
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
