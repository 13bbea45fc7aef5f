internal import CZlib
internal import CZstd

package enum MessageEncoding: UInt8, CaseIterable, Sendable {
  case identity, gzip, zstd

  package var name: StaticString {
    switch self {
    case .identity: "identity"
    case .gzip: "gzip"
    case .zstd: "zstd"
    }
  }

  package init?(name bytes: UnsafeRawBufferPointer) {
    guard let found = Self.allCases.first(where: { bytes.equals($0.name) }) else { return nil }
    self = found
  }
}

/// Compresses whole messages independently, as in gRPC. Each loop has a compressor, which creates
/// contexts on demand and keeps them. Decompressed sizes are bounded before allocation.
package final class MessageCompressor {
  private var deflater: UnsafeMutablePointer<z_stream>?
  private var inflater: UnsafeMutablePointer<z_stream>?
  private var encoder: OpaquePointer?
  private var decoder: OpaquePointer?
  private var scratch = ByteBuffer(capacity: 0)

  /// zlib's window of 32 KiB, plus 16 for gzip's header and checksum (zlib.h, inflateInit2).
  private static let gzipWindowBits: Int32 = 15 + 16
  /// The window of 8 MiB that RFC 8878 requires of every decoder.
  private static let zstdWindowLogMax: Int32 = 23
  /// The maximum of scratch bytes kept between messages; a larger buffer is released.
  private static let scratchBytesMax = 262_144

  /// Shorter messages fit into one packet and are not compressed. Level 3 of zstd 1.5.4, on 2
  /// shared cores, shrinks a sweep of 40 pushes from 1,272 to 179 bytes in 4 µs, last-seen rows of
  /// 10,000 phones from 365,305 to 197,541 in 2,001 µs, and a page of holdings from 49,887 to
  /// 27,503 in 48 µs. Decompression takes 2, 550 and 30 µs. Packed uploads hardly shrink.
  package static let messageBytesMin = 1_024

  package init() {}

  deinit {
    if let deflater {
      deflateEnd(deflater)
      deflater.deallocate()
    }
    if let inflater {
      inflateEnd(inflater)
      inflater.deallocate()
    }
    ZSTD_freeCCtx(encoder)
    ZSTD_freeDCtx(decoder)
  }

  // MARK: in

  /// Returns the decompressed message, valid until the next call. Throws `messageTooLarge` beyond
  /// `limit` bytes, and `decompressionFailed` for anything but one whole compressed message.
  package func decompress(
    _ bytes: UnsafeRawBufferPointer, _ encoding: MessageEncoding, limit: Int
  ) throws(WireError) -> UnsafeRawBufferPointer {
    scratch.removeAll()
    if scratch.capacity > Self.scratchBytesMax { scratch = ByteBuffer(capacity: 0) }
    switch encoding {
    case .identity: throw .compressedMessage(flag: 1)
    case .gzip: try inflate(bytes, limit: limit)
    case .zstd: try decode(bytes, limit: limit)
    }
    return scratch.readable
  }

  /// Reserves scratch, up to one byte beyond the limit, to detect that a message exceeds it.
  private func room(_ bytes: Int, limit: Int) throws(WireError) -> UnsafeMutableRawBufferPointer {
    guard scratch.count <= limit else {
      throw .messageTooLarge(bytes: scratch.count, limit: limit)
    }
    let wanted = max(512, max(4 * bytes, scratch.count))
    return scratch.reserve(min(wanted, limit + 1 - scratch.count))
  }

  private func inflate(_ bytes: UnsafeRawBufferPointer, limit: Int) throws(WireError) {
    let stream = try readyInflater()
    // zlib does not write to its input.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(bytes.count)
    while true {
      let target = try room(bytes.count, limit: limit)
      stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(target.count)
      let code = CZlib.inflate(stream, Z_NO_FLUSH)
      scratch.commit(target.count - Int(stream.pointee.avail_out))
      if code == Z_STREAM_END { break }
      guard code == Z_OK, stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0 else {
        throw .decompressionFailed(reason: "the gzip stream is damaged or cut short")
      }
    }
    guard stream.pointee.avail_in == 0 else {
      throw .decompressionFailed(reason: "bytes follow the gzip stream")
    }
    guard scratch.count <= limit else {
      throw .messageTooLarge(bytes: scratch.count, limit: limit)
    }
  }

  private func readyInflater() throws(WireError) -> UnsafeMutablePointer<z_stream> {
    if let inflater {
      inflateReset(inflater)
      return inflater
    }
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(stream, Self.gzipWindowBits, zlibVersion(), size) == Z_OK else {
      stream.deallocate()
      throw .decompressionFailed(reason: "zlib has no memory")
    }
    inflater = stream
    return stream
  }

  private func decode(_ bytes: UnsafeRawBufferPointer, limit: Int) throws(WireError) {
    guard let context = decoder ?? ZSTD_createDCtx() else {
      throw .decompressionFailed(reason: "zstd has no memory")
    }
    decoder = context
    // Neither call fails: the parameter is in its range, and a session can always be reset.
    _ = ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
    _ = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, Self.zstdWindowLogMax)
    var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
    while true {
      let target = try room(bytes.count, limit: limit)
      var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
      let left = ZSTD_decompressStream(context, &output, &input)
      scratch.commit(output.pos)
      guard ZSTD_isError(left) == 0 else {
        throw .decompressionFailed(reason: String(cString: ZSTD_getErrorName(left)))
      }
      if left == 0 { break }
      guard input.pos < input.size || output.pos == output.size else {
        throw .decompressionFailed(reason: "the zstd frame is cut short")
      }
    }
    guard input.pos == input.size else {
      throw .decompressionFailed(reason: "bytes follow the zstd frame")
    }
    guard scratch.count <= limit else {
      throw .messageTooLarge(bytes: scratch.count, limit: limit)
    }
  }

  // MARK: out

  /// Appends the compressed message; returns false, appending nothing, if it is not smaller.
  package func compress(
    _ message: UnsafeRawBufferPointer, _ encoding: MessageEncoding, into output: inout ByteBuffer
  ) -> Bool {
    let before = output.count
    let isDone =
      switch encoding {
      case .identity: false
      case .gzip: deflate(message, into: &output)
      case .zstd: encode(message, into: &output)
      }
    if isDone, output.count - before < message.count { return true }
    output.truncate(to: before)
    return false
  }

  private func deflate(
    _ message: UnsafeRawBufferPointer, into output: inout ByteBuffer
  ) -> Bool {
    guard let stream = readyDeflater() else { return false }
    let bound = Int(deflateBound(stream, UInt(message.count)))
    let target = output.reserve(bound)
    // zlib does not write to its input.
    stream.pointee.next_in = UnsafeMutablePointer(
      mutating: message.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.pointee.avail_in = UInt32(message.count)
    stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(bound)
    guard CZlib.deflate(stream, Z_FINISH) == Z_STREAM_END else { return false }
    output.commit(bound - Int(stream.pointee.avail_out))
    return true
  }

  /// Returns nil if there is no memory; the message is then sent uncompressed.
  private func readyDeflater() -> UnsafeMutablePointer<z_stream>? {
    if let deflater {
      deflateReset(deflater)
      return deflater
    }
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let size = Int32(MemoryLayout<z_stream>.size)
    let code = deflateInit2_(
      stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, Self.gzipWindowBits, 8, Z_DEFAULT_STRATEGY,
      zlibVersion(), size)
    guard code == Z_OK else {
      stream.deallocate()
      return nil
    }
    deflater = stream
    return stream
  }

  private func encode(_ message: UnsafeRawBufferPointer, into output: inout ByteBuffer) -> Bool {
    guard let context = encoder ?? ZSTD_createCCtx() else { return false }
    encoder = context
    let bound = ZSTD_compressBound(message.count)
    let target = output.reserve(bound)
    let size = ZSTD_compress2(
      context, target.baseAddress, bound, message.baseAddress, message.count)
    guard ZSTD_isError(size) == 0 else { return false }
    output.commit(size)
    return true
  }
}
