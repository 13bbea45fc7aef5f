internal import Core
internal import Phone

/// Simulates how a copy of a phone, with the same draws, behaves without a push, for `uplift`. Only
/// the shard's owner accesses it. The type is a class, because a shard cannot contain a shard.
final class Counterfactual {
  private var shard: Shard

  init(context: FleetContext, start: SimInstant) {
    shard = Shard(context: context, phones: 0..<1, start: start)
  }

  /// Returns when a fix that is taken after `instant` and accurate enough reaches the server;
  /// `distantFuture` if no such fix does so within `within`.
  func reportInstant(
    of phone: Device, _ source: borrowing Effects, after instant: SimInstant,
    within: SimDuration, accuracyLimitMeters: Double
  ) -> SimInstant {
    place(phone, source)
    shard.run(&shard.phones[0], before: instant + within + .microseconds(1))
    for order in shard.orders where order.reachesServer <= instant + within {
      let first = Int(order.firstFix)
      // The server judges fixes by the phone's timestamps, and so does this comparison.
      var stamps = shard.context.stamps(of: phone.id, cohort: Int(phone.cohort))
      let answers = shard.orderFixes[first..<(first + Int(order.fixCount))].contains {
        Double($0.accuracyMeters) <= accuracyLimitMeters
          && stamps.stamp($0.time) > FixTime(instant)
      }
      if answers { return order.reachesServer }
    }
    return .distantFuture
  }

  private func place(_ phone: Device, _ source: borrowing Effects) {
    shard.effects.outboxes.dropFirst(
      Int(shard.phones[0].outbox.count), from: &shard.phones[0].outbox)
    shard.firstPhone = Int(phone.id.rawValue)
    shard.phones[0] = phone
    shard.phones[0].outbox = OutboxHandle()
    source.outboxes.forEach(first: Int(phone.outbox.count), of: phone.outbox) {
      shard.effects.outboxes.append($0, to: &shard.phones[0].outbox)
    }
    shard.effects.events = source.events[phone.id].map { [phone.id: $0] } ?? [:]
    shard.clearOrders()
    shard.pushEndings.removeAll(keepingCapacity: true)
    shard.messages.removeAll(keepingCapacity: true)
    shard.pushStatuses.removeAll(keepingCapacity: true)
  }
}
