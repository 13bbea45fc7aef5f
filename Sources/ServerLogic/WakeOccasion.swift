internal import Figures
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

extension Sheet {
  /// Counts a push or a control that was chosen.
  mutating func count(_ occasion: WakeOccasion) {
    self[occasion.isWithheld ? .pushesWithheld : .pushesRequested] += 1
    self[occasion.isWithheld ? .withheldEligible : .pushesEligible] += 1
  }

  /// Counts the answer to a push or a control.
  mutating func countAnswer(to occasion: WakeOccasion) {
    self[occasion.isWithheld ? .withheldAnswered : .pushesAnswered] += 1
  }

  /// Takes an occasion out of the ratios; it stays requested.
  mutating func setPending(_ occasion: WakeOccasion, within limit: SimDuration) {
    self[occasion.isWithheld ? .withheldEligible : .pushesEligible] -= 1
    guard occasion.isAnswered(within: limit) else { return }
    self[occasion.isWithheld ? .withheldAnswered : .pushesAnswered] -= 1
  }
}

/// The measured part of a run.
struct MeasureWindow: Equatable, Sendable {
  var start = SimInstant.distantFuture
  var end = SimInstant.distantFuture

  func contains(_ instant: SimInstant) -> Bool { start <= instant && instant <= end }
}
