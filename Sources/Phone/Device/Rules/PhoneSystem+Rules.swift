internal import Scenarios

// The seam between systems: the machine leaves all that differs between them to their rules. What
// follows from the rules is in a folder for each system. The properties are inlined, since a call
// would copy the rules.

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
