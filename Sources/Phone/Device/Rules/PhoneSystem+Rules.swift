internal import Scenarios

// The device delegates all differences between operating systems to rules, in one folder per
// system. The properties are inlined, since a call would copy the rules.

extension PhoneSystem {
  @inline(__always) var rules: IOSRules {
    switch self {
    case .ios(let rules): rules
    }
  }
}

extension Device.Context {
  @inline(__always) var rules: IOSRules { profile.system.rules }
}
