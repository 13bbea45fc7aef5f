internal import Scenarios

// The device delegates the differences between operating systems to rules. The property is inlined,
// since a call would copy the rules.

extension Device.Context {
  @inline(__always) var rules: SystemRules { profile.system.rules }
}
