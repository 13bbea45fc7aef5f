import TestSupport
import Testing

@testable import Wire

@Suite("Compressed messages", .quick)
struct MessageCompressorTests {
  private let compressor = MessageCompressor()
  private let message = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 / 100) }

  private func packed(_ encoding: MessageEncoding) -> [UInt8] {
    var buffer = ByteBuffer()
    let isSmaller = message.withUnsafeBytes { compressor.compress($0, encoding, into: &buffer) }
    #expect(isSmaller && buffer.count < 2_000)
    return buffer.copyBytes()
  }

  private func unpacked(
    _ bytes: [UInt8], _ encoding: MessageEncoding, limit: Int = 20_000
  ) throws(WireError) -> [UInt8] {
    let result: Result<[UInt8], WireError> = bytes.withUnsafeBytes { bytes in
      do throws(WireError) {
        return .success(Array(try compressor.decompress(bytes, encoding, limit: limit)))
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  @Test("read back unchanged, again and again", arguments: [.gzip, .zstd] as [MessageEncoding])
  func roundTrip(encoding: MessageEncoding) throws {
    for _ in 0..<3 { #expect(try unpacked(packed(encoding), encoding) == message) }
  }

  @Test(
    "a message larger than the limit when decompressed is refused at the limit",
    arguments: [.gzip, .zstd] as [MessageEncoding])
  func tooLarge(encoding: MessageEncoding) {
    let bytes = packed(encoding)
    #expect(throws: WireError.messageTooLarge(bytes: 20_000, limit: 19_999)) {
      try unpacked(bytes, encoding, limit: 19_999)
    }
  }

  @Test(
    "a message that is cut, extended, or damaged is refused, and the next is read",
    arguments: [.gzip, .zstd] as [MessageEncoding])
  func damaged(encoding: MessageEncoding) throws {
    let bytes = packed(encoding)
    for wrong in [Array(bytes.dropLast()), bytes + [0], [UInt8](repeating: 9, count: 40), []] {
      let error = #expect(throws: WireError.self) { try unpacked(wrong, encoding) }
      #expect(error?.status == .internal, "\(wrong.count) bytes")
    }
    #expect(try unpacked(bytes, encoding) == message)
  }

  @Test("an incompressible message is sent unchanged, and leaves no state")
  func incompressible() {
    var buffer = ByteBuffer()
    buffer.append(7)
    for encoding in MessageEncoding.allCases {
      let isSmaller = [UInt8](1...9).withUnsafeBytes {
        compressor.compress($0, encoding, into: &buffer)
      }
      #expect(!isSmaller && buffer.count == 1)
    }
  }
}
