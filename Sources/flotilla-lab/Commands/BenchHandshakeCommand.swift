internal import Core
internal import Commands
internal import Foundation
internal import Transport

struct HandshakeOptions: RowOptions {
  var connections = 2_000
  var rounds = 3
  var json = false
}

enum HandshakeCommand {
  static var command: Command {
    Command(
      "handshake",
      """
      Measure the CPU cost of a connection with one upload, per side: without TLS, with a full and \
      with a resumed TLS handshake; P-256 and RSA-2048. Also measures the cost of TLS per call on \
      an open connection, for both wire protocols.
      """,
      options: [
        .count("--connections", \.connections, 100...1_000_000, "Connections per round."),
        .count("--rounds", \.rounds, 1...1_000, "Measured rounds per row."),
      ],
      examples: ["flotilla-lab bench handshake", "flotilla-lab bench handshake --rounds 5 --json"],
      rows: rows)
  }

  private static let kinds: [(HandshakeBench.Security, SelfMadeCertificate.KeyKind)] = [
    (.off, .p256), (.full, .p256), (.resumed, .p256), (.full, .rsa2048), (.resumed, .rsa2048),
  ]

  /// The number of calls on open connections per connection.
  private static let callsPerConnection = 10

  static func rows(_ options: HandshakeOptions, _ stand: BenchStand) throws -> [BenchRow] {
    try BenchFolder.use { folder in
      try connections(options, folder, stand) + calls(options, folder, stand)
    }
  }

  private static func calls(
    _ options: HandshakeOptions, _ folder: URL, _ stand: BenchStand
  ) throws -> [BenchRow] {
    try CarrierKind.allCases.flatMap { carrier in
      let bench = try SecuredCallBench(
        carrier, calls: options.connections * callsPerConnection, folder: folder.path,
        shouldStop: { stand.interruption.isRequested })
      return try stand.rows(bench, warmUp: 0, rounds: options.rounds)
    }
  }

  private static func connections(
    _ options: HandshakeOptions, _ folder: URL, _ stand: BenchStand
  ) throws -> [BenchRow] {
    try kinds.flatMap { security, kind in
      let bench = try HandshakeBench(
        security, kind, connections: options.connections, folder: folder.path,
        shouldStop: { stand.interruption.isRequested })
      return try stand.rows(bench, warmUp: 0, rounds: options.rounds)
    }
  }

  private static let peerKinds: [(SelfMadeCertificate.KeyKind, isResumed: Bool)] = [
    (.p256, false), (.p256, true), (.rsa2048, false), (.rsa2048, true),
  ]

  static func peerRows(
    _ peers: String, rounds: Int, _ folder: URL, _ stand: BenchStand
  ) throws -> [BenchRow] {
    try peerKinds.flatMap { kind, isResumed in
      let bench = try PeerHandshakeBench(
        kind, isResumed: isResumed, connections: HandshakeOptions().connections, peers: peers,
        folder: folder.path, shouldStop: { stand.interruption.isRequested })
      return try stand.rows(bench, warmUp: 0, rounds: rounds)
    }
  }
}
