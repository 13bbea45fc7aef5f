internal import CZlib

/// CRC-32 as zlib, PNG and Ethernet have it: tells a torn or damaged record from a whole one.
package enum Checksum {
  /// Returns the CRC-32 (polynomial 0xEDB88320, reflected) of the bytes; 0 where there are none.
  package static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    guard let base = bytes.baseAddress else { return 0 }
    return UInt32(
      truncatingIfNeeded: crc32_z(0, base.assumingMemoryBound(to: Bytef.self), bytes.count))
  }
}
