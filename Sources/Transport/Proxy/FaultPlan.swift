package import SimulationCore

/// Something that the fault proxy does to connections, on purpose.
package struct WireFault: Equatable, Sendable {
  /// Names what is done to the bytes or to the connection.
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

  /// Says what is done.
  package var kind: Kind
  /// Since the proxy began to listen.
  package var from: WallDuration
  /// Is the end of the fault, since the proxy began to listen; the fault is active before it.
  package var until: WallDuration
  /// The part of the connections that is hit, 0 ... 1.
  package var share: Double

  /// Makes a fault of `share` of the connections from one time to another.
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
  /// Is the seed from which the connections hit, the bytes changed and the jitter are drawn.
  package var seed: UInt64
  /// Lists the faults; those that overlap act together.
  package var faults: [WireFault]

  /// Makes a plan from its seed and its faults.
  package init(seed: UInt64, faults: [WireFault]) {
    self.seed = seed
    self.faults = faults
  }
}

/// What a fault proxy has done so far.
package struct ProxyCounters: Equatable, Sendable {
  /// Counts the connections that clients opened to the proxy.
  package var connections = 0
  /// The target did not take the connection, or reset it before its first byte.
  package var refused = 0
  /// Counts the bytes that came in from both sides, whatever became of them.
  package var bytes = 0
  /// Pieces that were held back.
  package var delayed = 0
  /// Counts the pieces that came in while everything was held back.
  package var stalled = 0
  /// Counts the pieces that passed through a limited rate.
  package var throttled = 0
  /// Connections that were reset, and that lost one direction.
  package var cut = 0
  /// Counts the connections of which one direction was swallowed.
  package var halfOpen = 0
  /// Bytes that were changed.
  package var flipped = 0

  /// Makes counters at zero.
  package init() {}

  /// Adds the counts of another proxy, or of one connection.
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
