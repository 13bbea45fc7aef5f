import Foundation
import SimulationCore
import Wire

@testable import Transport

/// A peer that sends what bytes it likes, and reads when it likes.
final class RawPeer {
  private let descriptor: Int32
  private var isOpen = true

  init(_ port: UInt16) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// More than once is harmless: the number may be another's by then.
  func close() {
    if isOpen { Foundation.close(descriptor) }
    isOpen = false
  }

  /// A peer that has closed already costs an error, not a SIGPIPE: the loops ignore that.
  func send(_ bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, 0) }
  }

  func send(_ encode: (inout ByteBuffer) -> Void) {
    var buffer = ByteBuffer()
    encode(&buffer)
    send(buffer.copyBytes())
  }

  /// A call whose message is `sent` of `declared` bytes long.
  func call(
    _ stream: UInt32, _ method: CollectorMethod = .health, declared: Int = 0, sent: Int? = nil
  ) {
    send { Self.call(stream, method, declared: declared, sent: sent, into: &$0) }
  }

  static func call(
    _ stream: UInt32, _ method: CollectorMethod = .health, declared: Int = 0, sent: Int? = nil,
    into buffer: inout ByteBuffer
  ) {
    FrameEncoder.headers(
      stream: stream, path: method.path, timeoutMilliseconds: 0, into: &buffer)
    let count = sent ?? declared
    frame(.data, stream, length: 5 + count, flags: count == declared ? 1 : 0, into: &buffer)
    FrameEncoder.prefix(length: declared, into: &buffer)
    buffer.append([UInt8](repeating: 0, count: count))
  }

  /// The head of a frame.
  static func frame(
    _ type: FrameType, _ stream: UInt32, length: Int, flags: UInt8 = 0,
    into buffer: inout ByteBuffer
  ) {
    buffer.append(bigEndian: UInt32(length))
    buffer.append(type.rawValue)
    buffer.append(flags)
    buffer.append(bigEndian: stream)
  }

  /// A frame that the server sent.
  struct Answer: Equatable {
    var type: FrameType
    var stream: UInt32
    var flags: FrameFlags
    var body: [UInt8]

    /// The last frame of its call.
    var endsCall: Bool {
      type == .status || type == .data && flags.contains(.endOfStream)
    }

    var code: StatusCode? {
      switch type {
      case .status: body.first.flatMap(StatusCode.init)
      case .goAway: body.count > 4 ? StatusCode(rawValue: body[4]) : nil
      case .data: flags.contains(.endOfStream) ? .ok : nil
      case .headers, .cancel, .settings, .ping, .window: nil
      }
    }
  }

  /// All frames until the server closes.
  func untilEnd() -> [Answer] {
    var decoder = FrameDecoder(expectsPreface: false)
    var answers: [Answer] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
      buffer.withUnsafeBytes { bytes in
        decoder.begin(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        while let frame = try? decoder.next() {
          answers.append(
            Answer(
              type: frame.type, stream: frame.stream, flags: frame.flags,
              body: Array(frame.body)))
        }
        decoder.end()
      }
    }
    return answers
  }
}
