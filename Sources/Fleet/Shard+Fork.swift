internal import Phone
internal import PushService
internal import SimulationCore
internal import Scenarios
package import Telemetry
internal import Tracker

/// A place in which a copy of one phone lives another course of events, and is forgotten.
///
/// `@unchecked Sendable` is not needed: it belongs to one shard, and only that shard's owner
/// reaches it. A class, because a shard cannot hold a shard.
final class OtherCourse {
  fileprivate var shard: Shard

  fileprivate init(context: FleetContext, start: SimInstant) {
    shard = Shard(context: context, phones: 0..<1, start: start)
  }
}

/// What a phone would have done without a push: the same phone, the same chance, one push withheld.
///
/// A phone is a value whose chance is keyed by who it is, so its copy lives on exactly as it would
/// itself. That makes the pairs of `uplift`: answered with the push, and without it.
extension Shard {
  /// From here on the other course of every push of the measured time is lived, too.
  package mutating func startForeseeing() {
    otherCourse = OtherCourse(context: context, start: horizon)
  }

  /// Lives on, without the push, each phone that is about to be sent one, for W.
  ///
  /// Pushes too near the end of the measured time, for which nothing can be said, are left out.
  package mutating func foresee(_ pushes: [SilentPush]) {
    guard let otherCourse else { return }
    let push = context.scenario.push
    for sent in pushes where accounting.contains(sent.requestedAt) {
      guard sent.requestedAt + push.within <= accounting.end else { continue }
      let i = Int(sent.phone.rawValue) - firstPhone
      foreseen[sent.id] = otherCourse.shard.reportInstant(
        of: phones[i], pool, after: sent.requestedAt, within: push.within,
        accuracyLimitMeters: push.accuracyLimit.meters)
    }
  }

  /// Every push's ending, with what its other course came to.
  var endingsWithForesight: [PushEnding] {
    pushEndings.map { ending in
      var ending = ending
      ending.withoutItAt = foreseen[ending.id]
      return ending
    }
  }

  /// When the phone's next good fix, taken after `instant`, reaches the server; `distantFuture`:
  /// not in time.
  private mutating func reportInstant(
    of phone: PhoneRecord, _ source: OutboxPool, after instant: SimInstant,
    within: SimDuration, accuracyLimitMeters: Double
  ) -> SimInstant {
    settleIn(phone, source)
    run(0, before: instant + within + .microseconds(1))
    for order in orders where order.reachesServer <= instant + within {
      let first = Int(order.firstFix)
      let answers = orderFixes[first..<(first + Int(order.fixCount))].contains {
        $0.time > FixTime(instant) && Double($0.accuracyMeters) <= accuracyLimitMeters
      }
      if answers { return order.reachesServer }
    }
    return .distantFuture
  }

  /// Makes this shard's one phone a copy of another's.
  private mutating func settleIn(_ phone: PhoneRecord, _ source: OutboxPool) {
    pool.dropFirst(Int(phones[0].outbox.count), from: &phones[0].outbox)
    phones[0] = phone
    phones[0].outbox = OutboxHandle()
    source.forEach(first: Int(phone.outbox.count), of: phone.outbox) {
      pool.append($0, to: &phones[0].outbox)
    }
    clearOrders()
    pushEndings.removeAll(keepingCapacity: true)
    pushStatuses.removeAll(keepingCapacity: true)
  }
}
