/// A message of collector.proto as a plain value, encoded by `MessageCodec`. The requirements pass
/// an arena and raw memory, so that the generated C types stay in this module.
package protocol WireMessage: Sendable {
  /// Builds the C message, valid until the arena is reset; throws `messageTooLarge` if it is full.
  func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer
  /// Reads a message. Throws `malformedMessage`, or another error for values out of range.
  static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self
}

/// Encodes and decodes messages through one arena. Not thread-safe: each thread has its own codec.
package final class MessageCodec {
  private let arena: Arena

  /// - Parameter capacity: 16 bytes per byte of a 4 MiB message, enough for one-byte varints.
  package init(capacity: Int = 64 << 20) { arena = Arena(capacity: capacity) }

  /// Appends a message; throws `messageTooLarge` if the arena cannot hold the C message.
  package func encode(
    _ message: some WireMessage, into buffer: inout ByteBuffer
  ) throws(WireError) {
    arena.reset()
    pack(try message.build(in: arena), into: &buffer)
  }

  package func encode(_ message: some WireMessage) throws(WireError) -> [UInt8] {
    var buffer = ByteBuffer()
    try encode(message, into: &buffer)
    return buffer.copyBytes()
  }

  package func decode<Message: WireMessage>(
    _ type: Message.Type, from bytes: UnsafeRawBufferPointer
  ) throws(WireError) -> Message {
    try Message.read(bytes, in: arena)
  }

  package func decode<Message: WireMessage>(
    _ type: Message.Type, from bytes: [UInt8]
  ) throws(WireError) -> Message {
    try bytes.withUnsafeBufferPointer { (raw) throws(WireError) in
      try Message.read(UnsafeRawBufferPointer(raw), in: arena)
    }
  }
}

func string(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
  pointer.map { String(cString: $0) } ?? ""
}

func entries<Element>(_ pointer: UnsafeMutablePointer<Element>?, _ count: Int) -> [Element] {
  Array(UnsafeBufferPointer(start: pointer, count: count))
}

func values<Message, Value, Failure: Error>(
  _ pointer: UnsafeMutablePointer<UnsafeMutablePointer<Message>?>?, _ count: Int,
  _ read: (Message) throws(Failure) -> Value
) throws(Failure) -> [Value] {
  var values: [Value] = []
  values.reserveCapacity(count)
  for case let message? in UnsafeBufferPointer(start: pointer, count: count) {
    values.append(try read(message.pointee))
  }
  return values
}
