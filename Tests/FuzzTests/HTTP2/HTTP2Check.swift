internal import Core
@testable internal import Transport
internal import Wire

/// Invariants for any bytes of an HTTP/2 connection, to a server or to a client.
///
/// The first byte selects which of the two, and the cuts into reads. Whatever the bytes, the
/// connection leaks nothing, every call ends once, and a server's output is bounded by its input.
final class HTTP2Check {
  private let network = MemoryNetwork()
  private let clock = ManualClock()
  private let loop: EventLoop
  private let handler = Handler()
  private let server: RPCServer
  private let serverPort: UInt16

  /// For one input of 4 kB: the most bytes that answer each of its calls.
  private static let writtenMax = 4 << 20

  private static let hostilePort: UInt16 = 7

  init() {
    loop = EventLoop(name: "fuzz", clock: .manual(clock), network: .memory(network))
    server = RPCServer(
      loop: loop,
      services: [
        HealthService(services: ["flotilla.v1.Collector"]),
        ReflectionService(descriptors: ProtocolDescriptor.files),
      ], handler: handler)
    do throws(TransportError) { serverPort = try server.listen(host: "127.0.0.1", port: 0) } catch {
      preconditionFailure("a network in memory has every port: \(error)")
    }
  }

  func callAsFunction(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let cut = Int(first & 0x7F) + 1
    if first & 0x80 == 0 {
      toServer(Array(bytes.dropFirst()), cut: cut)
    } else {
      toClient(Array(bytes.dropFirst()), cut: cut)
    }
  }

  /// Answers every call at once; a stream gets three messages and continues.
  private final class Handler: RPCHandler {
    var open = 0

    func received(_ call: ServerCall, message: UnsafeRawBufferPointer) {
      guard call.method.isServerStreaming else {
        return call.reply(Array(message.prefix(3_000)))
      }
      open += 1
      for _ in 0..<3 { _ = [UInt8](repeating: 7, count: 2_000).withUnsafeBytes { call.send($0) } }
    }

    func cancelled(_ call: ServerCall) { open -= 1 }
  }

  // MARK: a client that sends what it likes

  private func toServer(_ bytes: [UInt8], cut: Int) {
    let written = server.counters[.bytesWritten]
    let peer = Peer(bytes, cut: cut)
    do {
      let address = try Address(Endpoint(host: "127.0.0.1", port: serverPort))
      peer.use(try loop.connect(to: address, noDelay: true))
    } catch {
      preconditionFailure("the server listens: \(error)")
    }
    while peer.sendNext() { loop.runReady() }
    peer.close()
    loop.runReady()
    let counters = server.counters
    precondition(counters[.connections] == 0, "the connection stays open")
    precondition(counters[.streams] == 0 && counters[.inFlightBytes] == 0, "calls stay open")
    precondition(handler.open == 0, "a handler was not told of the end")
    precondition(counters[.bytesWritten] - written < Self.writtenMax, "more is written than asked")
  }

  // MARK: a server that sends what it likes

  private func toClient(_ bytes: [UInt8], cut: Int) {
    let peer = Peer(bytes, cut: cut)
    let endpoint = Endpoint(host: "127.0.0.1", port: Self.hostilePort)
    let listener: any StreamListener
    do throws(TransportError) {
      listener = try loop.listen(on: endpoint, takesTurns: true) { peer.use($0) }
    } catch {
      preconditionFailure("the last input's listener has been closed: \(error)")
    }
    let client = RPCClient(loop: loop, to: endpoint, carrier: .grpc)
    let ends = Ends()
    for number in 0..<3 {
      client.call(.upload, [1, 2, 3], deadline: .seconds(5)) { _ in ends.note(number) }
    }
    client.subscribe(.pushes, [], onMessage: { _ in }, onEnd: { _ in ends.note(3) })
    loop.runReady()
    while peer.sendNext() { loop.runReady() }
    peer.close()
    loop.runReady()
    client.close()
    loop.runReady()
    listener.close()
    precondition(ends.counts == [1, 1, 1, 1], "calls end once: \(ends.counts)")
  }

  /// `@unchecked Sendable`: a fuzzer has one thread.
  private final class Ends: @unchecked Sendable {
    var counts = [0, 0, 0, 0]
    func note(_ number: Int) { counts[number] += 1 }
  }

  /// Sends its bytes piece by piece and reads no answer.
  private final class Peer: ByteStreamReceiver {
    private var bytes: ArraySlice<UInt8>
    private let cut: Int
    private var stream: (any ByteStream)?

    init(_ bytes: [UInt8], cut: Int) {
      self.bytes = bytes[...]
      self.cut = cut
    }

    func use(_ stream: any ByteStream) {
      self.stream = stream
      stream.receiver = self
      stream.startReading()
    }

    /// False: everything has been sent, or the other side has closed.
    func sendNext() -> Bool {
      guard let stream, !bytes.isEmpty else { return false }
      let piece = Array(bytes.prefix(cut * 8))
      bytes = bytes.dropFirst(cut * 8)
      guard case .taken = piece.withUnsafeBytes({ stream.write($0) }) else { return false }
      return true
    }

    func close() { exchange(&stream, with: nil)?.close(reset: false) }
    func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) {}
    func streamDrained() {}
    func streamEnded(_ end: LinkError) { close() }
  }
}
