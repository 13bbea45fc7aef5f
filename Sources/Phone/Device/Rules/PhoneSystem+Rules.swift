internal import Scenarios

// The interface between systems: the machine delegates all differences between them to their rules,
// which are in a folder for each system. The properties are inlined, since a call would copy the
// rules.

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
