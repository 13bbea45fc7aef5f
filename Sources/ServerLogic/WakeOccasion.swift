package import SimulationCore
package import Telemetry

/// One sweep at which the scheduler chose one phone: a push, or a control whose push is withheld.
///
/// The server's whole side of a push: the backend keeps it, the collector's store writes its first
/// three members down, and a run's record is joined of it and the phone's `PushEnding`. 32 bytes.
package struct WakeOccasion: Codable, Equatable, Sendable, BitwiseCopyable {
  /// Of the push, or of the push that would have been: sweep number and phone.
  package var pushID: UInt64
  /// Is the scenario instant of the sweep.
  package let at: SimInstant
  /// `distantFuture`: none arrived.
  private var answer = SimInstant.distantFuture
  /// Is true for a control, whose push the holdout kept back.
  package var isWithheld: Bool
  /// From the sweep to the arrival of the first good fix taken after it; nil: none arrived while
  /// the occasion was open, which is up to the longest window.
  package internal(set) var answeredAfter: SimDuration? {
    get { answer == .distantFuture ? nil : answer - at }
    set { answer = newValue.map { at + $0 } ?? .distantFuture }
  }
  /// W was not over at the end of the measured time: outside the ratios.
  package internal(set) var isPending = false
  /// Says what the push was for, as its sender had it.
  package var manner: PushManner

  /// Makes the entry of a push or a control.
  package init(
    pushID: UInt64, at: SimInstant, isWithheld: Bool, answeredAfter: SimDuration? = nil,
    isPending: Bool = false, manner: PushManner = .ofScenario
  ) {
    self.manner = manner
    self.pushID = pushID
    self.at = at
    self.isWithheld = isWithheld
    self.answeredAfter = answeredAfter
    self.isPending = isPending
  }

  /// Is the phone that was chosen: the low 32 bits of the push's id.
  package var phone: PhoneID { PhoneID(rawValue: UInt32(truncatingIfNeeded: pushID)) }

  /// Is true where a good fix arrived at most `limit` after the sweep.
  package func isAnswered(within limit: SimDuration) -> Bool {
    answeredAfter.map { $0 <= limit } ?? false
  }

  func push(storedFor expiration: SimDuration) -> SilentPush {
    SilentPush(id: pushID, phone: phone, requestedAt: at, expiration: at + expiration)
  }
}

/// The wake figures of the measured time, as a server can see them.
package struct WakeTotals: Equatable, Sendable {
  /// Pushes asked for. Final after `closeMeasure`, as `eligible` is.
  package internal(set) var requested = 0
  /// Pushes asked for at least W before the end.
  package internal(set) var eligible = 0
  /// Eligible pushes that a good fix followed within W.
  package internal(set) var answered = 0
  /// The same of the controls, for the uplift.
  package internal(set) var withheld = 0
  /// Counts the controls chosen at least W before the end.
  package internal(set) var withheldEligible = 0
  /// Counts the eligible controls that a good fix followed within W.
  package internal(set) var withheldAnswered = 0
  /// What the provider answered with something else than 200.
  package internal(set) var refused = 0

  /// Makes totals at zero.
  package init() {}

  /// Counts the pushes asked for less than W before the end, which are outside the ratios.
  package var pending: Int { requested - eligible }

  mutating func add(_ occasion: WakeOccasion) {
    if occasion.isWithheld { withheld += 1 } else { requested += 1 }
    if occasion.isWithheld { withheldEligible += 1 } else { eligible += 1 }
  }

  mutating func addAnswer(to occasion: WakeOccasion) {
    if occasion.isWithheld { withheldAnswered += 1 } else { answered += 1 }
  }

  /// Takes an occasion out of the ratios; it stays requested.
  mutating func setPending(_ occasion: WakeOccasion, within limit: SimDuration) {
    let answers = occasion.isAnswered(within: limit) ? 1 : 0
    if occasion.isWithheld {
      withheldEligible -= 1
      withheldAnswered -= answers
    } else {
      eligible -= 1
      answered -= answers
    }
  }
}

/// The measured part of a run.
struct MeasureWindow: Equatable, Sendable {
  var start = SimInstant.distantFuture
  var end = SimInstant.distantFuture

  func contains(_ instant: SimInstant) -> Bool { start <= instant && instant <= end }
}
