internal import Foundation
package import SimulationCore
internal import Synchronization
package import Transport
package import Uploads

/// What a connection with one small call costs each side, in the clear and over TLS: connect,
/// handshake, an upload and its ack, and a reset.
///
///     core 0: dispatcher's loop ──TCP, TLS──▶ core 1: server's loop, with a handler that only acks
///
/// Both sides are loops of this process; what a side costs is the CPU time of its loop's thread, so
/// that it can be set beside a bare program that does the same.
package struct HandshakeBench: Benchmark {
  /// What happens before the first byte of a call.
  package enum Security: String, CaseIterable, Sendable {
    case off, full, resumed
  }

  /// Names the benchmark in rows and tables.
  package let name = "handshake"
  private let security: Security
  private let kind: SelfMadeCertificate.KeyKind
  private let connections: Int
  private let tls: (server: TLSServer, client: TLSClient)?
  private let shouldStop: () -> Bool

  /// Makes certificates in `folder`, and a client that trusts them.
  ///
  /// - Parameter shouldStop: asked every few milliseconds.
  package init(
    _ security: Security, _ kind: SelfMadeCertificate.KeyKind, connections: Int, folder: String,
    shouldStop: @escaping () -> Bool
  ) throws(TLSSetupError) {
    self.security = security
    self.kind = kind
    self.connections = connections
    self.shouldStop = shouldStop
    ProcessTuning.raiseOpenFiles()
    guard security != .off else {
      tls = nil
      return
    }
    tls = try HandshakeRound.secrets(kind, folder: folder)
  }

  /// Lists what is done before a call, the certificate's key, and the connections of a round.
  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("tls", .word(security.rawValue)), ("key", .word(security == .off ? "-" : kind.rawValue)),
      ("connections", .count(connections)), ("atOnce", .count(HandshakeRound.atOnce)),
    ]
  }

  /// Makes the connections of a round, after some to warm up, and returns what each cost.
  package mutating func round(
    _ clock: () -> WallInstant
  ) throws(CollectorRunError) -> [(figure: String, samples: [Double])] {
    guard
      let cost = try HandshakeRound.cost(
        .init(tls: tls, resumes: security == .resumed), uploads: connections,
        shouldStop: shouldStop)
    else { return [] }
    return [
      ("connectionsPerSecond", [cost.perSecond]),
      ("serverCpuMicroseconds", [cost.serverMicroseconds]),
      ("clientCpuMicroseconds", [cost.clientMicroseconds]),
      ("serverPerCoreSecond", [1e6 / cost.serverMicroseconds]),
      ("clientPerCoreSecond", [1e6 / cost.clientMicroseconds]),
      ("resumedShare", [cost.resumedShare]), ("failed", [Double(cost.failed)]),
    ]
  }
}
