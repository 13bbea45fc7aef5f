import Core
import Testing
import Wire

@testable import Transport
@testable import TransportSupport

/// HTTP/2 frames of a peer that follows no rule (RFC 9113, section 4.1).
enum HTTP2 {
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  enum Kind: UInt8 {
    case data, headers, priority, reset, settings, pushPromise, ping, goAway, window, continuation
  }

  static func frame(
    _ kind: Kind, stream: UInt32 = 0, flags: UInt8 = 0, _ body: [UInt8] = []
  ) -> [UInt8] {
    var bytes = Array(number(UInt32(body.count))[1...])
    bytes += [kind.rawValue, flags]
    bytes += number(stream)
    return bytes + body
  }

  static func number(_ value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  /// Fields without Huffman coding and without an index (RFC 7541, section 6.2.2).
  static func block(_ fields: [(String, String)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (name, value) in fields {
      for text in [name, value] { bytes += [UInt8(text.utf8.count)] + Array(text.utf8) }
      bytes.insert(0, at: bytes.count - name.utf8.count - value.utf8.count - 2)
    }
    return bytes
  }

  /// The fields of a call.
  static func call(
    _ path: String = "/flotilla.v1.Collector/Health", _ more: [(String, String)] = []
  ) -> [UInt8] {
    block(
      [
        (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "test"),
        ("te", "trailers"), ("content-type", "application/grpc"),
      ] + more)
  }

  /// A whole call with an empty message.
  static func wholeCall(_ stream: UInt32, _ more: [(String, String)] = []) -> [UInt8] {
    frame(.headers, stream: stream, flags: 4, call("/flotilla.v1.Collector/Health", more))
      + frame(.data, stream: stream, flags: 1, [0, 0, 0, 0, 0])
  }

  struct Frame: Equatable {
    var kind: Kind
    var flags: UInt8
    var stream: UInt32
    var body: [UInt8]
  }

  static func frames(in bytes: [UInt8]) -> [Frame] {
    var rest = bytes[...]
    var frames: [Frame] = []
    while rest.count >= 9 {
      let head = Array(rest.prefix(9))
      let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      guard rest.count >= 9 + count, let kind = Kind(rawValue: head[3]) else { return frames }
      let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let body = Array(rest.dropFirst(9).prefix(count))
      frames.append(Frame(kind: kind, flags: head[4], stream: stream, body: body))
      rest = rest.dropFirst(9 + count)
    }
    return frames
  }
}

extension RawPeer {
  /// The HTTP/2 frames received.
  var http2: [HTTP2.Frame] { HTTP2.frames(in: bytes) }

  /// The error code of the server's GOAWAY.
  var goAwayCode: UInt8? { http2.last { $0.kind == .goAway }?.body[7] }

  /// Sends the opening of a connection, and then `bytes`.
  func begin(_ bytes: [UInt8] = []) {
    send(HTTP2.preface + HTTP2.frame(.settings) + bytes)
  }
}
