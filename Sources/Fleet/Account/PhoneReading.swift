package import Core
package import Phone
internal import Push

/// The state of one phone of a live fleet, read by its shard for a screen.
package struct PhoneReading {
  /// The instant before which all of the phone's events have happened.
  package let at: SimInstant
  package let phone: Device
  /// Why the phone is stale; nil if it is fresh.
  package let cause: StaleCause?
  /// The charge in percent at `phone.drawnSince`.
  package let batteryPercent: Int
  package let last: LastSteps
}

/// The newest wake and the newest ended push of a phone, in 24 bytes.
package struct LastSteps: Sendable, BitwiseCopyable {
  /// The instant of the newest wake; `distantPast` if there was none.
  package internal(set) var wokeAt = SimInstant.distantPast
  package internal(set) var pushedAt = SimInstant.distantPast
  package internal(set) var wokenBy = DueSlot.segment
  package internal(set) var pushOutcome = WakeOutcome.pending
}

/// The last steps of a shard's phones; empty unless a screen shows the run.
struct ShardLastSteps {
  private var steps: [LastSteps] = []

  var areKept: Bool { !steps.isEmpty }
  var bytes: Int { steps.capacity * MemoryLayout<LastSteps>.stride }
  subscript(i: Int) -> LastSteps { areKept ? steps[i] : LastSteps() }

  mutating func begin(phones count: Int) {
    steps = [LastSteps](repeating: LastSteps(), count: count)
  }

  /// - Parameters:
  ///   - ran: whether the app could run before the slot's event.
  ///   - runs: whether the app can run after the event.
  @inline(__always) mutating func noteWake(
    _ i: Int, _ slot: DueSlot, ran: Bool, runs: Bool, at now: SimInstant
  ) {
    guard areKept, !ran, runs else { return }
    steps[i].wokeAt = now
    steps[i].wokenBy = slot
  }

  mutating func notePush(_ i: Int, _ ending: PushEnding) {
    // An older push may end after a newer push that was turned away.
    guard areKept, ending.requestedAt >= steps[i].pushedAt else { return }
    steps[i].pushedAt = ending.requestedAt
    steps[i].pushOutcome = ending.outcome
  }
}

extension Shard {
  /// Keeps the last steps of each phone from now on.
  package mutating func keepLastSteps() { lastSteps.begin(phones: count) }

  /// - Precondition: The phone with this number in the fleet is in this shard.
  package func read(_ number: Int) -> PhoneReading {
    let i = number - firstPhone
    var phone = phones[i]
    let isStale = phone.stored.isNever || horizon > phone.stored.time + metrics.freshness.limit
    let cause =
      isStale
      ? phone.cause(from: horizon, to: horizon, context.systems[context.system(of: phone)]) : nil
    return PhoneReading(
      at: horizon, phone: phone, cause: cause,
      batteryPercent: context.battery(Int(phone.cohort)).percent(phone.battery), last: lastSteps[i])
  }
}
