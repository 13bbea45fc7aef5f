package import Core

/// One sweep's choice of one phone: a push, or a control whose push is withheld. The store writes
/// `pushID`, `at` and `isWithheld` only. An occasion takes 32 bytes.
package struct WakeOccasion: Codable, Equatable, Sendable, BitwiseCopyable {
  /// The id of the sent or withheld push: sweep number (upper 32 bits) and phone.
  package var pushID: UInt64
  package let at: SimInstant
  /// The arrival of the answer, or `distantFuture` without an answer.
  private var answer = SimInstant.distantFuture
  /// Whether the holdout withheld the push (a control).
  package var isWithheld: Bool
  /// The scenario time from the sweep to the arrival of the first good fix taken after the sweep.
  /// nil if no good fix arrived within the longest window, while the occasion was open.
  package internal(set) var answeredAfter: SimDuration? {
    get { answer == .distantFuture ? nil : answer - at }
    set { answer = newValue.map { at + $0 } ?? .distantFuture }
  }
  /// Whether W was not over at the end of the measured time. Ratios omit pending occasions.
  package internal(set) var isPending = false
  package var manner: PushManner

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

  package var phone: PhoneID { PhoneID(rawValue: UInt32(truncatingIfNeeded: pushID)) }

  package func isAnswered(within limit: SimDuration) -> Bool {
    answeredAfter.map { $0 <= limit } ?? false
  }

  func push(storedFor expiration: SimDuration) -> SilentPush {
    SilentPush(id: pushID, phone: phone, requestedAt: at, expiration: at + expiration)
  }
}

extension Sheet {
  mutating func count(_ occasion: WakeOccasion) {
    self[occasion.isWithheld ? .pushesWithheld : .pushesRequested] += 1
    self[occasion.isWithheld ? .withheldEligible : .pushesEligible] += 1
  }

  mutating func countAnswer(to occasion: WakeOccasion) {
    self[occasion.isWithheld ? .withheldAnswered : .pushesAnswered] += 1
  }

  mutating func setPending(_ occasion: WakeOccasion, within limit: SimDuration) {
    self[occasion.isWithheld ? .withheldEligible : .pushesEligible] -= 1
    guard occasion.isAnswered(within: limit) else { return }
    self[occasion.isWithheld ? .withheldAnswered : .pushesAnswered] -= 1
  }
}

struct MeasureWindow: Equatable, Sendable {
  var start = SimInstant.distantFuture
  var end = SimInstant.distantFuture

  func contains(_ instant: SimInstant) -> Bool { start <= instant && instant <= end }
}
