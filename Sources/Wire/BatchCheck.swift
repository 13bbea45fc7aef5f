internal import CFlotillaProto
internal import CProtobufC
internal import CZlib

/// What tells a damaged upload from a whole one: CRC-32 (IEEE 802.3, as zlib computes it) over the
/// envelope's numbers and the payload, as collector.proto says.
///
/// TCP's own sum misses one damaged segment in 65,536, and what stands between a phone and its
/// server recomputes it. The ack repeats the number, so that it cannot be taken for that of another
/// batch (Saltzer, Reed and Clark, "End-to-end arguments in system design", 1984).
enum BatchCheck {
  static func of(_ request: borrowing Flotilla__V1__UploadRequest) -> UInt32 {
    Checksum.crc32(request.payload.data, request.payload.len, after: head(request))
  }

  /// Of what stands before the payload.
  private static func head(_ request: borrowing Flotilla__V1__UploadRequest) -> UInt32 {
    let words = (
      request.phone.bigEndian, request.epoch.bigEndian, request.sequence.bigEndian,
      request.fix_count.bigEndian,
      UInt32(truncatingIfNeeded: request.encoding.rawValue).bigEndian,
      request.uncompressed_size.bigEndian, request.settings_version.bigEndian
    )
    return withUnsafeBytes(of: words) { Checksum.crc32($0) }
  }

  /// A payload that is sent again and again under other names is summed up once.
  struct Tail: Sendable {
    private let sum: UInt
    private let combination: UInt

    init(_ payload: UnsafeRawBufferPointer) {
      sum = UInt(Checksum.crc32(payload))
      combination = crc32_combine_gen(payload.count)
    }

    /// The same as `BatchCheck.of`, for a request that has the payload.
    func check(_ request: borrowing Flotilla__V1__UploadRequest) -> UInt32 {
      UInt32(truncatingIfNeeded: crc32_combine_op(UInt(BatchCheck.head(request)), sum, combination))
    }
  }
}
