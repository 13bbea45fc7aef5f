internal import Telemetry

/// Turns fixes into a `BatchRows`, and that into a gzip stream or a zstd frame where that is
/// smaller.
final class RowCompressor {
  private let rows = BatchRows()
  private let compression: RowCompression
  private let compressor = MessageCompressor()
  private var plain = ByteBuffer(capacity: 4_096)
  private var packed = ByteBuffer(capacity: 4_096)

  init(_ compression: RowCompression) { self.compression = compression }

  /// A payload that is good until the next call.
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

/// What stands behind rows.
package enum RowCompression: CaseIterable, Sendable {
  case none, gzip, zstd
}

/// A payload as it travels, in memory of who made it.
struct EncodedPayload {
  var encoding: Encoding
  var bytes: UnsafeMutableRawBufferPointer
  /// Its size before compression.
  var plainBytes: Int
}
