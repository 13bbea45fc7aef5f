package import SimulationCore

/// Is a hash chain over what happened to one phone, in order.
package struct HashChain: Equatable, Sendable, BitwiseCopyable {
  /// Is the hash over everything combined so far; 0 for an empty chain.
  package private(set) var value: UInt64 = 0

  /// Makes an empty chain.
  package init() {}

  /// Adds one event: a tag that names its kind, the instant and 64 bits of details; the order
  /// matters.
  package mutating func combine(_ tag: UInt8, _ at: SimInstant, _ details: UInt64 = 0) {
    value = Draw.mix(value ^ UInt64(bitPattern: at.microseconds) ^ UInt64(tag) << 56)
    value = Draw.mix(value ^ details)
  }
}

/// Holds the two digests of a run. They sum the chains of all phones, so that shards and threads do
/// not matter.
///
/// *world* covers what neither tracker nor server can influence; *behaviour* covers fixes
/// delivered, batches cut and intended times.
package struct Digest: Codable, Equatable, Sendable {
  /// Is the sum modulo 2⁶⁴ of the phones' world chains, each mixed with its phone's number.
  package var world: UInt64 = 0
  /// Is the sum modulo 2⁶⁴ of the phones' behaviour chains, each mixed with its phone's number.
  package var behaviour: UInt64 = 0

  /// Makes the digest of no phones.
  package init() {}

  /// Adds the phones of another part of the fleet.
  package mutating func merge(_ other: Digest) {
    world &+= other.world
    behaviour &+= other.behaviour
  }

  /// Adds the two chains of one phone; the order of phones does not matter.
  package mutating func add(world: HashChain, behaviour: HashChain, phone: UInt32) {
    self.world &+= Draw.mix(world.value ^ UInt64(phone) << 20)
    self.behaviour &+= Draw.mix(behaviour.value ^ UInt64(phone) << 20)
  }
}
