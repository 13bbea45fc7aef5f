internal import Wire

/// A message of a call that comes in parts, behind gRPC's five-byte prefix as with every carrier.
final class PartialMessage {
  var assembler: MessageAssembler

  init(messageBytesMax: Int) { assembler = MessageAssembler(messageBytesMax: messageBytesMax) }

  /// The message, if `body` is exactly one.
  static func whole(
    _ body: UnsafeRawBufferPointer, _ messageBytesMax: Int
  ) throws(WireError) -> UnsafeRawBufferPointer? {
    guard body.count >= Carrier.messagePrefixBytes else { return nil }
    guard body[0] == 0 else { throw .compressedMessage(flag: body[0]) }
    let length = Int(body.loadBigEndian(UInt32.self, at: 1))
    guard length <= messageBytesMax else {
      throw .messageTooLarge(bytes: length, limit: messageBytesMax)
    }
    guard body.count == Carrier.messagePrefixBytes + length else { return nil }
    return UnsafeRawBufferPointer(rebasing: body[Carrier.messagePrefixBytes...])
  }
}
