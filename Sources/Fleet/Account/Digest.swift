package import Core

/// The two digests of a run: sums over the hash chains of all phones, so that neither shards nor
/// threads change them.
///
/// *world* covers what neither tracker nor server can influence; *behaviour* covers fixes
/// delivered, batches cut and intended times.
package struct Digest: Codable, Equatable, Sendable {
  /// The sum modulo 2⁶⁴ of the phones' world chains, each mixed with its phone's number.
  package var world: UInt64 = 0
  package var behaviour: UInt64 = 0

  package init() {}

  package mutating func merge(_ other: Digest) {
    world &+= other.world
    behaviour &+= other.behaviour
  }

  package mutating func add(world: HashChain, behaviour: HashChain, phone: UInt32) {
    self.world &+= Draw.mix(world.value ^ UInt64(phone) << 20)
    self.behaviour &+= Draw.mix(behaviour.value ^ UInt64(phone) << 20)
  }
}
