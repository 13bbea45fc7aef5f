/// Frame types; PROTOCOL.md section 3 has the byte tables.
package enum FrameType: UInt8, CaseIterable, Sendable {
  case data, headers, status, cancel, settings, ping, goAway, window

  /// Whether frames of this type belong to the connection (stream 0), not to a call.
  package var isOfConnection: Bool {
    switch self {
    case .data, .headers, .status, .cancel: false
    case .settings, .ping, .goAway, .window: true
    }
  }
}

/// One frame, whose body points into the decoder's bytes.
package struct Frame {
  package let type: FrameType
  /// The flags, which depend on the type; unknown flags are kept and ignored.
  package let flags: FrameFlags
  /// The call's stream; 0 for the connection.
  package let stream: UInt32
  /// The bytes after the 10-byte header, valid until the decoder's `end`.
  package let body: UnsafeRawBufferPointer

  func check() throws(WireError) {
    guard type.isOfConnection == (stream == 0) else {
      throw .malformedFrame(type, reason: "it cannot be on stream \(stream)")
    }
    guard type != .ping || body.count == 8 else {
      throw .malformedFrame(.ping, reason: "\(body.count) bytes instead of 8")
    }
  }
}

extension Frame {
  package func windowGrant() throws(WireError) -> Int {
    guard body.count == 4 else {
      throw .malformedFrame(.window, reason: "\(body.count) bytes instead of 4")
    }
    return Int(body.loadBigEndian(UInt32.self, at: 0))
  }

  /// The last stream that a GOAWAY's sender answers, and the reason.
  package func goAway() throws(WireError) -> (last: UInt32, code: StatusCode) {
    guard body.count >= 5 else {
      throw .malformedFrame(.goAway, reason: "\(body.count) bytes are too few")
    }
    return (body.loadBigEndian(UInt32.self, at: 0), StatusCode(rawValue: body[4]) ?? .unavailable)
  }
}

package struct FrameFlags: OptionSet, Sendable {
  @usableFromInline package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Returns whether the flag is set. The generic version costs a witness table lookup here.
  @inlinable package func contains(_ flag: FrameFlags) -> Bool {
    rawValue & flag.rawValue == flag.rawValue
  }

  /// DATA: the sender's last frame on this stream. A server's last frame ends the call with OK.
  package static let endOfStream = Self(rawValue: 1)
  /// DATA of a client: the frame opens its stream like the connection's last HEADERS.
  package static let repeatsHeaders = Self(rawValue: 2)
  /// PING: the frame answers a PING.
  package static let acknowledgement = Self(rawValue: 1)
  /// STATUS: a pushback time precedes the text.
  package static let pushback = Self(rawValue: 2)
}

/// The carrier's constants; PROTOCOL.md explains their values.
package enum Carrier {
  /// A client's first bytes: name and version.
  package static let preface: StaticString = "FLOTLA/1"
  package static let prefaceBytes = 8
  /// The bytes of a frame's header: length (4), type (1), flags (1), stream (4).
  package static let headerBytes = 10
  /// The bytes before a message: compression flag (1) and length (4), as in gRPC.
  package static let messagePrefixBytes = 5
  /// The limit of a frame's body. A longer message takes several frames and delays no others.
  package static let frameBodyBytesMax = 65_536
  /// The default limit of a message, as in gRPC.
  package static let messageBytesMax = 4_194_304
  /// The DATA bytes in flight before the receiver must grant more: sixteen frames.
  package static let windowBytes = 1_048_576
  package static let streamsMax = 1_024
}

package struct CarrierSettings: Equatable, Sendable {
  /// DATA bytes that may be in flight to the sender of these settings.
  package var windowBytes = Carrier.windowBytes
  /// The limit of calls open at the sender of these settings.
  package var streamsMax = Carrier.streamsMax
  /// The limit of messages to the sender of these settings, in bytes without their prefix.
  package var messageBytesMax = Carrier.messageBytesMax
  /// A bit set: bit n means that `Encoding` n can be decoded.
  package var encodings: UInt32 = 0b11_1111
  /// The number of the dictionary that zstd payloads may name; 0 for none.
  package var dictionary: UInt32 = 0
  /// Whether messages to the sender of these settings may have compression flag 1, as zstd frames.
  package var takesCompressed = false

  /// Creates the settings of a peer that sends none.
  package init() {}

  /// Parses (u16, u32) pairs and skips unknown numbers. Throws `malformedFrame` for other bytes.
  package init(_ body: UnsafeRawBufferPointer) throws(WireError) {
    guard body.count % 6 == 0 else {
      throw .malformedFrame(.settings, reason: "\(body.count) bytes are not a list of pairs")
    }
    for offset in stride(from: 0, to: body.count, by: 6) {
      let value = body.loadBigEndian(UInt32.self, at: offset + 2)
      switch body.loadBigEndian(UInt16.self, at: offset) {
      case 1: windowBytes = Int(value)
      case 2: streamsMax = Int(value)
      case 3: messageBytesMax = Int(value)
      case 4: encodings = value
      case 5: dictionary = value
      case 6: takesCompressed = value != 0
      default: break  // A newer peer may say more; that is its right.
      }
    }
  }

  var pairs: [(UInt16, UInt32)] {
    [
      (1, UInt32(windowBytes)), (2, UInt32(streamsMax)), (3, UInt32(messageBytesMax)),
      (4, encodings), (5, dictionary), (6, takesCompressed ? 1 : 0),
    ]
  }
}

