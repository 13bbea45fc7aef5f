package import Core
internal import Phone
internal import Scenarios

/// What a map shows of one phone at one instant.
package struct PhoneSighting: Sendable {
  package let phone: PhoneID
  package let place: Coordinate
  /// The position of the present stay; nil while the phone moves.
  package let rest: Coordinate?
  /// The time of the newest fix at the server; nil without a fix.
  package let newest: SimInstant?
  /// Why the phone is stale; meaningless while the phone is fresh.
  package let cause: StaleCause
}

extension Shard {
  /// Returns what a map shows of those phones of `numbers` that are in this shard, at the horizon.
  package func sightings(of numbers: [Int]) -> [PhoneSighting] {
    numbers.filter { (firstPhone..<firstPhone + count).contains($0) }.map { number in
      // Changing a copy keeps the store from packing the phone again.
      var phone = phones[number - firstPhone]
      let projection = context.projection(of: phone)
      let segment = phone.segment
      return PhoneSighting(
        phone: phone.id, place: projection.coordinate(of: segment.position(at: horizon)),
        rest: segment.isMoving
          ? nil : projection.coordinate(of: segment.position(at: segment.start)),
        newest: phone.stored.isNever ? nil : phone.stored.time,
        cause: phone.cause(
          from: horizon, to: horizon, context.systems[context.system(of: phone)]))
    }
  }

  /// Records what the phones of `traces` do from now on.
  fileprivate mutating func follow(_ traces: [PhoneTrace]) {
    self.traces = ShardTraces(traces, phones: firstPhone..<firstPhone + count, context)
    for trace in traces {
      let i = index(trace.phone)
      guard phones.indices.contains(i) else { continue }
      var phone = phones[i]
      trace.begin(
        phone.process.state, outbox: Int(phone.outbox.count),
        cause: phone.cause(
          from: horizon, to: horizon, context.systems[context.system(of: phone)]))
    }
  }
}

extension PhoneFleet {
  /// Records what the phones of `traces` do from now on; must not be called while a shard runs.
  package func follow(_ traces: [PhoneTrace]) { inOrder { $0.follow(traces) } }
}

extension FleetContext {
  /// Returns the home and any workplace of a phone's owner; nil for a recorded movement.
  package func homeAndWork(of phone: PhoneID) -> (home: Coordinate, work: Coordinate?)? {
    let cohort = cohort(of: Int(phone.rawValue))
    guard case .agenda(let kind) = scenario.fleet.cohorts[cohort].mobility else { return nil }
    let life = Life(town: town, phone: phone.rawValue, kind: kind)
    return (
      town.projection.coordinate(of: life.home),
      kind == .homebody ? nil : town.projection.coordinate(of: life.work)
    )
  }
}
