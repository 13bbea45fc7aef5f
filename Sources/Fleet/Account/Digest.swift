package import SimulationCore

/// A hash chain over what happened to one phone, in order.
package struct HashChain: Equatable, Sendable, BitwiseCopyable {
  package private(set) var value: UInt64 = 0

  package init() {}

  package mutating func combine(_ tag: UInt8, _ at: SimInstant, _ details: UInt64 = 0) {
    value = Draw.mix(value ^ UInt64(bitPattern: at.microseconds) ^ UInt64(tag) << 56)
    value = Draw.mix(value ^ details)
  }
}

/// The two digests of a run: chains of all phones, summed, so that shards and threads drop out.
///
/// *world* covers what neither tracker nor server can influence; *behaviour* covers fixes
/// delivered, batches cut and intended times.
package struct Digest: Codable, Equatable, Sendable {
  package var world: UInt64 = 0
  package var behaviour: UInt64 = 0

  package init() {}

  /// Adds the phones of another part of the fleet.
  package mutating func merge(_ other: Digest) {
    world &+= other.world
    behaviour &+= other.behaviour
  }

  package mutating func add(world: HashChain, behaviour: HashChain, phone: UInt32) {
    self.world &+= Draw.mix(world.value ^ UInt64(phone) << 20)
    self.behaviour &+= Draw.mix(behaviour.value ^ UInt64(phone) << 20)
  }
}
