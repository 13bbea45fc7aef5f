package import Core
internal import Foundation
internal import Synchronization
package import Transport
package import Uploads

/// The cost of a connection with one small call, on each side, without and with TLS.
///
///     core 0: dispatcher's loop ──TCP, TLS──▶ core 1: server's loop, with a handler that only acks
///
/// The CPU time of a side's thread is its cost. A minimal program's cost is shown for comparison.
package struct HandshakeBench: Benchmark {
  package enum Security: String, CaseIterable, Sendable {
    case off, full, resumed
  }

  package let name = "handshake"
  private let security: Security
  private let kind: SelfMadeCertificate.KeyKind
  private let connections: Int
  private let tls: (server: TLSServer, client: TLSClient)?
  private let shouldStop: () -> Bool

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

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("tls", .word(security.rawValue)), ("key", .word(security == .off ? "-" : kind.rawValue)),
      ("connections", .count(connections)), ("atOnce", .count(HandshakeRound.atOnce)),
    ]
  }

  package mutating func round(
    _ clock: () -> WallInstant
  ) throws(CollectorRunError) -> BenchSamples {
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
