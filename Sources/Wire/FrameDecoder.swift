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
  private var readsKept = false
  private var offset = 0
  private var awaitsPreface: Bool
  private let bodyBytesMax: Int

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

  /// Whether bytes of an unfinished frame (or preface) are held.
  package var holdsPartOfFrame: Bool { !kept.isEmpty }
  package var bytesBuffered: Int { kept.count }
  /// Whether the peer has yet to say which protocol it speaks.
  package var isAwaitingPreface: Bool { awaitsPreface }

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
    // A stranger is known by its first wrong byte; there is no need to wait for eight.
    guard current[offset..<offset + seen].elementsEqual(expected[..<seen]) else {
      throw .badPreface
    }
    guard seen == Carrier.prefaceBytes else { return false }
    offset += seen
    awaitsPreface = false
    return true
  }

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

  package init(messageBytesMax: Int = Carrier.messageBytesMax) {
    self.messageBytesMax = messageBytesMax
  }

  package var holdsPartOfMessage: Bool { !kept.isEmpty }
  /// Bytes held of a message that is not whole yet.
  package var bytesBuffered: Int { kept.count }

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

  package mutating func next() throws(WireError) -> UnsafeRawBufferPointer? {
    let left = current.count - offset
    guard left >= Carrier.messagePrefixBytes else { return nil }
    let flag = current[offset]
    guard flag == 0 else { throw .compressedMessage(flag: flag) }
    let length = Int(current.loadBigEndian(UInt32.self, at: offset + 1))
    guard length <= messageBytesMax else {
      throw .messageTooLarge(bytes: length, limit: messageBytesMax)
    }
    guard left >= Carrier.messagePrefixBytes + length else { return nil }
    let start = offset + Carrier.messagePrefixBytes
    offset = start + length
    return UnsafeRawBufferPointer(rebasing: current[start..<offset])
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
