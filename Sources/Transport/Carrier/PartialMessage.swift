internal import Wire

/// A call's message that arrives in parts. A message of any carrier has gRPC's five-byte prefix.
final class PartialMessage {
  var assembler: MessageAssembler

  /// - Parameter takesCompressed: whether the carrier has negotiated compression.
  init(messageBytesMax: Int, takesCompressed: Bool = false) {
    assembler = MessageAssembler(
      messageBytesMax: messageBytesMax, takesCompressed: takesCompressed)
  }

  /// Returns the message, compressed or not, if `body` is exactly one message, otherwise nil.
  static func whole(
    _ body: UnsafeRawBufferPointer, _ messageBytesMax: Int, takesCompressed: Bool = false
  ) throws(WireError) -> UnsafeRawBufferPointer? {
    guard body.count >= Carrier.messagePrefixBytes else { return nil }
    guard body[0] == 0 || (body[0] == 1 && takesCompressed) else {
      throw .compressedMessage(flag: body[0])
    }
    let length = Int(body.loadBigEndian(UInt32.self, at: 1))
    guard length <= messageBytesMax else {
      throw .messageTooLarge(bytes: length, limit: messageBytesMax)
    }
    guard body.count == Carrier.messagePrefixBytes + length else { return nil }
    return UnsafeRawBufferPointer(rebasing: body[Carrier.messagePrefixBytes...])
  }

  static func wholeRequest(
    _ body: UnsafeRawBufferPointer, _ messageBytesMax: Int, takesCompressed: Bool
  ) throws(MessageError) -> UnsafeRawBufferPointer? {
    do throws(WireError) {
      return try whole(body, messageBytesMax, takesCompressed: takesCompressed)
    } catch { throw .refused(error) }
  }

  /// Takes the next part of a unary request. Returns the message if the part is the last one, which
  /// may be empty, and otherwise nil. The message is valid until `assembler.end()`.
  func take(
    _ bytes: UnsafeRawBufferPointer, isLast: Bool
  ) throws(MessageError) -> UnsafeRawBufferPointer? {
    assembler.begin(bytes)
    let beyond: Int?
    do throws(WireError) { beyond = try assembler.bytesBeyondMessage() } catch {
      throw .refused(error)
    }
    if let beyond, beyond > 0 { throw .goesOn }
    guard isLast else { return nil }
    if beyond == nil { throw .cutShort }
    do throws(WireError) { return try assembler.next() } catch { throw .refused(error) }
  }
}

enum MessageError: Error, Equatable {
  case refused(WireError)
  case cutShort
  case goesOn

  var isTooLarge: Bool {
    if case .refused(.messageTooLarge) = self { true } else { false }
  }

  var status: CallStatus {
    switch self {
    case .refused(let error): CallStatus(error.status, error.description)
    case .cutShort: CallStatus(.internal, "the request ends in the middle of a message")
    case .goesOn: CallStatus(.internal, "a unary call has exactly one message")
    }
  }
}
