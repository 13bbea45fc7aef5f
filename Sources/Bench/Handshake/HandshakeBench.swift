internal import Foundation
package import Processes
package import SimulationCore
internal import Synchronization
package import Transport
internal import Wire

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

  /// Connections that are under way at once.
  package static let atOnce = 32

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
    tls = try Self.secrets(kind, folder: folder)
  }

  /// Both sides of TLS, with certificates made in `folder`.
  static func secrets(
    _ kind: SelfMadeCertificate.KeyKind, _ carrier: CarrierKind = .flotilla, folder: String
  ) throws(TLSSetupError) -> (server: TLSServer, client: TLSClient) {
    let files = try SelfMadeCertificate.write(.init("server"), kind: kind, to: folder)
    return (
      try TLSServer(files, protocols: ApplicationProtocol.allCases),
      try TLSClient(
        TLSClientFiles(authorities: "\(folder)/ca.pem"), protocols: carrier.applicationProtocols)
    )
  }

  /// Lists what is done before a call, the certificate's key, and the connections of a round.
  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("tls", .word(security.rawValue)), ("key", .word(security == .off ? "-" : kind.rawValue)),
      ("connections", .count(connections)), ("atOnce", .count(Self.atOnce)),
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

extension HandshakeRound {
  /// What an upload costs in a setting, with a server and a client made for it; nil: it was
  /// stopped.
  static func cost(
    _ setting: Setting, uploads: Int, shouldStop: () -> Bool
  ) throws(CollectorRunError) -> Cost? {
    let round: HandshakeRound
    do throws(TransportError) { round = try HandshakeRound(setting) } catch {
      throw .unreachable(error.description)
    }
    defer { round.stop() }
    return round.measure(uploads, shouldStop: shouldStop)
  }
}
