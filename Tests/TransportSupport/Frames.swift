import Wire

@testable import Transport

/// Frames of a peer that follows no rule.
enum Frames {
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

  /// A client's GOAWAY: it sends no more calls, and waits for its answers.
  static func goAway(into buffer: inout ByteBuffer) {
    frame(.goAway, 0, length: 0, into: &buffer)
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

  /// The frames in a whole answer.
  static func answers(in bytes: [UInt8]) -> [Answer] {
    var decoder = FrameDecoder(expectsPreface: false)
    var answers: [Answer] = []
    bytes.withUnsafeBytes { bytes in
      decoder.begin(bytes)
      while let frame = try? decoder.next() {
        answers.append(
          Answer(
            type: frame.type, stream: frame.stream, flags: frame.flags, body: Array(frame.body)))
      }
      decoder.end()
    }
    return answers
  }
}
