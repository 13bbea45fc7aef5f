package enum FrameEncoder {
  private static func header(
    _ type: FrameType, _ flags: FrameFlags, stream: UInt32, length: Int,
    into buffer: inout ByteBuffer
  ) {
    let place = buffer.reserve(Carrier.headerBytes)
    place.storeBytes(of: UInt32(length).bigEndian, as: UInt32.self)
    place[4] = type.rawValue
    place[5] = flags.rawValue
    place.storeBytes(of: stream.bigEndian, toByteOffset: 6, as: UInt32.self)
    buffer.commit(Carrier.headerBytes)
  }

  package static func preface(into buffer: inout ByteBuffer) { buffer.append(Carrier.preface) }

  /// Appends HEADERS. Metadata keys are lower case, at most 255 bytes; values at most 65,535.
  package static func headers(
    stream: UInt32, path: StaticString, timeoutMilliseconds: UInt32,
    metadata: [(key: String, value: [UInt8])] = [], into buffer: inout ByteBuffer
  ) {
    var length = 6 + path.utf8CodeUnitCount
    for (key, value) in metadata { length += 3 + key.utf8.count + value.count }
    header(.headers, [], stream: stream, length: length, into: &buffer)
    buffer.append(bigEndian: timeoutMilliseconds)
    buffer.append(bigEndian: UInt16(path.utf8CodeUnitCount))
    buffer.append(path)
    for (key, value) in metadata {
      buffer.append(UInt8(key.utf8.count))
      buffer.append(bigEndian: UInt16(value.count))
      buffer.append(utf8: key)
      buffer.append(value)
    }
  }

  /// - Parameter repeatsHeaders: whether the first frame opens the stream like the last HEADERS.
  /// - Parameter isCompressed: whether the message is a zstd frame.
  package static func message(
    stream: UInt32, _ message: UnsafeRawBufferPointer, endOfStream: Bool,
    repeatsHeaders: Bool = false, isCompressed: Bool = false, into buffer: inout ByteBuffer
  ) {
    let first = min(message.count, Carrier.frameBodyBytesMax - Carrier.messagePrefixBytes)
    var flags: FrameFlags = endOfStream && first == message.count ? .endOfStream : []
    if repeatsHeaders { flags.insert(.repeatsHeaders) }
    header(
      .data, flags, stream: stream, length: first + Carrier.messagePrefixBytes, into: &buffer)
    prefix(length: message.count, isCompressed: isCompressed, into: &buffer)
    buffer.append(UnsafeRawBufferPointer(rebasing: message[..<first]))
    var sent = first
    while sent < message.count {
      let part = min(message.count - sent, Carrier.frameBodyBytesMax)
      let isLast = sent + part == message.count
      header(
        .data, endOfStream && isLast ? .endOfStream : [], stream: stream, length: part,
        into: &buffer)
      buffer.append(UnsafeRawBufferPointer(rebasing: message[sent..<sent + part]))
      sent += part
    }
  }

  /// Appends gRPC's prefix of a message: compression flag and length, also used in capture files.
  package static func prefix(
    length: Int, isCompressed: Bool = false, into buffer: inout ByteBuffer
  ) {
    buffer.append(isCompressed ? 1 : 0)
    buffer.append(bigEndian: UInt32(length))
  }

  /// Returns the bytes of flow-control window that a message of `count` bytes uses.
  package static func dataBytes(ofMessage count: Int) -> Int { count + Carrier.messagePrefixBytes }

  package static func status(
    stream: UInt32, _ status: CallStatus, into buffer: inout ByteBuffer
  ) {
    let pushback = status.pushbackMilliseconds
    header(
      .status, pushback == nil ? [] : .pushback, stream: stream,
      length: 1 + (pushback == nil ? 0 : 4) + status.text.utf8.count, into: &buffer)
    buffer.append(status.code.rawValue)
    if let pushback { buffer.append(bigEndian: pushback) }
    buffer.append(utf8: status.text)
  }

  package static func cancel(stream: UInt32, into buffer: inout ByteBuffer) {
    header(.cancel, [], stream: stream, length: 0, into: &buffer)
  }

  /// Appends all six settings, defaults included.
  package static func settings(_ settings: CarrierSettings, into buffer: inout ByteBuffer) {
    let pairs = settings.pairs
    header(.settings, [], stream: 0, length: pairs.count * 6, into: &buffer)
    for (number, value) in pairs {
      buffer.append(bigEndian: number)
      buffer.append(bigEndian: value)
    }
  }

  /// Appends a PING, or its answer, with 8 bytes of payload.
  package static func ping(
    _ payload: UInt64, isAnswer: Bool, into buffer: inout ByteBuffer
  ) {
    header(.ping, isAnswer ? .acknowledgement : [], stream: 0, length: 8, into: &buffer)
    buffer.append(bigEndian: payload)
  }

  /// Appends a GOAWAY, which announces that no stream above `lastStream` will be answered.
  package static func goAway(
    lastStream: UInt32, _ code: StatusCode, _ text: String = "", into buffer: inout ByteBuffer
  ) {
    header(.goAway, [], stream: 0, length: 5 + text.utf8.count, into: &buffer)
    buffer.append(bigEndian: lastStream)
    buffer.append(code.rawValue)
    buffer.append(utf8: text)
  }

  package static func window(_ bytes: Int, into buffer: inout ByteBuffer) {
    header(.window, [], stream: 0, length: 4, into: &buffer)
    buffer.append(bigEndian: UInt32(bytes))
  }
}
