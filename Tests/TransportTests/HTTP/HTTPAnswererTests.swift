import Core
import Foundation
import TestSupport
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

@Suite("A server over HTTP that only answers", .quick)
struct HTTPAnswererTests {
  private let body = #"{"result":"ok"}"#

  @Test("requests of every size are answered, and their connections kept")
  func sizes() throws {
    let loop = EventLoop(name: "answerer")
    let server = HTTPAnswerer(loop: loop, body: body)
    let port = try server.listen(on: Endpoint(host: "127.0.0.1", port: 0))
    loop.start()
    var settings = HTTPSettings()
    settings.use = .pooled(2)
    let caller = HTTPCaller(settings)
    let sizes = [0, 1, 100, 9_000, 70_000, 1_000_000]
    let ends = caller.call(
      sizes.map { size in
        HTTPRequest(
          method: size == 0 ? "GET" : "POST", url: "http://127.0.0.1:\(port)/",
          body: [UInt8](repeating: 0x20, count: size))
      }, of: Array(0..<6))
    for (size, end) in zip(sizes, ends) {
      #expect(end.text == body && end.answer?.status == 200, "\(size): \(end.result)")
      #expect(end.bytesSent > size)
    }
    #expect(caller.counters[.connects] == 2)
    caller.close()
    loop.stopAndWait()
  }

  @Test("requests in pieces, or several at once, are separated")
  func pieces() throws {
    let network = MemoryNetwork()
    let loop = EventLoop(
      name: "answerer", clock: .manual(ManualClock()), network: .memory(network))
    let server = HTTPAnswerer(loop: loop, body: body)
    let port = try server.listen(on: Endpoint(host: "127.0.0.1", port: 0))
    let one = "POST / HTTP/1.1\r\nHost: a\r\nCONTENT-LENGTH: 3\r\nX-A: b\r\n\r\nabc"
    let all = Array((one + "GET / HTTP/1.1\r\nHost: a\r\n\r\n" + one).utf8)
    for piece in [1, 2, 3, 7, all.count] {
      let client = Collecting()
      let address = try Address(Endpoint(host: "127.0.0.1", port: port))
      let link = Link(
        try loop.connect(to: address, noDelay: true), on: loop, isConnected: false)
      link.start(for: client)
      for start in stride(from: 0, to: all.count, by: piece) {
        link.write { $0.append(Array(all[start..<min(start + piece, all.count)])) }
        loop.runReady()
      }
      #expect(client.text.components(separatedBy: body).count == 4, "pieces of \(piece) bytes")
      link.end(.closedHere)
      loop.runReady()
    }
    withExtendedLifetime(server) {}
  }

  private final class Collecting: LinkOwner {
    private var bytes: [UInt8] = []
    // swift-format-ignore: what is no UTF-8 is shown repaired.
    var text: String { String(decoding: bytes, as: UTF8.self) }
    func linkReceived(_ received: UnsafeRawBufferPointer) { bytes += received }
    func linkConnected(at instant: WallInstant) {}
    func linkDrained() {}
    func linkEnded(_ end: LinkError) {}
  }
}
