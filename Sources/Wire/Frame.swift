/// What a frame is for; PROTOCOL.md section 3 has the byte tables.
package enum FrameType: UInt8, CaseIterable, Sendable {
  case data, headers, status, cancel, settings, ping, goAway, window

  /// Whether its frames speak of the connection, on stream 0, and not of a call.
  package var isOfConnection: Bool {
    switch self {
    case .data, .headers, .status, .cancel: false
    case .settings, .ping, .goAway, .window: true
    }
  }
}

/// One frame, whose body points into the decoder's bytes.
package struct Frame {
  /// Says what the frame is for.
  package let type: FrameType
  /// Holds the flags, whose meaning depends on the type; unknown ones are kept and ignored.
  package let flags: FrameFlags
  /// 0: the connection itself.
  package let stream: UInt32
  /// Holds what follows the header of 10 bytes, valid until the decoder's `end`.
  package let body: UnsafeRawBufferPointer

  /// What every receiver may rely on, whichever side it is.
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
  /// The bytes that a WINDOW frame grants.
  package func windowGrant() throws(WireError) -> Int {
    guard body.count == 4 else {
      throw .malformedFrame(.window, reason: "\(body.count) bytes instead of 4")
    }
    return Int(body.loadBigEndian(UInt32.self, at: 0))
  }

  /// The last stream that a GOAWAY frame's sender answers, and why it goes.
  package func goAway() throws(WireError) -> (last: UInt32, code: StatusCode) {
    guard body.count >= 5 else {
      throw .malformedFrame(.goAway, reason: "\(body.count) bytes are too few")
    }
    return (body.loadBigEndian(UInt32.self, at: 0), StatusCode(rawValue: body[4]) ?? .unavailable)
  }
}

/// The flags of a frame; each type uses its own.
package struct FrameFlags: OptionSet, Sendable {
  /// Holds the flags as the byte that travels.
  @usableFromInline package let rawValue: UInt8
  /// Makes the flags from the byte that travels.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Says whether a flag is set; what every option set has is asked for by way of a table of
  /// functions from other modules.
  @inlinable package func contains(_ flag: FrameFlags) -> Bool {
    rawValue & flag.rawValue == flag.rawValue
  }

  /// DATA: the last one of its sender on this stream. A client's request is whole with it; a
  /// server's call has ended with OK, and no STATUS follows.
  package static let endOfStream = Self(rawValue: 1)
  /// DATA of a client: opens its stream, with path, timeout and metadata of the connection's last
  /// HEADERS.
  package static let repeatsHeaders = Self(rawValue: 2)
  /// PING: an answer.
  package static let acknowledgement = Self(rawValue: 1)
  /// STATUS: a pushback time stands before the text.
  package static let pushback = Self(rawValue: 2)
}

/// The carrier's constants; PROTOCOL.md says why each has its value.
package enum Carrier {
  /// The first bytes of a client on a new connection: name and version.
  package static let preface: StaticString = "FLOTLA/1"
  /// Is the length of the preface in bytes.
  package static let prefaceBytes = 8
  /// length (4), type (1), flags (1), stream (4).
  package static let headerBytes = 10
  /// Compression flag (1) and length (4), as gRPC writes them.
  package static let messagePrefixBytes = 5
  /// A longer message goes in several DATA frames, so that it cannot hold up its neighbours.
  package static let frameBodyBytesMax = 65_536
  /// gRPC's default.
  package static let messageBytesMax = 4_194_304
  /// DATA bytes under way on a connection before the receiver grants more. Sixteen frames.
  package static let windowBytes = 1_048_576
  /// Is the default of the calls that one connection may have open at once.
  package static let streamsMax = 1_024
}

/// What a peer tells about itself in a SETTINGS frame.
package struct CarrierSettings: Equatable, Sendable {
  /// DATA bytes that the peer may have under way to the sender of these settings.
  package var windowBytes = Carrier.windowBytes
  /// Limits the calls that the peer may have open at once to the sender of these settings.
  package var streamsMax = Carrier.streamsMax
  /// Limits the messages that the sender of these settings takes, in bytes without their prefix.
  package var messageBytesMax = Carrier.messageBytesMax
  /// Bit n: `Encoding` n can be decoded.
  package var encodings: UInt32 = 0b11_1111
  /// Number of the dictionary that zstd payloads may name; 0: none.
  package var dictionary: UInt32 = 0
  /// Whether messages to the sender of these settings may have the compression flag 1, and are zstd
  /// frames then.
  package var takesCompressed = false

  /// Makes the settings that hold for a peer that sends none.
  package init() {}

  /// - Throws: `malformedFrame` when the body is not a list of (u16, u32); unknown numbers are
  ///   skipped.
  package init(_ body: UnsafeRawBufferPointer) throws(WireError) {
    guard body.count % 6 == 0 else {
      throw .malformedFrame(.settings, reason: "\(body.count) bytes are no list of pairs")
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

/// The opening of a call, parsed in place.
package struct CallHeaders {
  /// 0: no deadline.
  package let timeoutMilliseconds: UInt32
  /// Holds the method as `/package.Service/Method`, in UTF-8.
  package let path: UnsafeRawBufferPointer
  private let metadata: UnsafeRawBufferPointer
  /// Counts the metadata entries.
  package let metadataEntries: Int
  /// Counts the bytes of all metadata as they travel, with 3 bytes of lengths for each entry.
  package var metadataBytes: Int { metadata.count }

  /// Parses the body of a HEADERS frame in place; throws `malformedFrame` where it ends within a
  /// field.
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
    .malformedFrame(.headers, reason: "it ends within a field")
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

  /// The value of a metadata key, which is written in lower case.
  package func value(of key: StaticString) -> UnsafeRawBufferPointer? {
    let wanted = UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
    var offset = 0
    while let entry = Self.entry(metadata, at: offset) {
      if metadata[entry.key].elementsEqual(wanted) {
        return UnsafeRawBufferPointer(rebasing: metadata[entry.value])
      }
      offset = entry.end
    }
    return nil
  }
}

/// How a call ended, as the server says in a STATUS frame.
package struct CallStatus: Equatable, Sendable {
  /// Is the canonical status code; a code that this version does not know reads as `unknown`.
  package var code: StatusCode
  /// Holds an explanation for people; empty where the server gives none.
  package var text: String
  /// How long the client shall wait before it tries again; negative: it shall not.
  package var pushbackMilliseconds: Int32?

  /// Makes a status from its parts; without a pushback the client's own back-off applies.
  package init(_ code: StatusCode, _ text: String = "", pushbackMilliseconds: Int32? = nil) {
    self.code = code
    self.text = text
    self.pushbackMilliseconds = pushbackMilliseconds
  }

  /// Parses a STATUS frame; throws `malformedFrame` where it is empty or ends within the pushback
  /// time.
  package init(_ frame: Frame) throws(WireError) {
    var offset = 1
    guard let first = frame.body.first else {
      throw .malformedFrame(.status, reason: "it is empty")
    }
    // A code from the future is UNKNOWN, as gRPC has it.
    code = StatusCode(rawValue: first) ?? .unknown
    if frame.flags.contains(.pushback) {
      guard frame.body.count >= 5 else {
        throw .malformedFrame(.status, reason: "it ends within the pushback time")
      }
      pushbackMilliseconds = frame.body.loadBigEndian(Int32.self, at: 1)
      offset = 5
    } else {
      pushbackMilliseconds = nil
    }
    // swift-format-ignore: a peer's text may be no UTF-8; it is repaired, not refused.
    text = String(decoding: frame.body[offset...], as: UTF8.self)
  }
}