package struct CallHeaders {
  /// The client's deadline; 0 for none.
  package let timeoutMilliseconds: UInt32
  /// The method's path, `/package.Service/Method`, in UTF-8.
  package let path: UnsafeRawBufferPointer
  private let metadata: UnsafeRawBufferPointer
  package let metadataEntries: Int
  /// The size of all metadata as sent, with 3 bytes of lengths for each entry.
  package var metadataBytes: Int { metadata.count }

  /// Parses a HEADERS body in place; throws `malformedFrame` if it is truncated.
  package init(_ body: UnsafeRawBufferPointer) throws(WireError) {
    guard body.count >= 6 else { throw Self.short }
    timeoutMilliseconds = body.loadBigEndian(UInt32.self, at: 0)
    let pathEnd = 6 + Int(body.loadBigEndian(UInt16.self, at: 4))
    guard body.count >= pathEnd else { throw Self.short }
    path = UnsafeRawBufferPointer(rebasing: body[6..<pathEnd])
    metadata = UnsafeRawBufferPointer(rebasing: body[pathEnd...])
    var offset = 0
    var entries = 0
    while offset < metadata.count {
      guard let next = Self.entry(metadata, at: offset) else { throw Self.short }
      offset = next.end
      entries += 1
    }
    metadataEntries = entries
  }

  private static var short: WireError {
    .malformedFrame(.headers, reason: "it ends in the middle of a field")
  }

  private static func entry(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) -> (key: Range<Int>, value: Range<Int>, end: Int)? {
    guard offset + 3 <= bytes.count else { return nil }
    let keyEnd = offset + 3 + Int(bytes[offset])
    let valueEnd = keyEnd + Int(bytes.loadBigEndian(UInt16.self, at: offset + 1))
    guard valueEnd <= bytes.count else { return nil }
    return (offset + 3..<keyEnd, keyEnd..<valueEnd, valueEnd)
  }

  /// Returns the value of a lower-case key; nil if the metadata lack the key.
  package func value(of key: StaticString) -> UnsafeRawBufferPointer? {
    var offset = 0
    while let entry = Self.entry(metadata, at: offset) {
      if metadata[entry.key].elementsEqual(key.bytes) {
        return UnsafeRawBufferPointer(rebasing: metadata[entry.value])
      }
      offset = entry.end
    }
    return nil
  }
}

package struct CallStatus: Equatable, Sendable {
  /// The status; a code that this version does not know is read as `unknown`.
  package var code: StatusCode
  package var text: String
  /// The client's wait before a retry; negative for no retry, nil for the client's own backoff.
  package var pushbackMilliseconds: Int32?

  package init(_ code: StatusCode, _ text: String = "", pushbackMilliseconds: Int32? = nil) {
    self.code = code
    self.text = text
    self.pushbackMilliseconds = pushbackMilliseconds
  }

  /// Parses a STATUS frame; throws `malformedFrame` if the frame is empty or truncated.
  package init(_ frame: Frame) throws(WireError) {
    var offset = 1
    guard let first = frame.body.first else {
      throw .malformedFrame(.status, reason: "it is empty")
    }
    // An unknown code counts as UNKNOWN, as in gRPC.
    code = StatusCode(rawValue: first) ?? .unknown
    if frame.flags.contains(.pushback) {
      guard frame.body.count >= 5 else {
        throw .malformedFrame(.status, reason: "it ends in the middle of the pushback time")
      }
      pushbackMilliseconds = frame.body.loadBigEndian(Int32.self, at: 1)
      offset = 5
    } else {
      pushbackMilliseconds = nil
    }
    // swift-format-ignore: a peer's text may be invalid UTF-8; it is repaired, not refused.
    text = String(decoding: frame.body[offset...], as: UTF8.self)
  }
}
