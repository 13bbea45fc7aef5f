package struct HashChain: Equatable, Sendable, BitwiseCopyable {
  package private(set) var value: UInt64 = 0

  package init() {}

  package mutating func combine(_ tag: UInt8, _ at: SimInstant, _ details: UInt64 = 0) {
    value = Draw.mix(value ^ UInt64(bitPattern: at.microseconds) ^ UInt64(tag) << 56)
    value = Draw.mix(value ^ details)
  }
}
