package import SimulationCore

/// Something that the fault proxy does to connections, on purpose.
package struct WireFault: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// Every piece comes later: `latency`, and up to `jitter` more. The order is kept.
    case delay(latency: WallDuration, jitter: WallDuration)
    /// Nothing passes; what came in goes on afterwards.
    case stall
    /// The connection is reset after at most this many bytes of one direction, in mid-frame as
    /// likely as not.
    case cut(within: Int)
    /// One direction is swallowed while the connection stays open, until its ends give it up.
    case halfOpen
    case throttle(bytesPerSecond: Double)
    /// Each byte is changed with this probability.
    case flip(probability: Double)
  }

  package var kind: Kind
  /// Since the proxy began to listen.
  package var from: WallDuration
  package var until: WallDuration
  /// The part of the connections that is hit, 0 ... 1.
  package var share: Double

  package init(_ kind: Kind, from: WallDuration, until: WallDuration, share: Double = 1) {
    self.kind = kind
    self.from = from
    self.until = until
    self.share = share
  }

  func isActive(at now: WallDuration) -> Bool { from <= now && now < until }
}

/// What a fault proxy does; equal plans do the same to equal connections.
package struct FaultPlan: Equatable, Sendable {
  package var seed: UInt64
  package var faults: [WireFault]

  package init(seed: UInt64, faults: [WireFault]) {
    self.seed = seed
    self.faults = faults
  }
}

/// What a fault proxy has done so far.
package struct ProxyCounters: Equatable, Sendable {
  package var connections = 0
  /// The target did not take the connection, or reset it before its first byte.
  package var refused = 0
  package var bytes = 0
  /// Pieces that were held back.
  package var delayed = 0
  package var stalled = 0
  package var throttled = 0
  /// Connections that were reset, and that lost one direction.
  package var cut = 0
  package var halfOpen = 0
  /// Bytes that were changed.
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

  /// Such as "12 flipped, 3 cut"; what was not done is left out.
  package var text: String {
    let named = [
      (delayed, "delayed"), (stalled, "stalled"), (throttled, "throttled"), (cut, "cut"),
      (halfOpen, "half-open"), (flipped, "flipped"), (refused, "refused"),
    ]
    let done = named.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return done.isEmpty ? "nothing" : done.joined(separator: ", ")
  }
}
