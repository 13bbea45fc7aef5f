import Core
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("The window of a gRPC client that interleaves its calls", .quick)
struct WindowTests {
  @Test("at most half of the window is held back once all whole messages are answered")
  func lent() {
    let window = 1_000
    var random = SplitMix(state: 7)
    for _ in 0..<200 {
      var (credit, inParts, waiting, received, credited) = (LentCredit(), 0, 0, 0, 0)
      var parts: [Int] = []
      for _ in 0..<500 {
        switch random.next() % 4 {
        case 0, 1:
          let bytes = Int(random.next() % 60) + 1
          // The client stays within its window.
          guard received - credited + bytes <= window else { continue }
          received += bytes
          inParts += bytes
          parts.append(bytes)
          credited += credit.lend(inParts: inParts, window: window)
        case 2:
          guard let bytes = parts.popLast() else { continue }
          inParts -= bytes
          waiting += bytes
        default:
          credited += credit.ended(waiting, inParts: inParts, window: window)
          waiting = 0
          #expect(received - credited <= window / 2)
        }
        #expect(received >= credited)
      }
    }
  }

  /// The simplest random number generator.
  private struct SplitMix {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  /// A client that stays within its window: it sends parts of its messages in turn.
  private final class FairClient {
    let peer: RawPeer
    let window: Int
    private var sent = 0
    private var messages: [(stream: UInt32, rest: ArraySlice<UInt8>)] = []

    init(_ peer: RawPeer, window: Int) {
      self.peer = peer
      self.window = window
      peer.begin()
    }

    var isDone: Bool { messages.isEmpty }
    /// The server's credit beyond HTTP/2's own 65,535.
    var mayStillSend: Int {
      let grants = peer.http2.filter { $0.kind == .window && $0.stream == 0 }
      return 65_535 + grants.reduce(0) { $0 + $1.body.reduce(0) { $0 << 8 | Int($1) } } - sent
    }

    func open(_ stream: UInt32, bytes: Int, declared: Int? = nil) {
      peer.send(HTTP2.frame(.headers, stream: stream, flags: 4, HTTP2.call()))
      let prefix = [0] + HTTP2.number(UInt32(declared ?? bytes))
      messages.append((stream, (prefix + [UInt8](repeating: 1, count: bytes))[...]))
    }

    /// A piece of each message; false: the window is used up.
    func sendTurn(_ most: Int) -> Bool {
      let before = sent
      for place in messages.indices {
        let count = min(most, messages[place].rest.count, mayStillSend)
        guard count > 0 else { continue }
        let piece = Array(messages[place].rest.prefix(count))
        messages[place].rest = messages[place].rest.dropFirst(count)
        let ends: UInt8 = messages[place].rest.isEmpty ? 1 : 0
        sent += count
        peer.send(HTTP2.frame(.data, stream: messages[place].stream, flags: ends, piece))
      }
      messages.removeAll { $0.rest.isEmpty }
      return sent > before
    }
  }

  @Test(
    "two hundred uploads that come piece by piece, in turns, all arrive",
    arguments: [301, 997, 1_024, 4_096])
  func turns(piece: Int) throws {
    var limits = ServerLimits()
    limits.windowBytes = 100_000
    try inWorld { world in
      let collector = try TestCollector(in: world, limits: limits)
      // Answers wait for a commit.
      collector.onCall = { collector, call, _, _ in collector.held.append(call) }
      let client = FairClient(try RawPeer(in: world, to: collector.port), window: 100_000)
      for number in 0..<200 as Range<UInt32> {
        client.open(2 * number + 1, bytes: 1_000 + Int(number * 7_919 % 9_000))
      }
      var answered = 0
      while !client.isDone || !collector.held.isEmpty {
        let hasSent = client.sendTurn(piece)
        let held = exchange(&collector.held, with: [])
        for call in held { call.reply([]) }
        answered += held.count
        world.settle()
        guard hasSent || !held.isEmpty else { break }
      }
      #expect(client.isDone && answered == 200)
      client.peer.close()
    }
  }

  @Test("a call shed in the middle of its message returns its whole window")
  func shed() throws {
    var limits = ServerLimits()
    limits.windowBytes = 100_000
    limits.inFlightBytesMax = 5_000
    try inWorld { world in
      let collector = try TestCollector(in: world, limits: limits)
      let client = FairClient(try RawPeer(in: world, to: collector.port), window: 100_000)
      for number in 0..<100 as Range<UInt32> {
        client.open(2 * number + 1, bytes: 10_000, declared: 60_000)
        _ = client.sendTurn(10_005)
      }
      #expect(client.isDone && collector.counters.hits(.inFlightBytesMax) == 100)
      client.peer.close()
    }
  }
}
