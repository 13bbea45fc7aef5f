import Core
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("Compression of long messages", .quick)
struct CompressedMessagesTests {
  private static let long = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 / 300) }

  private static var noise: [UInt8] {
    var draw = Draw(seed: 4, phone: 1, Purpose(rawValue: 9_001))
    return (0..<60_000).map { _ in UInt8(truncatingIfNeeded: draw.next()) }
  }

  /// A client of an echoing collector.
  private func withClient(
    _ carrier: CarrierKind, compresses: Bool = true,
    _ body: (World, TestCollector, RPCClient) throws -> Void
  ) throws {
    try inWorld { world in
      let collector = try TestCollector(in: world)
      collector.onCall = { _, call, _, message in call.reply(message) }
      let client = RPCClient(
        loop: world.loop, to: collector.endpoint, carrier: carrier, compresses: compresses)
      world.keep(client)
      try body(world, collector, client)
    }
  }

  @Test(
    "requests and answers are compressed, and both are counted by method",
    arguments: CarrierKind.allCases)
  func bothWays(carrier: CarrierKind) throws {
    try withClient(carrier) { world, collector, client in
      // The client does not know what the server accepts before the first answer.
      #expect(try world.call(client, .health, [1]) == [1])
      #expect(client.compressed.isEmpty)
      #expect(try world.call(client, .restore, Self.long) == Self.long)
      #expect(try world.call(client, .restore, Self.long) == Self.long)
      let found = try #require(client.compressed[.restore])
      #expect(found.count == 4 && found.plainBytes == 4 * Self.long.count)
      #expect(found.bytes < 4 * 2_000)
      client.close()
      world.settle()
      let (read, written) = (collector.counters[.bytesRead], collector.counters[.bytesWritten])
      #expect(read < 6_000 && written < 6_000, "\(read), \(written)")
    }
  }

  @Test(
    "short and incompressible messages are sent uncompressed", arguments: CarrierKind.allCases)
  func notWorthIt(carrier: CarrierKind) throws {
    try withClient(carrier) { world, _, client in
      _ = try world.call(client, .health, [1])
      let short = Array(Self.long.prefix(MessageCompressor.messageBytesMin - 1))
      #expect(try world.call(client, .restore, short) == short)
      let noise = Self.noise
      #expect(try world.call(client, .restore, noise) == noise)
      #expect(client.compressed.isEmpty)
    }
  }

  @Test("a message of megabytes uses the window by its compressed size")
  func window() throws {
    try withClient(.flotilla) { world, collector, client in
      let huge = [UInt8](repeating: 7, count: 4_000_000)
      for _ in 0..<20 {
        let answer = try world.call(client, .snapshot, huge)
        #expect(answer == huge)
      }
      client.close()
      world.settle()
      // The first was sent before the server had announced that it accepts compressed messages.
      #expect(collector.counters[.bytesRead] < 4_100_000)
    }
  }

  @Test("a client without compression never receives a compressed message")
  func unasked() throws {
    try withClient(.flotilla, compresses: false) { world, collector, client in
      for _ in 0..<2 {
        let answer = try world.call(client, .restore, Self.long)
        #expect(answer == Self.long)
      }
      client.close()
      world.settle()
      #expect(client.compressed.isEmpty)
      #expect(
        collector.counters[.bytesRead] > 120_000 && collector.counters[.bytesWritten] > 120_000)
    }
  }

  @Test("each answer of a stream is compressed separately", arguments: CarrierKind.allCases)
  func stream(carrier: CarrierKind) throws {
    try withClient(carrier) { world, collector, client in
      collector.onCall = { _, call, _, _ in
        for message in [Self.long, Self.long, Self.long, [1, 2]] {
          _ = message.withUnsafeBytes { call.send($0) }
        }
        call.finish()
      }
      let inbox = Inbox()
      client.subscribe(.pushes, [], onMessage: { inbox.add($0) }, onEnd: { inbox.end($0) })
      #expect(world.run { inbox.ending != nil })
      #expect(inbox.messages == [Self.long, Self.long, Self.long, [1, 2]])
      #expect(client.compressed[.pushes]?.count == 3)
    }
  }

  /// A call with a compressed message on a raw connection, after SETTINGS with or without
  /// compression.
  private func answer(
    asking: Bool, _ message: [UInt8], limits: ServerLimits = .init()
  ) throws -> [Frames.Answer] {
    try inWorld { world in
      let collector = try TestCollector(in: world, limits: limits)
      let peer = try RawPeer(in: world, to: collector.port)
      peer.send { buffer in
        FrameEncoder.preface(into: &buffer)
        if asking {
          var settings = CarrierSettings()
          settings.takesCompressed = true
          FrameEncoder.settings(settings, into: &buffer)
        }
        FrameEncoder.headers(
          stream: 1, path: CollectorMethod.health.path, timeoutMilliseconds: 0, into: &buffer)
        message.withUnsafeBytes {
          FrameEncoder.message(
            stream: 1, $0, endOfStream: true, isCompressed: true, into: &buffer)
        }
      }
      #expect(world.run { peer.answers.contains(where: \.endsCall) })
      return peer.answers
    }
  }

  private static func zstd(_ message: [UInt8]) throws -> [UInt8] {
    var packed = ByteBuffer()
    let isSmaller = message.withUnsafeBytes {
      MessageCompressor().compress($0, .zstd, into: &packed)
    }
    try #require(isSmaller)
    return packed.copyBytes()
  }

  @Test("a compressed message that was not agreed upon is refused, as are bombs and damage")
  func refusals() throws {
    let good = try Self.zstd(Self.long)
    let unasked = try answer(asking: false, good)
    #expect(unasked.last?.code == .unimplemented)
    let asked = try answer(asking: true, good)
    // The server's settings come before its first other frame.
    #expect(asked.map(\.type) == [.settings, .data] && asked.last?.code == .ok)
    let settings = try asked[0].body.withUnsafeBytes { try CarrierSettings($0) }
    #expect(settings.takesCompressed)
    let bomb = try answer(asking: true, Self.zstd([UInt8](repeating: 0, count: 50_000_000)))
    #expect(bomb.last?.code == .resourceExhausted)
    for damaged in [Array(good.dropLast()), good + [0], Array(good.reversed()), []] {
      #expect(try answer(asking: true, damaged).last?.code == .internal)
    }
  }
}

/// Messages of a stream.
private final class Inbox: @unchecked Sendable {
  // Used on the world's one thread.
  private(set) var messages: [[UInt8]] = []
  private(set) var ending: CallStatus?
  func add(_ message: [UInt8]) { messages.append(message) }
  func end(_ status: CallStatus) { ending = status }
}
