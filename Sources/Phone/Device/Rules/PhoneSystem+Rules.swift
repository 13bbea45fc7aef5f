internal import Scenarios

// The device delegates the differences between operating systems to rules. The properties are
// inlined, since a call would copy the rules.

extension Device.Context {
  @inline(__always) var rules: SystemRules { profile.system.rules }

  /// Whether the phones run Android.
  @inline(__always) package var isAndroid: Bool { profile.system.isAndroid }
}
