package import Core

package struct WireFault: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// Delays the bytes of every read by `latency` plus up to `jitter`, and keeps their order.
    case delay(latency: WallDuration, jitter: WallDuration)
    /// Withholds all bytes until the fault ends.
    case stall
    /// Resets the connection after at most `within` bytes of one direction.
    case cut(within: Int)
    /// Drops one direction while the connection stays open.
    case halfOpen
    case throttle(bytesPerSecond: Double)
    /// Changes each byte with the given probability.
    case flip(probability: Double)
  }

  package var kind: Kind
  /// The start, as time since the proxy began to listen.
  package var from: WallDuration
  /// The end (exclusive), as time since the proxy began to listen.
  package var until: WallDuration
  /// The share of all connections that the fault hits, 0 ... 1.
  package var share: Double

  package init(_ kind: Kind, from: WallDuration, until: WallDuration, share: Double = 1) {
    self.kind = kind
    self.from = from
    self.until = until
    self.share = share
  }

  func isActive(at now: WallDuration) -> Bool { from <= now && now < until }
}

/// The faults of a proxy. Equal plans have the same effect on equal connections.
package struct FaultPlan: Equatable, Sendable {
  /// The seed that determines the jitter, the connections hit and the bytes changed.
  package var seed: UInt64
  /// The faults, whose effects combine where they overlap.
  package var faults: [WireFault]

  package init(seed: UInt64, faults: [WireFault]) {
    self.seed = seed
    self.faults = faults
  }
}

package struct ProxyCounters: Equatable, Sendable {
  package var connections = 0
  /// Connections that the target refused, or reset before its first byte.
  package var refused = 0
  package var bytes = 0
  package var delayed = 0
  package var stalled = 0
  package var throttled = 0
  package var cut = 0
  package var halfOpen = 0
  package var flipped = 0

  package init() {}

  package mutating func add(_ other: ProxyCounters) {
    connections += other.connections
    refused += other.refused
    bytes += other.bytes
    delayed += other.delayed
    stalled += other.stalled
    throttled += other.throttled
    cut += other.cut
    halfOpen += other.halfOpen
    flipped += other.flipped
  }

  /// The counts that are not zero, such as "12 flipped, 3 cut".
  package var text: String {
    let named = [
      (delayed, "delayed"), (stalled, "stalled"), (throttled, "throttled"), (cut, "cut"),
      (halfOpen, "half-open"), (flipped, "flipped"), (refused, "refused"),
    ]
    let done = named.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return done.isEmpty ? "nothing" : done.joined(separator: ", ")
  }
}
