package import Measure

/// What the record of a demand or a plan has and that of a run has not: the keys `demand`,
/// `capacity` and `size` of its `run.json`.
package struct PlanRecord: Equatable, Sendable {
  /// What N phones ask of a backend.
  package var demand: DemandRecord
  /// What a collector sustains; nil: of a demand alone, nobody asked.
  package var capacity: CapacityRecord?
  /// What to buy; nil: the capacity is not known.
  package var size: SizeRecord?

  /// Makes the record of a plan; without capacity and size it is of a demand alone.
  package init(
    demand: DemandRecord, capacity: CapacityRecord? = nil, size: SizeRecord? = nil
  ) {
    self.demand = demand
    self.capacity = capacity
    self.size = size
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
        size: size?.decoded(as: SizeRecord.self))
    }
    set {
      demand = newValue.map { .planned(JSONValue(encoding: $0.demand)) }
      capacity = newValue?.capacity.map { JSONValue(encoding: $0) }
      size = newValue?.size.map { JSONValue(encoding: $0) }
    }
  }
}
