/// A message of collector.proto as a plain value.
///
/// The two requirements go through an arena so that no generated C type leaves this room; callers
/// use `MessageCodec` or the two conveniences below.
package protocol WireMessage: Sendable {
  /// Builds the C message; the pointer is good until the arena is reset.
  func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer
  /// Parses the message from bytes; throws `malformedMessage` where protobuf-c cannot, and other
  /// errors for values out of their range.
  static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self
}

/// Encodes and decodes messages through one arena. Not thread-safe: one per thread or loop.
package final class MessageCodec {
  private let arena: Arena

  /// - Parameter capacity: enough for the parsed form of the largest message; 16 bytes of arena
  ///   for each byte of a 4 MiB message cover a column of one-byte varints.
  package init(capacity: Int = 64 << 20) { arena = Arena(capacity: capacity) }

  /// Appends a message to `buffer`; throws `messageTooLarge` where the arena cannot hold its C
  /// form.
  package func encode(
    _ message: some WireMessage, into buffer: inout ByteBuffer
  ) throws(WireError) {
    arena.reset()
    pack(try message.build(in: arena), into: &buffer)
  }

  /// Returns the bytes of a message; throws `messageTooLarge` where the arena cannot hold its C
  /// form.
  package func encode(_ message: some WireMessage) throws(WireError) -> [UInt8] {
    var buffer = ByteBuffer()
    try encode(message, into: &buffer)
    return buffer.copyBytes()
  }

  /// Parses a message of the given type; throws `malformedMessage` where the bytes are none or the
  /// arena is too small, and other errors for values out of their range.
  package func decode<Message: WireMessage>(
    _ type: Message.Type, from bytes: UnsafeRawBufferPointer
  ) throws(WireError) -> Message {
    try Message.read(bytes, in: arena)
  }

  /// Parses a message of the given type from an array, as the other `decode` does.
  package func decode<Message: WireMessage>(
    _ type: Message.Type, from bytes: [UInt8]
  ) throws(WireError) -> Message {
    try bytes.withUnsafeBufferPointer { (raw) throws(WireError) in
      try Message.read(UnsafeRawBufferPointer(raw), in: arena)
    }
  }
}

/// A C string of the arena as a Swift one; nil is protobuf-c's empty.
func string(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
  pointer.map { String(cString: $0) } ?? ""
}

/// A packed column of the arena as an array.
func entries<Element>(_ pointer: UnsafeMutablePointer<Element>?, _ count: Int) -> [Element] {
  Array(UnsafeBufferPointer(start: pointer, count: count))
}

/// A repeated message field as values.
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
