package import SimulationCore

/// Who the phones are.
package struct FleetSettings: Equatable, Sendable {
  package var phones: Int
  package var cohorts: [Cohort]
  package var phone: PhoneMix
}

/// A part of the fleet that shares a way of life, a policy and an OS.
package struct Cohort: Equatable, Sendable {
  package var name: String
  /// 0 ... 1; the shares of a fleet sum to 1.
  package var share: Double
  package var mobility: CohortMobility
  /// Index into `Scenario.policies`.
  package var policy: Int
  package var os: OSProfile
}

package enum MobilityKind: String, CaseIterable, Sendable, BitwiseCopyable {
  case commuter, cyclist, homebody
}

/// What the phones of a fleet are like. Shares are 0 ... 1, of phones or of phone-time;
/// rule book section 2.4, confidence A.
package struct PhoneMix: Equatable, Sendable {
  package var always: Double
  package var whenInUse: Double
  /// Share of phones on which the user has force-quit the app, at any time.
  package var forceQuit: Double
  /// Share of phones with Background App Refresh off.
  package var refreshOff: Double
  /// Share of phone-time in Low Power Mode.
  package var lowPower: Double
  /// Share of phone-time without a data path.
  package var offline: Double
  package var switchedOff: Double
  /// Share of phones whose push token has become invalid.
  package var unregistered: Double
  /// Foreground sessions a day.
  package var sessionsPerDay: Double
  package var sessionLength: SimDuration
}

/// The rules of an iOS generation (rule book, section 0).
package enum OSProfile: String, CaseIterable, Sendable {
  case ios7, ios12, ios15, ios17, ios26

  /// Time that a UIApplication background task buys (LC5).
  package var backgroundTaskBudget: SimDuration {
    switch self {
    case .ios7, .ios12: .seconds(180)
    case .ios15, .ios17, .ios26: .seconds(30)
    }
  }

  /// Whether significant changes, regions and visits relaunch an app that its user force-quit
  /// (LC10).
  package var relaunchesAfterForceQuit: Bool {
    switch self {
    case .ios7, .ios12, .ios15, .ios17: true
    case .ios26: false
    }
  }

  /// Whether Background App Refresh off also blocks location wakes (BR1).
  package var refreshOffBlocksLocationWakes: Bool {
    switch self {
    case .ios7, .ios12: true
    case .ios15, .ios17, .ios26: false
    }
  }
}
