package import Core
internal import Foundation
internal import Wire

/// An HTTP/1.1 server with one answer for every request, the baseline for load generators. The
/// server accepts bodies with Content-Length only. A listening server is used on the loop's thread.
package final class HTTPAnswerer {
  private let loop: EventLoop
  private let answer: [UInt8]
  private var listener: (any StreamListener)?
  private var connections: [ObjectIdentifier: Connection] = [:]

  package init(loop: EventLoop, body: String) {
    self.loop = loop
    answer = Array(
      """
      HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
      Content-Length: \(body.utf8.count)\r\n\r\n\(body)
      """.utf8)
  }

  /// Begins to listen and returns the port. Must be called on the loop's thread once the loop runs.
  package func listen(on endpoint: Endpoint) throws(TransportError) -> UInt16 {
    let listener = try loop.listen(on: endpoint, takesTurns: false) { [unowned self] stream in
      let connection = Connection(Link(stream, on: loop, isConnected: true), of: self)
      connections[ObjectIdentifier(connection)] = connection
      connection.link.start(for: connection)
    }
    self.listener = listener
    return listener.port
  }

  private final class Connection: LinkOwner {
    let link: Link
    private unowned let server: HTTPAnswerer
    private var head: [UInt8] = []
    /// The bytes of the body still to come, or nil during the head.
    private var bodyLeft: Int?

    init(_ link: Link, of server: HTTPAnswerer) {
      self.link = link
      self.server = server
    }

    func linkReceived(_ bytes: UnsafeRawBufferPointer) {
      var rest = bytes[...]
      while !rest.isEmpty {
        if let left = bodyLeft {
          let taken = min(left, rest.count)
          rest = rest.dropFirst(taken)
          bodyLeft = left - taken
        } else {
          let from = max(0, head.count - 3)
          head.append(contentsOf: rest)
          guard let end = Self.end(of: head, from: from) else {
            if head.count > 65_536 { link.end(.closedHere, reset: true) }
            return
          }
          rest = rest.suffix(head.count - end)
          bodyLeft = Self.contentLength(head[..<end])
          head.removeAll(keepingCapacity: true)
        }
        if bodyLeft == 0 {
          bodyLeft = nil
          link.write { $0.append(server.answer) }
        }
      }
    }

    private static func end(of head: [UInt8], from: Int) -> Int? {
      var place = from
      while place + 4 <= head.count {
        // Of the four bytes that end a head, the last byte rules out most positions.
        if head[place + 3] == 0x0A, head[place] == 0x0D, head[place + 1] == 0x0A,
          head[place + 2] == 0x0D
        {
          return place + 4
        }
        place += 1
      }
      return nil
    }

    private static let name = Array("\ncontent-length:".utf8)

    private static func contentLength(_ head: ArraySlice<UInt8>) -> Int {
      var place = head.startIndex
      while place + name.count < head.endIndex {
        defer { place += 1 }
        guard head[place] == 0x0A else { continue }
        guard zip(head[place...], name).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 }) else {
          continue
        }
        var length = 0
        for byte in head[(place + name.count)...] {
          if byte == 0x20 { continue }
          guard (0x30...0x39).contains(byte), length < 1 << 40 else { break }
          length = length * 10 + Int(byte - 0x30)
        }
        return length
      }
      return 0
    }

    func linkConnected(at instant: WallInstant) {}
    func linkDrained() {}
    func linkEnded(_ end: LinkError) { server.connections[ObjectIdentifier(self)] = nil }
  }
}
