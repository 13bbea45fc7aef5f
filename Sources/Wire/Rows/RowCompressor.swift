internal import Core

/// Encodes fixes as a `BatchRows`, in a gzip stream or a zstd frame if that is smaller.
final class RowCompressor {
  private let rows = BatchRows()
  private let compression: RowCompression
  private let compressor = MessageCompressor()
  private var plain = ByteBuffer(capacity: 4_096)
  private var packed = ByteBuffer(capacity: 4_096)

  init(_ compression: RowCompression) { self.compression = compression }

  /// Returns the payload of the fixes, valid until the next call.
  func encode(_ fixes: UnsafeBufferPointer<Fix>) throws(WireError) -> EncodedPayload {
    plain.removeAll()
    packed.removeAll()
    try rows.pack(fixes, into: &plain)
    let (kind, encoding): (MessageEncoding, Encoding) =
      switch compression {
      case .none: (.identity, .rows)
      case .gzip: (.gzip, .rowsGzip)
      case .zstd: (.zstd, .rowsZstd)
      }
    let isSmaller = compressor.compress(plain.readable, kind, into: &packed)
    return EncodedPayload(
      encoding: isSmaller ? encoding : .rows, bytes: isSmaller ? packed.mutable : plain.mutable,
      plainBytes: plain.count)
  }
}

package enum RowCompression: CaseIterable, Sendable {
  case none, gzip, zstd
}

struct EncodedPayload {
  var encoding: Encoding
  var bytes: UnsafeMutableRawBufferPointer
  var plainBytes: Int
}
