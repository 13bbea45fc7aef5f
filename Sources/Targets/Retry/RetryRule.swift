package import SimulationCore

/// What the app does where an upload was not taken, and when it sends at all.
package struct RetryRule: Equatable, Sendable {
  /// What makes the app come again after a failure.
  package enum Occasion: String, CaseIterable, Sendable, BitwiseCopyable {
    /// A timer that grows: `first`, `factor`, `longest`.
    case backoff
    /// The next interval of `every`.
    case interval
    /// The next location that the app gets, or that it is launched.
    case location
    /// Nothing: the fixes are thrown away.
    case never
  }

  /// What the app sends on after a success while more fixes wait.
  package enum Onward: String, CaseIterable, Sendable, BitwiseCopyable {
    /// Everything, request by request.
    case all
    /// As long as a whole request's worth waits; the rest at the next occasion.
    case wholeRequests = "whole-requests"
    /// Nothing until the next occasion.
    case none
  }

  /// What the app does when it is not authorized (401, or UNAUTHENTICATED).
  package enum Unauthorized: String, CaseIterable, Sendable, BitwiseCopyable {
    case asOthers = "as-others"
    case register
  }

  /// Says what makes the app come again.
  package var on = Occasion.backoff
  /// Is the wait after the first failure.
  package var first = WallDuration.seconds(5)
  /// Is what each further wait is longer by.
  package var factor = 2.0
  /// Is the longest wait.
  package var longest = WallDuration.seconds(300)
  /// Is the share of a wait by which chance makes it longer or shorter, at most.
  package var jitter = 0.0
  /// Is the time between two intervals of the app's own clock; where it is not zero, fixes are sent
  /// at its intervals alone.
  package var every = WallDuration.zero
  /// Counts how often a request is tried in all before it is thrown away; 0: for ever.
  package var attempts = 0
  /// Counts the fixes that wait at most while uploads fail, the oldest thrown away first; 0: as
  /// many as the outbox holds.
  package var buffer = 0
  /// Says what is sent on after a success.
  package var onward = Onward.all
  /// Is how long an answer is waited for.
  package var deadline = WallDuration.seconds(20)
  /// Says what the app does when it is not authorized.
  package var on401 = Unauthorized.asOthers

  /// Makes the rule that holds where nothing is written.
  package init() {}
}
