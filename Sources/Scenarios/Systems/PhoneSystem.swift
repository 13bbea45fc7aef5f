package import SimulationCore

/// The operating system of a phone, with its rules: the one switch between kinds of systems.
///
/// A case holds what a profile's file says of that system alone; how its location services behave
/// is in `OSProfile`, whatever the system. What follows from the rules is decided in
/// `Sources/Phone/Device/Rules`, and what the system's push service answers in
/// `Sources/PushService/PushRefusal.swift`.
package enum PhoneSystem: Equatable, Sendable, BitwiseCopyable {
  case ios(IOSRules)

  /// The names of the systems that are modelled.
  package static let names = ["iOS"]

  /// A system without rules, which a profile's file then gives.
  static let blank = PhoneSystem.ios(IOSRules())

  /// Reads or writes the rules of an iOS generation.
  package var ios: IOSRules {
    get {
      switch self {
      case .ios(let rules): rules
      }
    }
    set { self = .ios(newValue) }
  }

  /// The service that brings pushes to phones with this system.
  package var provider: ProviderKind {
    switch self {
    case .ios: .apns
    }
  }

  /// The time that a background task buys an app (LC5).
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

  /// Are the keys of a profile that say its system's own rules, system after system.
  static var keys: [Field<PhoneSystem>] { IOSRules.keys.map { Field($0, of: \.ios) } }
}

/// The push services that bring a server's pushes to phones.
package enum ProviderKind: UInt8, Sendable, BitwiseCopyable {
  /// Apple's push notification service.
  case apns
}
