internal import CDeflate

/// CRC-32 as in zlib, PNG and Ethernet, to detect torn or damaged records. libdeflate computes it
/// by carry-less multiplication: 24 ns for the 125 bytes of a batch, against 106 ns with zlib
/// 1.2.13.
package enum Checksum {
  /// Returns the CRC-32 (polynomial 0xEDB88320, reflected); 0 for no bytes.
  package static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    crc32(bytes.baseAddress, bytes.count, after: 0)
  }

  /// Continues the CRC-32 `sum` of the bytes before.
  static func crc32(_ bytes: UnsafeRawPointer?, _ count: Int, after sum: UInt32) -> UInt32 {
    // With a null pointer, libdeflate would return the initial value instead of `sum`.
    guard let bytes, count > 0 else { return sum }
    return libdeflate_crc32(sum, bytes, count)
  }
}
