package import Core

/// The rule for when the app sends, and for what the app does after a failure.
package struct RetryRule: Equatable, Sendable {
  package enum Occasion: String, CaseIterable, Sendable, BitwiseCopyable {
    /// A timer whose waits grow as set by `first`, `factor` and `longest`.
    case backoff
    case interval
    case location
    /// The app does not retry, and drops the fixes.
    case never
  }

  /// What the app sends after a success while more fixes wait.
  package enum Onward: String, CaseIterable, Sendable, BitwiseCopyable {
    /// All waiting fixes, request by request.
    case all
    /// Full requests only; the rest waits for the next occasion.
    case wholeRequests = "whole-requests"
    /// Nothing until the next occasion.
    case none
  }

  /// What the app does after an answer that denies authorization (401, or UNAUTHENTICATED).
  package enum Unauthorized: String, CaseIterable, Sendable, BitwiseCopyable {
    case asOthers = "as-others"
    case register
  }

  package var on = Occasion.backoff
  /// The wait after the first failure.
  package var first = WallDuration.seconds(5)
  /// The ratio of each further wait to the wait before.
  package var factor = 2.0
  package var longest = WallDuration.seconds(300)
  /// The maximum random change of a wait, up or down, as a share of the wait.
  package var jitter = 0.0
  /// The minimum time between two sends, not counting `onward` requests; 0 for no minimum.
  package var every = WallDuration.zero
  /// The maximum number of attempts of a request; 0 for no limit.
  package var attempts = 0
  /// The maximum number of fixes kept while uploads fail; 0 for the outbox's capacity.
  package var buffer = 0
  package var onward = Onward.all
  package var deadline = WallDuration.seconds(20)
  package var on401 = Unauthorized.asOthers

  package init() {}
}
