import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("Streams at the end of a turn", .serialized, .quick)
struct EndOfTurnTests {
  @Test("a readable stream may be closed, or paused, by the work of its turn")
  func closedBeforeRead() throws {
    for ending in Ending.allCases {
      let pair = try AcceptedPair(ending)
      // Both have bytes before the loop reads either, so that one poll returns both.
      pair.readBoth()
      pair.hasRead.wait()
      // The other one is reached in the same turn or in the next, and both are over then.
      pair.loop.sync {}
      pair.loop.sync {}
      #expect(pair.loop.sync { pair.received } == 1, "\(ending)")
      pair.end()
    }
  }
}

/// Effect of a full turn's work on the stream that is read next.
private enum Ending: CaseIterable { case close, pause }

/// Two accepted connections on a separate loop. The first to be read fills the turn with work, and
/// some of that work ends the reading of the other.
///
/// `@unchecked Sendable`: its state is used on the loop's thread only, once that runs.
private final class AcceptedPair: @unchecked Sendable {
  let loop = EventLoop(name: "pair")
  let hasRead = DispatchSemaphore(value: 0)
  private let ending: Ending
  private let accepted = DispatchSemaphore(value: 0)
  private var listener: (any StreamListener)?
  private var streams: [any ByteStream] = []
  private var readers: [Reader] = []
  private var peers: [SocketPeer] = []
  private(set) var received = 0

  /// Connects both, and sends them bytes that are not read yet.
  init(_ ending: Ending) throws {
    self.ending = ending
    let listener = try loop.listen(
      on: Endpoint(host: "127.0.0.1", port: 0), takesTurns: false
    ) { [unowned self] in
      streams.append($0)
      accepted.signal()
    }
    self.listener = listener
    loop.start()
    for _ in 0..<2 {
      let peer = SocketPeer(listener.port)
      peer.send { $0.append(utf8: "bytes") }
      peers.append(peer)
      accepted.wait()
    }
  }

  func readBoth() {
    loop.sync { [self] in
      readers = streams.indices.map { Reader(self, $0) }
      for (stream, reader) in zip(streams, readers) {
        stream.receiver = reader
        stream.startReading()
      }
    }
  }

  fileprivate func read(_ place: Int) {
    received += 1
    guard received == 1 else { return }
    // More than a turn keeps before it is ended early.
    for _ in 0..<100 { loop.atEndOfTurn(Work {}) }
    let other = streams[1 - place]
    loop.atEndOfTurn(
      Work { [ending] in
        switch ending {
        case .close: other.close(reset: true)
        case .pause: other.pauseReading()
        }
      })
    hasRead.signal()
  }

  func end() {
    loop.sync { [self] in
      for stream in streams { stream.close(reset: true) }
      listener?.close()
      readers = []
    }
    for peer in peers { peer.close() }
    loop.stopAndWait()
  }

  private final class Reader: ByteStreamReceiver {
    private unowned let pair: AcceptedPair
    private let place: Int

    init(_ pair: AcceptedPair, _ place: Int) {
      self.pair = pair
      self.place = place
    }

    func streamReceived(_ bytes: UnsafeMutableRawBufferPointer) { pair.read(place) }
    func streamDrained() {}
    func streamEnded(_ end: LinkError) {}
  }

  private final class Work: EndOfTurn {
    private let work: () -> Void
    init(_ work: @escaping () -> Void) { self.work = work }
    func endOfTurn() { work() }
  }
}
