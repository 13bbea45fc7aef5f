package import Core
internal import Foundation
package import Transport
internal import Uploads

/// The additional cost of a TLS connection, in Flotilla and in plain OpenSSL. A round alternates
/// four runs, so that a slow moment of the machine affects several runs.
package struct PeerHandshakeBench: Benchmark {
  package let name = "peers"
  private let kind: SelfMadeCertificate.KeyKind
  private let isResumed: Bool
  private let connections: Int
  private let program: BareTLS
  private let tls: (server: TLSServer, client: TLSClient)
  private let shouldStop: () -> Bool

  /// Creates certificates in `folder`, for both sides.
  package init(
    _ kind: SelfMadeCertificate.KeyKind, isResumed: Bool, connections: Int, peers: String,
    folder: String, shouldStop: @escaping () -> Bool
  ) throws(TLSSetupError) {
    self.kind = kind
    self.isResumed = isResumed
    self.connections = connections
    self.shouldStop = shouldStop
    program = BareTLS(path: "\(peers)/tls", folder: folder, kind: kind)
    tls = try HandshakeRound.secrets(kind, folder: folder)
  }

  package static func isBuilt(in peers: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "\(peers)/tls")
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    [
      ("tls", .word(isResumed ? "resumed" : "full")), ("key", .word(kind.rawValue)),
      ("connections", .count(connections)), ("reference", .word("bare OpenSSL")),
    ]
  }

  package var bars: [BenchBar] {
    [
      BenchBar("serverToBare", .atMost(1.15)), BenchBar("clientToBare", .atMost(1.15)),
    ]
  }

  package mutating func round(_ clock: () -> WallInstant) throws -> BenchSamples {
    guard let own = try handshake() else { return [] }
    let clear = try program.run(connections, isSecured: false, isResumed: false)
    let secured = try program.run(connections, isSecured: true, isResumed: isResumed)
    let bare = (server: secured.server - clear.server, client: secured.client - clear.client)
    return [
      ("serverHandshakeMicroseconds", [own.server]), ("bareServerMicroseconds", [bare.server]),
      ("serverToBare", [own.server / bare.server]),
      ("clientHandshakeMicroseconds", [own.client]), ("bareClientMicroseconds", [bare.client]),
      ("clientToBare", [own.client / bare.client]),
    ]
  }

  private func handshake() throws(CollectorRunError) -> (server: Double, client: Double)? {
    guard
      let clear = try HandshakeRound.cost(.init(), uploads: connections, shouldStop: shouldStop),
      let secured = try HandshakeRound.cost(
        .init(tls: tls, resumes: isResumed), uploads: connections, shouldStop: shouldStop)
    else { return nil }
    return (
      secured.serverMicroseconds - clear.serverMicroseconds,
      secured.clientMicroseconds - clear.clientMicroseconds
    )
  }
}

/// The peers' plain TLS program: each connection is opened, makes a handshake, sends 200 B in each
/// direction and is reset. 32 connections run at once, with verified certificates.
struct BareTLS {
  let path: String
  let folder: String
  let kind: SelfMadeCertificate.KeyKind

  /// The CPU time of each side, in microseconds per connection.
  struct Cost: Equatable {
    var server: Double
    var client: Double

    /// Parses "…; server 384.1 us client 607.0 us a connection; reused 0"; nil for other text.
    init?(_ line: String) {
      let words = line.split(separator: " ")
      func figure(after word: Substring) -> Double? {
        zip(words, words.dropFirst()).first { $0.0 == word }.flatMap { Double($0.1) }
      }
      guard let server = figure(after: "server"), let client = figure(after: "client") else {
        return nil
      }
      self.server = server
      self.client = client
    }
  }

  private var links: [(from: String, to: String)] {
    let name = kind == .p256 ? "p256" : "rsa"
    return [
      ("server.pem", "\(name).crt"), ("server.key", "\(name).key"), ("ca.pem", "\(name)-ca.crt"),
    ]
  }

  func run(_ connections: Int, isSecured: Bool, isResumed: Bool) throws(ProgramError) -> Cost {
    for link in links {
      let to = "\(folder)/\(link.to)"
      try? FileManager.default.removeItem(atPath: to)
      do {
        try FileManager.default.copyItem(atPath: "\(folder)/\(link.from)", toPath: to)
      } catch {
        throw .cannotStart(program: "tls", why: FileErrorText.reason(error))
      }
    }
    // The arguments ask for tickets as in Flotilla, and memory buffers between library and socket.
    let arguments =
      ["net", "-c", kind == .p256 ? "p256" : "rsa", "-n", "\(connections)", "-t", "1", "-m", "-v"]
      + (isSecured ? [] : ["-P"]) + (isResumed ? ["-r"] : [])
    return try Process.result(of: path, arguments, name: "tls", in: folder) { Cost($0) }
  }
}
