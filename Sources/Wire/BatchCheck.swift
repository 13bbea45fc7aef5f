internal import CFlotillaProto
internal import CProtobufC
internal import CZlib

/// Detects damaged uploads by a CRC-32 (IEEE 802.3) over the envelope's numbers and the payload, as
/// in collector.proto. TCP misses one damaged segment in 65,536. The ack repeats the CRC (Saltzer,
/// Reed and Clark, "End-to-end arguments in system design", 1984).
enum BatchCheck {
  static func of(_ request: borrowing Flotilla__V1__UploadRequest) -> UInt32 {
    Checksum.crc32(request.payload.data, request.payload.len, after: head(request))
  }

  private static func head(_ request: borrowing Flotilla__V1__UploadRequest) -> UInt32 {
    let words = (
      request.phone.bigEndian, request.epoch.bigEndian, request.sequence.bigEndian,
      request.fix_count.bigEndian,
      UInt32(truncatingIfNeeded: request.encoding.rawValue).bigEndian,
      request.uncompressed_size.bigEndian, request.settings_version.bigEndian
    )
    return withUnsafeBytes(of: words) { Checksum.crc32($0) }
  }

  /// The CRC-32 of a payload that is sent repeatedly, as batches of different ids.
  struct Tail: Sendable {
    private let sum: UInt
    private let combination: UInt

    init(_ payload: UnsafeRawBufferPointer) {
      sum = UInt(Checksum.crc32(payload))
      combination = crc32_combine_gen(payload.count)
    }

    /// Returns what `BatchCheck.of` returns for a request with this payload.
    func check(_ request: borrowing Flotilla__V1__UploadRequest) -> UInt32 {
      UInt32(truncatingIfNeeded: crc32_combine_op(UInt(BatchCheck.head(request)), sum, combination))
    }
  }
}
