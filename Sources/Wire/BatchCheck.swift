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
    let words = (
      request.phone.bigEndian, request.epoch.bigEndian, request.sequence.bigEndian,
      request.fix_count.bigEndian,
      UInt32(truncatingIfNeeded: request.encoding.rawValue).bigEndian,
      request.uncompressed_size.bigEndian, request.settings_version.bigEndian
    )
    let head = withUnsafeBytes(of: words) { add($0.baseAddress, $0.count, to: 0) }
    return UInt32(truncatingIfNeeded: add(request.payload.data, request.payload.len, to: head))
  }

  private static func add(_ bytes: UnsafeRawPointer?, _ count: Int, to sum: UInt) -> UInt {
    // zlib takes a null pointer for the question how a sum begins.
    guard let bytes, count > 0 else { return sum }
    return crc32_z(sum, bytes.assumingMemoryBound(to: Bytef.self), count)
  }
}
