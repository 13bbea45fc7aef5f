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
    let sum = add(request.payload.data, request.payload.len, to: head(request))
    return UInt32(truncatingIfNeeded: sum)
  }

  /// Of what stands before the payload.
  private static func head(_ request: borrowing Flotilla__V1__UploadRequest) -> UInt {
    let words = (
      request.phone.bigEndian, request.epoch.bigEndian, request.sequence.bigEndian,
      request.fix_count.bigEndian,
      UInt32(truncatingIfNeeded: request.encoding.rawValue).bigEndian,
      request.uncompressed_size.bigEndian, request.settings_version.bigEndian
    )
    return withUnsafeBytes(of: words) { add($0.baseAddress, $0.count, to: 0) }
  }

  private static func add(_ bytes: UnsafeRawPointer?, _ count: Int, to sum: UInt) -> UInt {
    // zlib takes a null pointer for the question how a sum begins.
    guard let bytes, count > 0 else { return sum }
    return crc32_z(sum, bytes.assumingMemoryBound(to: Bytef.self), count)
  }

  /// A payload that is sent again and again under other names is summed up once.
  struct Tail: Sendable {
    private let sum: UInt
    private let combination: UInt

    init(_ payload: UnsafeRawBufferPointer) {
      sum = BatchCheck.add(payload.baseAddress, payload.count, to: 0)
      combination = crc32_combine_gen(payload.count)
    }

    /// The same as `BatchCheck.of`, for a request that has the payload.
    func check(_ request: borrowing Flotilla__V1__UploadRequest) -> UInt32 {
      UInt32(truncatingIfNeeded: crc32_combine_op(BatchCheck.head(request), sum, combination))
    }
  }
}
