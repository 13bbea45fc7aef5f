package import Core

/// The operating system of a phone, with its rules. Only this type distinguishes systems.
///
/// A case holds the settings that only its system has. `OSProfile` holds the settings of location
/// services, which all systems have. `Sources/Phone/Device/Rules` applies the rules, and
/// `Sources/Push/Delivery/PushRefusal.swift` determines the push service's answers.
package enum PhoneSystem: Equatable, Sendable, BitwiseCopyable {
  case ios(IOSRules)

  package static let names = ["iOS"]

  static let blank = PhoneSystem.ios(IOSRules())

  package var ios: IOSRules {
    get {
      switch self {
      case .ios(let rules): rules
      }
    }
    set { self = .ios(newValue) }
  }

  package var provider: ProviderKind {
    switch self {
    case .ios: .apns
    }
  }

  /// The run time that the system grants a background task (LC5).
  package var backgroundTaskBudget: SimDuration {
    switch self {
    case .ios(let rules): rules.backgroundTaskBudget
    }
  }

  /// Whether an app that locates in the background without an indicator may be suspended.
  package var suspendsHiddenStandard: Bool {
    switch self {
    case .ios(let rules): rules.suspendsHiddenStandard
    }
  }

  static var keys: [Field<PhoneSystem>] { IOSRules.keys.map { Field($0, of: \.ios) } }
}

package enum ProviderKind: UInt8, Sendable, BitwiseCopyable {
  case apns
}
