internal import Core
internal import Foundation
@testable internal import Transport
internal import Wire

/// Invariants for any bytes that a relay inserts between a client and a server over TLS.
///
/// The first byte selects the direction, whether the replaced bytes are left out, and the cuts into
/// writes; the next two give the number of genuine bytes before them: with none all bytes are the
/// input's, after some hundred the handshake has begun, after some thousand records of an open
/// connection are broken. Whatever the bytes, connections and handshakes leak nothing, calls end
/// once, and output is bounded.
final class TLSCheck {
  private let clock = ManualClock()
  private let loop: EventLoop
  private let handler = Handler()
  private let server: RPCServer
  private let serverPort: UInt16
  private let tls: TLSClient

  /// For one input of 4 kB: two flights with a certificate, and the answers to three calls.
  private static let writtenMax = 1 << 20
  private static let relayPort: UInt16 = 7

  init() {
    loop = EventLoop(name: "fuzz", clock: .manual(clock), network: .memory(MemoryNetwork()))
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let files = try SelfMadeCertificate.write(.init("fuzz"), to: folder.path)
      server = RPCServer(
        loop: loop, tls: try TLSServer(files, protocols: [.h2]),
        services: [HealthService(services: ["flotilla.v1.Collector"])], handler: handler)
      tls = try TLSClient(
        TLSClientFiles(authorities: "\(folder.path)/ca.pem"), protocols: [.h2])
      serverPort = try server.listen(host: "127.0.0.1", port: 0)
    } catch {
      preconditionFailure("a certificate in a fresh folder, a network in memory: \(error)")
    }
  }

  /// Answers every call at once with its own message.
  private final class Handler: RPCHandler {
    func received(_ call: ServerCall, message: UnsafeRawBufferPointer) {
      call.reply(Array(message.prefix(3_000)))
    }
    func cancelled(_ call: ServerCall) {}
  }

  func callAsFunction(_ bytes: [UInt8]) {
    guard bytes.count >= 3 else { return }
    let plan = Tampering(
      towardsServer: bytes[0] & 0x80 == 0, isInsertion: bytes[0] & 0x40 != 0,
      cut: Int(bytes[0] & 0x3F) * 16 + 1, offset: Int(bytes[1]) << 4 | Int(bytes[2]) & 0xF,
      bytes: Array(bytes.dropFirst(3)))
    let written = server.counters[.bytesWritten]
    let ends = talk(plan)
    precondition(ends == [1, 1, 1], "calls end once: \(ends)")
    let counters = server.counters
    precondition(counters[.connections] == 0, "a connection stays open")
    precondition(counters[.streams] == 0 && counters[.inFlightBytes] == 0, "calls stay open")
    precondition(loop.security.counters.underWay == 0, "a handshake goes on")
    precondition(counters[.bytesWritten] - written < Self.writtenMax, "more is written than asked")
  }

  /// Makes three calls through a relay that tampers. Returns how often each has ended.
  private func talk(_ plan: Tampering) -> [Int] {
    let relay = Relay(plan, loop: loop, serverPort: serverPort)
    let endpoint = Endpoint(host: "127.0.0.1", port: Self.relayPort)
    let listener: any StreamListener
    do throws(TransportError) {
      listener = try loop.listen(on: endpoint, takesTurns: true) { relay.accept($0) }
    } catch {
      preconditionFailure("the last input's listener has been closed: \(error)")
    }
    let ends = Ends()
    let client = RPCClient(
      loop: loop, to: endpoint, carrier: plan.bytes.count % 2 == 0 ? .grpc : .flotilla, tls: tls)
    for number in 0..<3 {
      client.call(.upload, [1, 2, 3], deadline: .seconds(5)) { _ in ends.note(number) }
    }
    loop.runReady()
    relay.close()
    loop.runReady()
    client.close()
    loop.runReady()
    listener.close()
    return ends.counts
  }

  /// `@unchecked Sendable`: a fuzzer has one thread.
  private final class Ends: @unchecked Sendable {
    var counts = [0, 0, 0]
    func note(_ number: Int) { counts[number] += 1 }
  }
}

/// Changes that the relay makes to a connection.
private struct Tampering {
  let towardsServer: Bool
  /// Inserts the bytes; otherwise they replace the same number of genuine ones.
  let isInsertion: Bool
  /// The number of bytes in one write.
  let cut: Int
  /// Genuine bytes before the inserted ones.
  let offset: Int
  let bytes: [UInt8]
}

/// Relays between one client and the server, and tampers with one direction.
private final class Relay {
  private let plan: Tampering
  private let loop: EventLoop
  private let serverPort: UInt16
  private var pairs: [(Way, Way)] = []

  init(_ plan: Tampering, loop: EventLoop, serverPort: UInt16) {
    self.plan = plan
    self.loop = loop
    self.serverPort = serverPort
  }

  func accept(_ client: any ByteStream) {
    do {
      let address = try Address(Endpoint(host: "127.0.0.1", port: serverPort))
      let server = try loop.connect(to: address, noDelay: true)
      let up = Way(from: client, to: server, plan.towardsServer ? plan : nil)
      let down = Way(from: server, to: client, plan.towardsServer ? nil : plan)
      pairs.append((up, down))
      up.begin()
      down.begin()
    } catch {
      preconditionFailure("the server listens: \(error)")
    }
  }

  func close() {
    for (up, down) in pairs {
      up.close()
      down.close()
    }
    pairs = []
  }

  /// One direction of a connection.
  private final class Way: ByteStreamReceiver {
    private let source: any ByteStream
    private let target: any ByteStream
    private let plan: Tampering?
    private var passed = 0
    private var leftOut = 0
    private var isClosed = false

    init(from source: any ByteStream, to target: any ByteStream, _ plan: Tampering?) {
      self.source = source
      self.target = target
      self.plan = plan
    }

    func begin() {
      source.receiver = self
      source.startReading()
      if plan?.offset == 0 { tamper() }
    }

    func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) {
      let bytes = UnsafeRawBufferPointer(bytes)
      let before = passed
      passed += bytes.count
      guard let plan, plan.offset > 0, before < plan.offset, passed >= plan.offset else {
        return send(bytes[...])
      }
      send(bytes[..<(plan.offset - before)])
      tamper()
      send(bytes[(plan.offset - before)...])
    }

    private func tamper() {
      guard let plan else { return }
      if !plan.isInsertion { leftOut = plan.bytes.count }
      var rest = plan.bytes[...]
      while !rest.isEmpty {
        rest.prefix(plan.cut).withUnsafeBytes { write($0) }
        rest = rest.dropFirst(plan.cut)
      }
    }

    /// Sends genuine bytes, except those that were replaced.
    private func send(_ bytes: Slice<UnsafeRawBufferPointer>) {
      let dropped = min(leftOut, bytes.count)
      leftOut -= dropped
      write(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(dropped)))
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
      guard !isClosed, !bytes.isEmpty else { return }
      // A closed side reads nothing more; the other side's end comes by itself.
      if case .failed = target.write(bytes) { isClosed = true }
    }

    func close() {
      isClosed = true
      source.close(reset: false)
    }

    func streamDrained() {}
    func streamEnded(_ end: LinkError) { target.close(reset: false) }
  }
}
