internal import Core
internal import Scenarios

/// The standby bucket of an app, by the time since it was opened (ASB1–ASB3).
enum StandbyBucket: UInt8, Comparable, Sendable, BitwiseCopyable {
  case active, workingSet, frequent, rare, restricted

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  init(unopenedFor time: SimDuration, _ rules: borrowing AndroidRules) {
    if let after = rules.restrictedAfter, time >= after {
      self = .restricted
    } else if time >= rules.rareAfter {
      self = .rare
    } else if time >= rules.frequentAfter {
      self = .frequent
    } else {
      self = time >= rules.workingSetAfter ? .workingSet : .active
    }
  }

  /// ASB5: The least time between two jobs of the app; zero without a limit.
  func spacing(_ rules: borrowing AndroidRules) -> SimDuration {
    switch self {
    case .active: .zero
    case .workingSet: rules.workingSetWork
    case .frequent: rules.frequentWork
    case .rare: rules.rareWork
    case .restricted: rules.restrictedWork
    }
  }

  /// AAL1: The least time between two alarms of the app; zero without a limit.
  func alarmSpacing(_ rules: borrowing AndroidRules) -> SimDuration {
    switch self {
    case .active: .zero
    case .workingSet: rules.workingSetAlarm
    case .frequent: rules.frequentAlarm
    case .rare: rules.rareAlarm
    case .restricted: rules.restrictedAlarm
    }
  }

  /// AFC3: The high-priority pushes a day beyond which pushes count as normal; nil for no limit.
  func pushes(_ rules: borrowing AndroidRules) -> UInt8? {
    switch self {
    case .active, .workingSet: nil
    case .frequent: rules.frequentPushes
    case .rare, .restricted: rules.rarePushes
    }
  }
}
