/// How a push ended: the first gate that stopped the push, in the order of the cases.
package enum WakeOutcome: String, CaseIterable, Sendable, Codable, BitwiseCopyable {
  case rejected, unregistered
  case switchedOff = "switched-off"
  case offline, overwritten, expired
  case forceQuit = "force-quit"
  case lowPower = "low-power"
  case refreshOff = "refresh-off"
  case throttled
  // On Android the system's own words stand for these gates.
  /// A push of normal priority waited for the end of Doze (AFC1).
  case doze
  /// A push of high priority was one too many for the app's standby bucket, and waited (AFC3).
  case bucketQuota = "bucket-quota"
  /// A push of high priority was lowered because it shows nothing, and waited (AFC4).
  case deprioritized
  /// Nothing reaches the app until its owner opens it (AFC11).
  case stopped
  /// The provider discarded all messages that it stored for the phone (AFC5).
  case storeFull = "store-full"
  /// The push was an alert, which gives no background time.
  case alertOnly = "alert-only"
  case beforeFirstUnlock = "before-first-unlock"
  case appCrashed = "app-crashed"
  case noPermission = "no-permission"
  case noFix = "no-fix"
  case uploadFailed = "upload-failed"
  /// The push caused a fix, but after W.
  case late
  case caused
  /// The phone reported by itself before delivery.
  case raced
  /// The push is still held, or was requested too near the end; ratios leave such pushes out.
  case pending

  /// Whether only pushes to Android end so.
  package var isOfAndroid: Bool {
    [.doze, .bucketQuota, .deprioritized, .stopped, .storeFull].contains(self)
  }
}

/// A silent push, sent or withheld, with what server and simulator know about it.
package struct WakePush: Equatable, Sendable, BitwiseCopyable {
  package enum Counterfactual: Equatable, Sendable, BitwiseCopyable {
    case unknown
    case silent
    case reported(after: SimDuration)
  }

  /// The instant of the sweep that requested the push.
  package let requestedAt: SimInstant
  /// The instant of the answer's arrival; `distantFuture` without an answer.
  private var answeredAt = SimInstant.distantFuture
  private var causedAt = SimInstant.distantFuture
  /// When a report came with the push withheld: `distantFuture` if never, `distantPast` if unknown.
  private var counterfactualAt = SimInstant.distantPast
  package var phone: UInt32
  package var cohort: UInt16 = 0
  package var system: UInt16 = 0
  package var type: UInt8 = 0
  /// The hour of the day in the city's time zone: 0 … 23.
  package var hour: UInt8 = 0
  package var isWithheld = false
  /// Whether the phone's policy answers a push with a new position. A push without such an answer
  /// counts only in the ledger, its outcomes and the ratios of its cohort.
  package var canBeAnswered = true
  /// The time until the report that counts as the answer; nil if none came within the longest W.
  package var answeredAfter: SimDuration? {
    get { after(answeredAt) }
    set { answeredAt = instant(newValue) }
  }
  /// How the push ended; without meaning for a withheld push.
  package var outcome = WakeOutcome.pending
  /// The time until a fix from the push's wake reached the server; nil if none did.
  package var causedAfter: SimDuration? {
    get { after(causedAt) }
    set { causedAt = instant(newValue) }
  }
  /// What happens without the push; `unknown` if that was not simulated.
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

  package init(phone: UInt32, requestedAt: SimInstant) {
    self.phone = phone
    self.requestedAt = requestedAt
  }
}

package struct UnreachableSilence: Codable, Equatable, Sendable, BitwiseCopyable {
  package var phone: UInt32
  /// How often a reachable phone would have been pushed, at least W before the end.
  package var occasions: Int
  package var answered: Int

  package init(phone: UInt32, occasions: Int, answered: Int) {
    self.phone = phone
    self.occasions = occasions
    self.answered = answered
  }
}
