import Core
import TestSupport
import Testing

@testable import Transport
@testable import TransportSupport

@Suite("Streams in memory", .quick)
struct MemoryStreamTests {
  /// Records a stream's events.
  final class Receiver: ByteStreamReceiver {
    let stream: any ByteStream
    var bytes: [UInt8] = []
    var drains = 0
    var end: LinkError?

    init(_ stream: any ByteStream) {
      self.stream = stream
      stream.receiver = self
      stream.startReading()
    }

    func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes += bytes }
    func streamDrained() { drains += 1 }
    func streamEnded(_ end: LinkError) { self.end = end }

    func write(_ bytes: [UInt8]) -> StreamWrite { bytes.withUnsafeBytes { stream.write($0) } }
  }

  /// Both ends of a connection.
  private func withPair(
    latency: WallDuration = .zero, _ body: (World, Receiver, Receiver) throws -> Void
  ) throws {
    try inWorld(latency: latency) { world in
      var accepted: Receiver?
      let listener = try world.loop.listen(
        on: Endpoint(host: "127.0.0.1", port: 0), takesTurns: false
      ) { accepted = Receiver($0) }
      let address = try Address(Endpoint(host: "127.0.0.1", port: listener.port))
      let client = Receiver(try world.loop.connect(to: address, noDelay: true))
      world.advance(by: latency)
      let server = try #require(accepted)
      try body(world, client, server)
      client.stream.close(reset: false)
      server.stream.close(reset: false)
    }
  }

  @Test("bytes arrive in order, after the latency and not before")
  func latency() throws {
    try withPair(latency: .milliseconds(30)) { world, client, server in
      #expect(client.write([1, 2, 3]) == .taken(now: 3))
      world.advance(by: .milliseconds(10))
      #expect(client.write([4]) == .taken(now: 1))
      world.advance(by: .microseconds(19_999))
      #expect(server.bytes.isEmpty)
      world.advance(by: .microseconds(1))
      #expect(server.bytes == [1, 2, 3])
      world.advance(by: .milliseconds(10))
      #expect(server.bytes == [1, 2, 3, 4])
    }
  }

  @Test("a paused reader makes its writer wait; the writer is told when all is sent")
  func backPressure() throws {
    try withPair { world, client, server in
      server.stream.pauseReading()
      let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 11) }
      #expect(client.write(bytes) == .taken(now: 1 << 20))
      world.settle()
      #expect(server.bytes.isEmpty && client.drains == 0)
      server.stream.startReading()
      world.settle()
      #expect(server.bytes == bytes && client.drains == 1)
    }
  }

  @Test("a close and a reset arrive after the last byte sent")
  func ends() throws {
    try withPair { world, client, server in
      _ = client.write([1, 2])
      client.stream.close(reset: false)
      world.settle()
      #expect(server.bytes == [1, 2] && server.end == .closedByPeer)
    }
    try withPair { world, client, server in
      _ = client.write([1, 2])
      client.stream.close(reset: true)
      world.settle()
      #expect(server.bytes == [1, 2])
      #expect(server.end == .failed(reason: "connection reset by peer"))
      #expect(server.write([3]) == .failed(reason: "broken pipe"))
    }
  }

  @Test("without a listener there is no connection")
  func refused() throws {
    try inWorld { world in
      let address = try Address(Endpoint(host: "127.0.0.1", port: 9))
      #expect(throws: ConnectError.self) {
        _ = try world.loop.connect(to: address, noDelay: true)
      }
    }
  }
}
