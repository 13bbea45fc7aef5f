package import Core
package import Scenarios

/// The state of location consent between owner and system, in addition to the app's permission, in
/// two bytes per phone.
package struct Consent: OptionSet, Sendable, BitwiseCopyable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  // the owner
  /// AU12: The owner will answer the first request for Always with a provisional Always.
  package static let promptAhead = Consent(rawValue: 1)
  /// AU14: The owner answers Allow Once at every request.
  package static let allowsOnce = Consent(rawValue: 2)

  // now
  /// AU12: The app has Always, and the owner has not answered the second prompt.
  package static let provisional = Consent(rawValue: 4)
  /// AU12: A background event has used Always, so the second prompt comes at the next unlock.
  package static let promptWaits = Consent(rawValue: 8)
  /// AU12: An exit, a significant change or an arrival waits for the second prompt's answer.
  static let keptExit = Consent(rawValue: 16)
  static let keptChange = Consent(rawValue: 32)
  static let keptArrival = Consent(rawValue: 64)
  static let kept: Consent = [keptExit, keptChange, keptArrival]
  package static let once = Consent(rawValue: 128)
  /// AU6, AU11: The app has asked for Always, which it may do once.
  package static let askedForAlways = Consent(rawValue: 256)
  package static let reduced = Consent(rawValue: 512)
  static let reminded = Consent(rawValue: 1_024)
  /// AU13: The next reminder is due after the end of the run, so it is not in the calendar.
  static let reminderIsLate = Consent(rawValue: 2_048)
}

package enum ConsentStep: Equatable, Sendable, BitwiseCopyable {
  /// AU12: A first background event makes the system ask at the next unlock.
  case secondPromptWaits
  case secondPrompt(Authorization)
  case reminder(isTakenBack: Bool)
  case onceLapsed
  case settings(Authorization)
  case precise(Bool)
}

struct PromptAnswer: Equatable {
  var reported: Authorization
  var consent: Consent = []
}

extension Habits {
  package func consent(of phone: PhoneID) -> Consent {
    var draw = Draw(seed: seed, phone: phone.rawValue, .permissionHabits)
    let (ahead, once) = (draw.uniform(), draw.uniform())
    switch authorization(of: phone) {
    case .always: return ahead < mix.permission.secondPromptAhead ? .promptAhead : []
    case .whenInUse:
      if traits(of: phone).contains(.provisional) { return .promptAhead }
      let rest = mix.whenInUse * (1 - provisionalShare)
      return once * rest < mix.permission.allowOnce ? .allowsOnce : []
    case .denied, .notDetermined: return []
    }
  }
}

/// The owners' decisions about location after the first prompt. All draws are keyed by phone and
/// instant.
package struct PermissionConditions: Sendable, BitwiseCopyable {
  private let seed: UInt64
  private let always, whenInUse, reduced: Double
  private let habits: PermissionHabits
  /// AU16: The length of a period with at most one change in Settings.
  private let slot: SimDuration
  private let changesInSlot: Double

  let end: SimInstant

  package init(seed: UInt64, mix: PhoneMix, until end: SimInstant = .distantFuture) {
    self.seed = seed
    self.end = end
    (always, whenInUse, reduced) = (mix.always, mix.whenInUse, mix.reducedAccuracy)
    habits = mix.permission
    let year = SimDuration.hours(24 * 365)
    let rate = mix.permission.changesPerYear
    slot = min(.hours(24 * 30), SimDuration(seconds: year.seconds / max(rate, 1)))
    changesInSlot = rate * slot.seconds / year.seconds
  }

  func takesBack(at t: SimInstant, phone: PhoneID) -> Bool {
    var draw = Draw(seed: seed, phone: phone.rawValue, .reminderAnswer, t.microseconds)
    return draw.chance(habits.takenBack)
  }

  /// AU16: Returns the instant of the owner's next decision in Settings; `.distantFuture` if there
  /// is none within 24 periods of at most 30 days.
  package func nextChange(after t: SimInstant, phone: PhoneID) -> SimInstant {
    guard changesInSlot > 0 else { return .distantFuture }
    let first = t.microseconds / slot.microseconds
    for k in first..<(first + 24) {
      var draw = Draw(seed: seed, phone: phone.rawValue, .settingsChange, k)
      guard draw.chance(changesInSlot) else { continue }
      let into = Int64(draw.uniform() * Double(slot.microseconds))
      let change = SimInstant(microseconds: k * slot.microseconds + into)
      if change > t { return change }
    }
    return .distantFuture
  }

  func decision(at t: SimInstant, phone: PhoneID) -> (Authorization, isReduced: Bool) {
    var draw = Draw(seed: seed, phone: phone.rawValue, .settingsDecision, t.microseconds)
    let u = draw.uniform()
    let isReduced = draw.chance(reduced)
    if u < always { return (.always, isReduced) }
    return (u < always + whenInUse ? .whenInUse : .denied, isReduced)
  }
}
