package import SimulationCore

/// How a push ended: charged to the first gate that stopped it, in this order.
package enum WakeOutcome: String, CaseIterable, Sendable, Codable, BitwiseCopyable {
  case rejected, unregistered
  case switchedOff = "switched-off"
  case offline, overwritten, expired
  case forceQuit = "force-quit"
  case lowPower = "low-power"
  case refreshOff = "refresh-off"
  case throttled
  /// An alert that asked for no time to run.
  case alertOnly = "alert-only"
  /// The phone was not unlocked since it started.
  case beforeFirstUnlock = "before-first-unlock"
  case appCrashed = "app-crashed"
  case noPermission = "no-permission"
  case noFix = "no-fix"
  case uploadFailed = "upload-failed"
  /// Caused a fix, after W.
  case late
  /// Caused a fix within W.
  case caused
  /// The phone reported by itself before delivery.
  case raced
  /// Held, or too near the end: outside the ratio.
  case pending
}

/// One silent push, or one that the holdout withheld: what the server and the simulator know of
/// it, joined.
package struct WakePush: Equatable, Sendable, BitwiseCopyable {
  /// What the phone would have done with this one push withheld.
  package enum Counterfactual: Equatable, Sendable, BitwiseCopyable {
    case unknown
    /// No report within the scenario's W.
    case silent
    case reported(after: SimDuration)
  }

  /// Is the scenario instant of the sweep that requested the push.
  package let requestedAt: SimInstant
  /// `distantFuture`: none.
  private var answeredAt = SimInstant.distantFuture
  private var causedAt = SimInstant.distantFuture
  /// `distantFuture`: silent; `distantPast`: unknown.
  private var counterfactualAt = SimInstant.distantPast
  /// Is the phone's number in the fleet, counted from 0.
  package var phone: UInt32
  /// Places in the scenario's lists.
  package var cohort: UInt16 = 0
  /// Is the place of the phone's OS profile among those of the fleet.
  package var system: UInt16 = 0
  /// Is the place of what it was for among the names of the types of push.
  package var type: UInt8 = 0
  /// Of the day, on the city's clock: 0 … 23.
  package var hour: UInt8 = 0
  /// Is true where the holdout withheld the push, so that it never went out.
  package var isWithheld = false
  /// Is false where the phone's policy answers no push with a new position. Such a push is in the
  /// ledger and its outcomes, and in the ratios of its cohort alone.
  package var canBeAnswered = true
  /// Until the report that the server takes for the answer; nil: none came in the longest W.
  package var answeredAfter: SimDuration? {
    get { after(answeredAt) }
    set { answeredAt = instant(newValue) }
  }
  /// Of a withheld push without meaning.
  package var outcome = WakeOutcome.pending
  /// Until the fix of its wake reached the server; nil: none did.
  package var causedAfter: SimDuration? {
    get { after(causedAt) }
    set { causedAt = instant(newValue) }
  }
  /// Says what the phone would have done without the push; `unknown` where that was not lived.
  package var counterfactual: Counterfactual {
    get {
      if counterfactualAt == .distantPast { return .unknown }
      return after(counterfactualAt).map { .reported(after: $0) } ?? .silent
    }
    set {
      switch newValue {
      case .unknown: counterfactualAt = .distantPast
      case .silent: counterfactualAt = .distantFuture
      case .reported(let after): counterfactualAt = instant(after)
      }
    }
  }

  private func after(_ instant: SimInstant) -> SimDuration? {
    instant == .distantFuture ? nil : instant - requestedAt
  }

  private func instant(_ after: SimDuration?) -> SimInstant {
    after.map { requestedAt + $0 } ?? .distantFuture
  }

  /// Makes a push without an answer whose outcome is `pending`.
  package init(phone: UInt32, requestedAt: SimInstant) {
    self.phone = phone
    self.requestedAt = requestedAt
  }
}

/// What one phone that the server cannot reach by push did while it was silent.
package struct UnreachableSilence: Codable, Equatable, Sendable, BitwiseCopyable {
  /// Is the phone's number in the fleet, counted from 0.
  package var phone: UInt32
  /// Times at which a reachable phone would have been pushed, at least W before the end.
  package var occasions: Int
  /// Of these, how often it reported by itself within W.
  package var answered: Int

  /// Makes the entry from a phone's number and its two counts.
  package init(phone: UInt32, occasions: Int, answered: Int) {
    self.phone = phone
    self.occasions = occasions
    self.answered = answered
  }
}
