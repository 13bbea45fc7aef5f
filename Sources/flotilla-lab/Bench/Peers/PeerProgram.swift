internal import Core
internal import Foundation
internal import Transport

/// A server and a client of the peers' benchmark, built in a folder.
package enum PeerProgram: CaseIterable, Sendable {
  case rows
  /// The server of `rows` with delta columns and without zstd: the least work of all peers.
  case columns
  /// Delta columns, zstd level 1 and a dictionary of 16 KiB: the peer closest to Flotilla's codec.
  /// The fastest level of zstd makes the reference strictest.
  case dictionary
  /// gRPC C++ with unary calls, and one thread with a completion queue on each side.
  case unary

  var name: String {
    switch self {
    case .rows: "cRows"
    case .columns: "cColumns"
    case .dictionary: "cDictionary"
    case .unary: "grpcUnary"
    }
  }

  private var server: String { isGRPC ? "grpc_server" : "epoll_server" }
  private var client: String { isGRPC ? "grpc_client" : "epoll_client" }
  private var isGRPC: Bool { self == .unary }

  private func codec(in folder: String) -> [String] {
    switch self {
    case .rows: []
    case .columns: ["--cols", "--level", "0"]
    case .dictionary: ["--cols", "--level", "1", "--dict", "\(folder)/cols.dict"]
    case .unary: ["--cq"]
    }
  }

  package func isBuilt(in folder: String) -> Bool {
    [server, client, "pool.bin", "cols.dict"].allSatisfy {
      FileManager.default.fileExists(atPath: "\(folder)/\($0)")
    }
  }
}

struct PeerMetrics: Decodable {
  var errors: Int
  var rate: Double
  var clientMicroseconds: Double
  var serverMicroseconds: Double
  var p99Microseconds: Double
  var clientKilobytes: Double
  var serverKilobytes: Double

  private enum CodingKeys: String, CodingKey {
    case errors, rate
    case clientMicroseconds = "client_us"
    case serverMicroseconds = "server_us"
    case p99Microseconds = "p99_us"
    case clientKilobytes = "client_kb_conn"
    case serverKilobytes = "server_kb_conn"
  }
}

extension PeerProgram {
  /// Runs the server on the second core and the client on the first, as for Flotilla.
  func run(_ plan: IngestPlan, in folder: String, port: Int) throws(ProgramError) -> PeerMetrics {
    let words = ["--port", "\(port)"]
    let codec = codec(in: folder)
    let server = try Process.started(
      "\(folder)/\(self.server)", codec + words, core: 1, isPreferred: plan.isPreferred,
      name: self.server)
    defer {
      server.terminate()
      server.waitUntilExit()
    }
    // Tries again, since a client fails if it starts before the server listens.
    var load = codec + words
    load += ["--conns", "\(plan.connections)", "--pipeline", "\(plan.inFlight)"]
    load += ["--warmup", "\(plan.warmUp.seconds)", "--seconds", "\(plan.measured.seconds)"]
    load += ["--pool", "\(folder)/pool.bin", "--server-pid", "\(server.processIdentifier)"]
    if let pace = plan.pace { load += ["--rate", "\(pace)"] }
    for _ in 0..<20 {
      Waiter.shared.pause(.milliseconds(100))
      let output = Pipe()
      let client = try Process.started(
        "\(folder)/\(self.client)", load, core: 0, isPreferred: plan.isPreferred,
        name: self.client, output: output)
      let text = output.fileHandleForReading.readDataToEndOfFile()
      client.waitUntilExit()
      guard client.terminationStatus == 0 else { continue }
      let figures = try? JSONDecoder().decode(PeerMetrics.self, from: text)
      guard let figures, figures.errors == 0 else {
        throw .wrongAnswer(program: self.client)
      }
      return figures
    }
    throw .failed(program: client, status: 1)
  }

  /// Returns the rate of the peers' timer wheel in the hold pattern, in events per second.
  static func holdRate(
    pending: Int, events: Int, in folder: String
  ) throws(ProgramError) -> Double {
    struct Line: Decodable { var rate: Double }
    let output = Pipe()
    let process = try Process.started(
      "\(folder)/hold", ["wheel", "\(pending)", "\(events)"], core: 0, name: "hold",
      output: output)
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard let line = try? JSONDecoder().decode(Line.self, from: text) else {
      throw .failed(program: "hold", status: process.terminationStatus)
    }
    return line.rate
  }
}
