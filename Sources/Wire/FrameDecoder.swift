/// Cuts a stream of bytes into frames, however the network split it.
///
///     decoder.begin(bytes)              what was read, valid until `end`
///     while let frame = try decoder.next() { … }
///     decoder.end()                     keeps the part of a frame that is left over
///
/// Frames that lie whole in what was read are not copied. A frame's length is checked before
/// anything is kept for it.
package struct FrameDecoder: ~Copyable {
  private var kept = ByteBuffer(capacity: 0)
  private var current = UnsafeRawBufferPointer(start: nil, count: 0)
  private var offset = 0
  private let bodyBytesMax: Int
  // Last, since every connection has a decoder, and other flags fit behind these.
  private var readsKept = false
  private var awaitsPreface: Bool

  /// - Parameter expectsPreface: on the server's side, the peer's first bytes are the preface.
  package init(expectsPreface: Bool, bodyBytesMax: Int = Carrier.frameBodyBytesMax) {
    awaitsPreface = expectsPreface
    self.bodyBytesMax = bodyBytesMax
  }

  /// Makes the decoder as new, for the next connection.
  package mutating func reset(expectsPreface: Bool) {
    kept.removeAll()
    current = UnsafeRawBufferPointer(start: nil, count: 0)
    readsKept = false
    offset = 0
    awaitsPreface = expectsPreface
  }

  /// Counts the bytes kept of a frame or preface that is not whole yet.
  package var bytesBuffered: Int { kept.count }
  /// Starts to read `bytes`, behind what an earlier read left over; they must stay valid until
  /// `end`.
  package mutating func begin(_ bytes: UnsafeRawBufferPointer) {
    offset = 0
    readsKept = !kept.isEmpty
    if readsKept {
      kept.append(bytes)
      current = kept.readable
    } else {
      current = bytes
    }
  }

  /// Returns the next whole frame, or `nil` where more bytes are needed. Throws for a wrong
  /// preface, a frame that is too long, of an unknown type or malformed; the connection is then
  /// beyond repair.
  package mutating func next() throws(WireError) -> Frame? {
    if awaitsPreface {
      guard try readPreface() else { return nil }
    }
    let left = current.count - offset
    guard left >= Carrier.headerBytes else { return nil }
    let length = Int(current.loadBigEndian(UInt32.self, at: offset))
    guard length <= bodyBytesMax else {
      throw .frameTooLarge(bytes: length, limit: bodyBytesMax)
    }
    guard let type = FrameType(rawValue: current[offset + 4]) else {
      throw .unknownFrameType(current[offset + 4])
    }
    guard left >= Carrier.headerBytes + length else { return nil }
    let start = offset + Carrier.headerBytes
    let frame = Frame(
      type: type, flags: FrameFlags(rawValue: current[offset + 5]),
      stream: current.loadBigEndian(UInt32.self, at: offset + 6),
      body: UnsafeRawBufferPointer(rebasing: current[start..<start + length]))
    offset = start + length
    try frame.check()
    return frame
  }

  private mutating func readPreface() throws(WireError) -> Bool {
    let expected = UnsafeRawBufferPointer(
      start: Carrier.preface.utf8Start, count: Carrier.prefaceBytes)
    let seen = min(current.count - offset, Carrier.prefaceBytes)
    // A foreign protocol shows in its first wrong byte; there is no need to wait for eight.
    guard current[offset..<offset + seen].elementsEqual(expected[..<seen]) else {
      throw .badPreface
    }
    guard seen == Carrier.prefaceBytes else { return false }
    offset += seen
    awaitsPreface = false
    return true
  }

  /// Ends the reading of what `begin` gave and copies the part of a frame that is left over.
  package mutating func end() {
    if readsKept {
      kept.consume(offset)
    } else {
      kept.append(UnsafeRawBufferPointer(rebasing: current[offset...]))
    }
    current = UnsafeRawBufferPointer(start: nil, count: 0)
    offset = 0
  }
}

/// Puts the DATA frames of one stream together into gRPC length-prefixed messages.
///
/// A message that lies whole in one frame is not copied.
package struct MessageAssembler: ~Copyable {
  private var kept = ByteBuffer(capacity: 16)
  private var current = UnsafeRawBufferPointer(start: nil, count: 0)
  private var readsKept = false
  private var offset = 0
  private let messageBytesMax: Int
  private let takesCompressed: Bool
  /// Whether the last message that `next` returned has the compression flag 1.
  package private(set) var isCompressed = false

  /// Makes an assembler that refuses messages longer than `messageBytesMax` bytes.
  ///
  /// - Parameter takesCompressed: messages may have the compression flag 1, as gRPC over HTTP/2
  ///   allows.
  package init(
    messageBytesMax: Int = Carrier.messageBytesMax, takesCompressed: Bool = false
  ) {
    self.messageBytesMax = messageBytesMax
    self.takesCompressed = takesCompressed
  }

  /// Is true where the message, or its prefix, has begun and is not whole yet.
  package var holdsPartOfMessage: Bool { !kept.isEmpty }
  /// Bytes held of a message that is not whole yet.
  package var bytesBuffered: Int { kept.count }

  /// Starts to read the body of one DATA frame, which must stay valid until `end`.
  package mutating func begin(_ body: UnsafeRawBufferPointer) {
    offset = 0
    readsKept = !kept.isEmpty
    if readsKept {
      kept.append(body)
      current = kept.readable
    } else {
      current = body
    }
  }

  /// Returns the next whole message without its prefix, or `nil` where more bytes are needed.
  /// Throws `compressedMessage` or `messageTooLarge` as soon as the prefix shows it.
  package mutating func next() throws(WireError) -> UnsafeRawBufferPointer? {
    guard let beyond = try bytesBeyondMessage() else { return nil }
    isCompressed = current[offset] != 0
    let start = offset + Carrier.messagePrefixBytes
    offset = current.count - beyond
    return UnsafeRawBufferPointer(rebasing: current[start..<offset])
  }

  /// How many bytes there are behind the message that `next` would return; nil: it is not whole.
  /// Throws as `next` does.
  package func bytesBeyondMessage() throws(WireError) -> Int? {
    let left = current.count - offset
    guard left >= Carrier.messagePrefixBytes else { return nil }
    let flag = current[offset]
    guard flag == 0 || (flag == 1 && takesCompressed) else {
      throw .compressedMessage(flag: flag)
    }
    let length = Int(current.loadBigEndian(UInt32.self, at: offset + 1))
    guard length <= messageBytesMax else {
      throw .messageTooLarge(bytes: length, limit: messageBytesMax)
    }
    let beyond = left - Carrier.messagePrefixBytes - length
    return beyond < 0 ? nil : beyond
  }

  /// Ends the reading of what `begin` gave and copies the part of a message that is left over.
  package mutating func end() {
    if readsKept {
      kept.consume(offset)
    } else if offset < current.count {
      kept.append(UnsafeRawBufferPointer(rebasing: current[offset...]))
    }
    current = UnsafeRawBufferPointer(start: nil, count: 0)
    offset = 0
  }
}
