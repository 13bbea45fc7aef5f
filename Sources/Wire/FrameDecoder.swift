/// Splits a byte stream into frames.
///
///     decoder.begin(bytes)                 // valid until `end`
///     while let frame = try decoder.next() { … }   // complete frames
///     decoder.end()                        // keeps an incomplete frame
///
/// Complete frames in the input are not copied. Lengths are checked before anything is kept.
package struct FrameDecoder: ~Copyable {
  private var kept = ByteBuffer(capacity: 0)
  private var current = UnsafeRawBufferPointer(start: nil, count: 0)
  private var offset = 0
  private let bodyBytesMax: Int
  // The flags come last, which makes the decoder of each connection smaller.
  private var readsKept = false
  private var awaitsPreface: Bool

  /// - Parameter expectsPreface: whether a client's preface comes first: true on the server's side.
  package init(expectsPreface: Bool, bodyBytesMax: Int = Carrier.frameBodyBytesMax) {
    awaitsPreface = expectsPreface
    self.bodyBytesMax = bodyBytesMax
  }

  package var bytesBuffered: Int { kept.count }
  /// Begins to read `bytes`, after the kept remainder; `bytes` must stay valid until `end`.
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

  /// Returns the next complete frame; nil if more bytes are needed. Throws for a wrong preface, or
  /// a frame that is too long, unknown or malformed. After an error the connection is unusable.
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
    let seen = min(current.count - offset, Carrier.prefaceBytes)
    // The first wrong byte decides, so a foreign protocol is refused before eight bytes.
    guard current[offset..<offset + seen].elementsEqual(Carrier.preface.bytes[..<seen]) else {
      throw .badPreface
    }
    guard seen == Carrier.prefaceBytes else { return false }
    offset += seen
    awaitsPreface = false
    return true
  }

  /// Ends the reading and keeps a copy of an incomplete frame.
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

/// Joins a stream's DATA frames into gRPC messages. Messages within one frame are not copied.
package struct MessageAssembler: ~Copyable {
  private var kept = ByteBuffer(capacity: 16)
  private var current = UnsafeRawBufferPointer(start: nil, count: 0)
  private var readsKept = false
  private var offset = 0
  private let messageBytesMax: Int
  private let takesCompressed: Bool
  /// Whether the last message from `next` has compression flag 1.
  package private(set) var isCompressed = false

  /// - Parameter takesCompressed: whether compression flag 1 is allowed, as in gRPC over HTTP/2.
  package init(
    messageBytesMax: Int = Carrier.messageBytesMax, takesCompressed: Bool = false
  ) {
    self.messageBytesMax = messageBytesMax
    self.takesCompressed = takesCompressed
  }

  /// Whether a message, or its prefix, is incomplete.
  package var holdsPartOfMessage: Bool { !kept.isEmpty }
  package var bytesBuffered: Int { kept.count }

  /// Begins to read a DATA body, which must stay valid until `end`.
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

  /// Returns the next complete message without its prefix, or nil if more bytes are needed. Throws
  /// `compressedMessage` or `messageTooLarge` as soon as the prefix is complete.
  package mutating func next() throws(WireError) -> UnsafeRawBufferPointer? {
    guard let beyond = try bytesBeyondMessage() else { return nil }
    isCompressed = current[offset] != 0
    let start = offset + Carrier.messagePrefixBytes
    offset = current.count - beyond
    return UnsafeRawBufferPointer(rebasing: current[start..<offset])
  }

  /// Returns the bytes after the next message; nil if incomplete. Throws the same errors as `next`.
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
