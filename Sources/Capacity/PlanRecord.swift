package import Figures

/// What the record of a demand or a plan has and that of a run has not: the keys `demand`,
/// `capacity`, `size` and `growth` of its `run.json`.
package struct PlanRecord: Equatable, Sendable {
  /// What N phones ask of a backend.
  package var demand: DemandRecord
  /// What a collector sustains; nil: of a demand alone, nobody asked.
  package var capacity: CapacityRecord?
  /// What to buy; nil: the capacity is not known.
  package var size: SizeRecord?
  /// What fleets of several sizes take; nil: nobody asked.
  package var growth: GrowthRecord?

  /// Makes the record of a plan; without capacity and size it is of a demand alone.
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
  /// The plan that the record is of; nil: it is of a run.
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
