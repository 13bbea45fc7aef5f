package import Scenarios
package import SimulationCore

/// What a phone's system keeps of silent pushes, whichever they were.
///
/// The one push that the server waits for is a `PushDelivery`; this is the phone's own: a push from
/// before the measured time, or one that came too late, is held and charged like any other.
package struct PushState: Sendable, BitwiseCopyable {
  /// Since when the app runs for nothing but a push; `distantFuture`: it does not.
  package var runsSince = SimInstant.distantFuture
  /// Of the app, or of its location push extension: a scenario has pushes of one kind.
  package var budget: PushBudget
  package var usedSatellites = false
  /// What keeps the one push that is held on the phone; `open`: none is.
  package var deferredBy = PushGate.open
  /// The last push met a closed gate and no report has come since.
  package var wasGated = false

  package init(_ kind: PushRequest.Kind, _ push: PhonePushSettings, now: SimInstant) {
    let capacity =
      switch kind {
      case .background, .alert: push.bucketCapacity
      case .location: push.extensionCapacity
      }
    budget = PushBudget(capacity: capacity, now: now)
  }

  package var runsForPush: Bool { runsSince < .distantFuture }

  package mutating func beginRun(now: SimInstant) {
    runsSince = now
    usedSatellites = false
  }

  /// The app runs no longer, or for another reason.
  ///
  /// - Returns: how long it ran for nothing but a push; nil: it did not.
  package mutating func endRun(now: SimInstant) -> SimDuration? {
    guard runsForPush else { return nil }
    defer { runsSince = .distantFuture }
    return max(.zero, now - runsSince)
  }
}
