package import Coordinator
internal import Foundation
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
  private let message: UploadJob
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
    message = HandshakeRound.job
    ProcessTuning.raiseOpenFiles()
    guard security != .off else {
      tls = nil
      return
    }
    let files = try SelfMadeCertificate.write(.init("server"), kind: kind, to: folder)
    tls = (
      try TLSServer(files), try TLSClient(TLSClientFiles(authorities: "\(folder)/ca.pem"))
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
    let round: HandshakeRound
    do throws(TransportError) {
      round = try HandshakeRound(
        server: tls?.server, client: tls?.client, resumes: security == .resumed, job: message)
    } catch {
      throw .unreachable(error.description)
    }
    defer { round.stop() }
    // Tickets of the first connections are what the others resume with.
    round.make(Self.atOnce * 8)
    guard wait(for: round) else { return [] }
    let before = round.look
    let began = clock()
    round.make(connections)
    guard wait(for: round) else { return [] }
    let seconds = (clock() - began).seconds
    let after = round.look
    let each = 1 / Double(connections)
    let server = Double(after.serverNanoseconds - before.serverNanoseconds) / 1e3 * each
    let client = Double(after.clientNanoseconds - before.clientNanoseconds) / 1e3 * each
    return [
      ("connectionsPerSecond", [Double(connections) / seconds]),
      ("serverCpuMicroseconds", [server]), ("clientCpuMicroseconds", [client]),
      ("serverPerCoreSecond", [1e6 / server]), ("clientPerCoreSecond", [1e6 / client]),
      ("resumedShare", [Double(after.resumed - before.resumed) * each]),
      ("failed", [Double(after.failed - before.failed)]),
    ]
  }

  /// false: it was stopped.
  private func wait(for round: HandshakeRound) -> Bool {
    while !round.isDone, !shouldStop() { usleep(2_000) }
    return !shouldStop()
  }
}
