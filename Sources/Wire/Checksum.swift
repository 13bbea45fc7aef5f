internal import CDeflate

/// CRC-32 as in zlib, PNG and Ethernet, for detecting torn or damaged records. libdeflate's
/// implementation, with carry-less multiplication: 24 ns for the 125 bytes of a batch; zlib 1.2.13
/// takes 106 ns.
package enum Checksum {
  /// Polynomial 0xEDB88320, reflected; 0 for no bytes.
  package static func crc32(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    crc32(bytes.baseAddress, bytes.count, after: 0)
  }

  /// Continues a known CRC-32.
  static func crc32(_ bytes: UnsafeRawPointer?, _ count: Int, after sum: UInt32) -> UInt32 {
    // With a null pointer libdeflate returns the initial value of a sum.
    guard let bytes, count > 0 else { return sum }
    return libdeflate_crc32(sum, bytes, count)
  }
}
