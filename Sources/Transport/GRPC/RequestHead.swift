internal import Wire

/// What the header fields of a request say, as they come.
///
/// Objects are the loop's and used again: a connection has one while a header block comes.
final class RequestHead: CallMetadata {
  /// nil: none of the collector's; then `path` has it.
  private(set) var method: CollectorMethod?
  private(set) var path: [UInt8] = []
  private(set) var isGRPC = false
  /// nil: POST, as every call has it.
  private(set) var otherMethod: [UInt8]?
  /// Of a request that is none of gRPC's.
  private(set) var otherContentType: [UInt8] = []
  private(set) var timeoutMilliseconds: UInt32 = 0
  /// nil: one that is not known here.
  private(set) var encoding: MessageEncoding? = .identity
  /// Bit n: the client decodes `MessageEncoding` n.
  private(set) var accepts: UInt8 = 0
  /// Why it is no request of gRPC, whatever it asks for.
  private(set) var fault: StaticString?
  private(set) var metadataBytes = 0
  private(set) var metadataEntries = 0
  private var authorization = ByteBuffer(capacity: 0)
  /// The last `grpc-accept-encoding` of any request, and what it says.
  private var lastList = ByteBuffer(capacity: 0)
  private var lastAccepts: UInt8 = 0
  /// Of a call to another service, within the limits.
  private(set) var metadata: [(name: String, value: [UInt8])] = []

  /// HTTP/2 counts a field as its bytes and 32 more (RFC 9113, 6.5.2).
  private static let fieldOverhead = 32

  /// Longer than any token that a server can ask for.
  private static let authorizationBytesMax = 1_024

  /// Longer than the list of all encodings that gRPC's libraries know.
  private static let listBytesMax = 64

  /// As new, for the next request.
  func reset() {
    method = nil
    (isGRPC, otherMethod, timeoutMilliseconds) = (false, nil, 0)
    if !otherContentType.isEmpty { otherContentType = [] }
    (encoding, accepts, fault) = (.identity, 0, nil)
    (metadataBytes, metadataEntries) = (0, 0)
    authorization.removeAll()
    if !path.isEmpty { path = [] }
    if !metadata.isEmpty { metadata = [] }
  }

  /// The one field that a server asks for is `authorization`.
  func value(of key: StaticString) -> UnsafeRawBufferPointer? {
    authorization.isEmpty ? nil : authorization.readable
  }

  func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    metadataBytes += name.count + value.count + Self.fieldOverhead
    switch name.count {
    case 5 where name.equals(":path"):
      method = CollectorMethod(path: value)
      if method == nil { path = Array(value.prefix(256)) }
    case 7 where name.equals(":method"):
      otherMethod = value.equals("POST") ? nil : Array(value.prefix(16))
    case 12 where name.equals("content-type"):
      isGRPC = value.equals("application/grpc") || ContentType.isGRPC(value)
      if !isGRPC { otherContentType = Array(value.prefix(64)) }
    case 12 where name.equals("grpc-timeout"):
      if let milliseconds = GRPCText.milliseconds(value) {
        timeoutMilliseconds = milliseconds
      } else {
        fault = "grpc-timeout is no timeout"
      }
    case 13 where name.equals("grpc-encoding"): encoding = MessageEncoding(name: value)
    case 20 where name.equals("grpc-accept-encoding"): accept(value)
    case 13 where name.equals("authorization"):
      authorization.removeAll()
      if value.count <= Self.authorizationBytesMax { authorization.append(value) }
    case 2 where name.equals("te"), 10 where name.equals("user-agent"): break
    default: addMetadata(name, value)
    }
  }

  private func addMetadata(
    _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) {
    guard name.first != UInt8(ascii: ":") else { return }
    metadataEntries += 1
    guard method == nil, metadataBytes <= 8_192, metadataEntries <= 32 else { return }
    // swift-format-ignore: HTTP/2's names are ASCII; nghttp2 refuses others.
    metadata.append((String(decoding: name, as: UTF8.self), Array(value)))
  }

  /// Clients send the same list with every call: the last one is not read again.
  private func accept(_ list: UnsafeRawBufferPointer) {
    if !list.equals(lastList.readable) {
      accepts = Self.encodings(in: list)
      guard list.count <= Self.listBytesMax else { return }
      lastList.removeAll()
      lastList.append(list)
      lastAccepts = accepts
    }
    accepts = lastAccepts
  }

  /// "identity, deflate, gzip" as bits.
  static func encodings(in list: UnsafeRawBufferPointer) -> UInt8 {
    var bits: UInt8 = 0
    for part in list.split(separator: UInt8(ascii: ",")) {
      let word = UnsafeRawBufferPointer(rebasing: part).trimmed
      if let encoding = MessageEncoding(name: word) { bits |= 1 << encoding.rawValue }
    }
    return bits
  }

  /// The encoding of an answer, of those that the client decodes.
  static func answerEncoding(accepting bits: UInt8) -> MessageEncoding {
    if bits & 1 << MessageEncoding.zstd.rawValue != 0 { return .zstd }
    return bits & 1 << MessageEncoding.gzip.rawValue != 0 ? .gzip : .identity
  }
}

extension UnsafeRawBufferPointer {
  /// Without the spaces at both ends.
  fileprivate var trimmed: UnsafeRawBufferPointer {
    var view = self[...]
    while view.first == UInt8(ascii: " ") { view = view.dropFirst() }
    while view.last == UInt8(ascii: " ") { view = view.dropLast() }
    return UnsafeRawBufferPointer(rebasing: view)
  }
}
