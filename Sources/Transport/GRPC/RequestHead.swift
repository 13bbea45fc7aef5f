internal import Wire

/// The header fields of a request as they arrive. A connection borrows a head per header block.
final class RequestHead: CallMetadata {
  /// The collector's method, or nil for any other method, which `path` names.
  private(set) var method: CollectorMethod?
  private(set) var path: [UInt8] = []
  private(set) var isGRPC = false
  /// The HTTP method, or nil if the method is POST.
  private(set) var otherMethod: [UInt8]?
  private(set) var otherContentType: [UInt8] = []
  private(set) var timeoutMilliseconds: UInt32 = 0
  private(set) var encoding: MessageEncoding? = .identity
  /// The encodings that the client decodes: bit n stands for `MessageEncoding` n.
  private(set) var accepts: UInt8 = 0
  private(set) var fault: StaticString?
  private(set) var metadataBytes = 0
  private(set) var metadataEntries = 0
  private var authorization = ByteBuffer(capacity: 0)
  private var lastList = ByteBuffer(capacity: 0)
  private var lastAccepts: UInt8 = 0
  private(set) var metadata: [(name: String, value: [UInt8])] = []

  /// The bytes that HTTP/2 adds to the size of each field (RFC 9113, 6.5.2).
  private static let fieldOverhead = 32

  /// The maximum size of `authorization`, larger than any token that a server can require.
  private static let authorizationBytesMax = 1_024

  /// The longest list of encodings that is remembered, longer than any list of gRPC's libraries.
  private static let listBytesMax = 64

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

  /// Returns the value of `authorization`, the only available key, or nil without a value.
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
        fault = "grpc-timeout is malformed"
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

  /// Sets `accepts`. The list is parsed only if it differs from the last list, which is rare.
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

  /// Parses a list such as "identity, deflate, gzip" into the bits of `accepts`.
  static func encodings(in list: UnsafeRawBufferPointer) -> UInt8 {
    var bits: UInt8 = 0
    for part in list.split(separator: UInt8(ascii: ",")) {
      let word = UnsafeRawBufferPointer(rebasing: part).trimmed
      if let encoding = MessageEncoding(name: word) { bits |= 1 << encoding.rawValue }
    }
    return bits
  }

  static func answerEncoding(accepting bits: UInt8) -> MessageEncoding {
    if bits & 1 << MessageEncoding.zstd.rawValue != 0 { return .zstd }
    return bits & 1 << MessageEncoding.gzip.rawValue != 0 ? .gzip : .identity
  }
}

extension UnsafeRawBufferPointer {
  fileprivate var trimmed: UnsafeRawBufferPointer {
    var view = self[...]
    while view.first == UInt8(ascii: " ") { view = view.dropFirst() }
    while view.last == UInt8(ascii: " ") { view = view.dropLast() }
    return UnsafeRawBufferPointer(rebasing: view)
  }
}
