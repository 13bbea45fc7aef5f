package import Core

/// The operating system of a phone, with its rules.
///
/// `rules` are the questions that every system answers, most of them with a value of its profile.
/// `android` are the rules that only Android has. `OSProfile` holds the settings of location
/// services. `Sources/Phone/Device/Rules` and `Device+Android.swift` apply the rules, and
/// `Sources/Push/Delivery/PushRefusal.swift` determines the push service's answers.
package struct PhoneSystem: Equatable, Sendable, BitwiseCopyable {
  package var rules = SystemRules()
  /// Nil on iOS.
  package var android: AndroidRules?

  package var isAndroid: Bool { android != nil }

  /// What pushes meet on their way, where the system's profile says it; nil if the scenario does.
  package var pushWay: PushWay? {
    android.map {
      PushWay(
        uninstallTold: $0.uninstallTold, deadConnection: $0.deadConnection,
        heartbeatWifi: $0.heartbeatWifi, heartbeatCellular: $0.heartbeatCellular)
    }
  }

  package var kind: SystemKind { isAndroid ? .android : .iOS }

  package var provider: ProviderKind { isAndroid ? .fcm : .apns }

  /// AL2: Whether a push starts the app as soon as it arrives.
  package var startsAppAtOnce: Bool { isAndroid }

  /// The keys of all systems.
  static var keys: [Field<PhoneSystem>] { SystemRules.keys.map { Field($0, of: \.rules) } }

  /// The key that makes a profile one of Android.
  static var androidKey: Field<PhoneSystem> {
    Field("android", \.writtenAndroid, AndroidRules.shape, "The rules of Android; not on iOS.")
  }

  /// The rules of Android to which a profile's keys apply: those of its base, else of `android14`.
  private var writtenAndroid: AndroidRules {
    get { android ?? .standard }
    set { android = newValue }
  }
}

/// The parameters of AFC9 and ANW1.
package struct PushWay: Equatable, Sendable, BitwiseCopyable {
  package var uninstallTold: SimDuration
  package var deadConnection: Double
  package var heartbeatWifi: SimDuration
  package var heartbeatCellular: SimDuration
}

package enum ProviderKind: String, CaseIterable, Sendable, BitwiseCopyable {
  case apns, fcm

  /// Whether each push says its own priority, whatever the scenario's pushes to iPhones say.
  package var hasOwnPriority: Bool { self == .fcm }
}

extension Scenario {
  /// The names of the operating systems of the fleet's phones, in alphabetical order.
  package var systems: [String] {
    Set(fleet.cohorts.map(\.os.value.system.kind.rawValue)).sorted()
  }
}
