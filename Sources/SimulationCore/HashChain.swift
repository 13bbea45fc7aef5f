/// A hash chain over what happened to one phone, in order.
package struct HashChain: Equatable, Sendable, BitwiseCopyable {
  /// The hash over everything combined so far; 0 for an empty chain.
  package private(set) var value: UInt64 = 0

  package init() {}

  package mutating func combine(_ tag: UInt8, _ at: SimInstant, _ details: UInt64 = 0) {
    value = Draw.mix(value ^ UInt64(bitPattern: at.microseconds) ^ UInt64(tag) << 56)
    value = Draw.mix(value ^ details)
  }
}
