internal import CFlotillaProto
internal import CProtobufC
internal import CZstd
package import Core

/// The uncompressed part of an upload, which suffices to route, dedupe and shed the upload.
/// `payload` points into the decoder's arena and is valid until the decoder's next `envelope`.
package struct UploadEnvelope {
  package let id: BatchID
  /// At least 1, at most `BatchLimits.fixesMax`.
  package let fixCount: Int
  package let encoding: Encoding
  /// The declared size before compression, in bytes; 0 for a packed payload.
  package let uncompressedSize: Int
  package let payload: UnsafeRawBufferPointer
  /// The phone's settings version; 0 if the phone takes no newer settings.
  package let settingsVersion: UInt32
  /// The check value of the upload, which the ack repeats.
  package let check: UInt32

  /// Creates an envelope for a payload that was stored as received.
  package init(
    id: BatchID, fixCount: Int, encoding: Encoding, uncompressedSize: Int,
    payload: UnsafeRawBufferPointer, settingsVersion: UInt32 = 0, check: UInt32 = 0
  ) {
    self.settingsVersion = settingsVersion
    self.check = check
    self.id = id
    self.fixCount = fixCount
    self.encoding = encoding
    self.uncompressedSize = uncompressedSize
    self.payload = payload
  }
}

/// Decodes an `UploadRequest` in two steps, within fixed bounds. Each loop or worker has a decoder,
/// which owns and reuses a `ZSTD_DCtx`, two arenas and the fixes' buffer.
package final class BatchDecoder {
  private let context: OpaquePointer
  private let limits: BatchLimits
  private let envelopes: Arena
  private let payloads: Arena
  private let scratch: UnsafeMutableRawBufferPointer
  private let packed: PackedBatch
  private let fixes: UnsafeMutablePointer<Fix>
  private let inflater = MessageCompressor()
  private let dictionaryID: UInt32

  /// - Parameter dictionary: the only dictionary that zstd frames may name.
  package init(limits: BatchLimits = .init(), dictionary: PayloadDictionary? = nil) {
    guard let context = ZSTD_createDCtx() else { fatalError("zstd: no memory for a context") }
    self.context = context
    self.limits = limits
    dictionaryID = dictionary?.id ?? 0
    // A payload byte becomes at most one 8-byte entry; the parser itself needs half as much again.
    payloads = Arena(capacity: limits.uncompressedBytesMax * 12)
    // The payload is copied once; unknown fields may be copied too.
    envelopes = Arena(capacity: limits.uncompressedBytesMax * 4)
    scratch = .allocate(
      byteCount: limits.uncompressedBytesMax + BitReader.slackBytes, alignment: 16)
    packed = PackedBatch(capacity: limits.fixesMax)
    fixes = .allocate(capacity: limits.fixesMax)
    // The call fails only for values out of range, and this value is in range.
    _ = ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, limits.windowLogMax)
    dictionary?.bytes.withUnsafeBytes {
      guard ZSTD_isError(ZSTD_DCtx_loadDictionary(context, $0.baseAddress, $0.count)) == 0 else {
        fatalError("zstd: no memory for a dictionary")
      }
    }
  }

  deinit {
    ZSTD_freeDCtx(context)
    scratch.deallocate()
    fixes.deallocate()
  }

  package func envelope(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> UploadEnvelope {
    // An incompressible payload grows by less than 1 % and 512 bytes; the envelope is below 64.
    let limit = limits.uncompressedBytesMax + limits.uncompressedBytesMax / 100 + 576
    guard bytes.count <= limit else { throw .messageTooLarge(bytes: bytes.count, limit: limit) }
    let request = try envelopes.unpack(
      bytes, "UploadRequest", flotilla__v1__upload_request__unpack
    ).pointee
    // This check comes first: an upload damaged in transit must not be refused permanently.
    guard BatchCheck.of(request) == request.check else { throw .damagedMessage }
    guard let encoding = Encoding(rawValue: request.encoding.rawValue) else {
      throw .unknownEncoding(Int(Int32(truncatingIfNeeded: request.encoding.rawValue)))
    }
    let count = Int(request.fix_count)
    guard count > 0 else { throw .emptyBatch }
    guard count <= limits.fixesMax else {
      throw .tooManyFixes(count: count, limit: limits.fixesMax)
    }
    let size = Int(request.uncompressed_size)
    guard size <= limits.uncompressedBytesMax else {
      throw .payloadTooLarge(bytes: size, limit: limits.uncompressedBytesMax)
    }
    return UploadEnvelope(
      id: BatchID(
        phone: PhoneID(rawValue: request.phone), epoch: request.epoch, sequence: request.sequence),
      fixCount: count, encoding: encoding, uncompressedSize: size,
      payload: UnsafeRawBufferPointer(start: request.payload.data, count: request.payload.len),
      settingsVersion: request.settings_version, check: request.check)
  }

  /// Returns the fixes of an envelope (step two), valid until the next call.
  package func fixes(
    of envelope: UploadEnvelope
  ) throws(WireError) -> UnsafeBufferPointer<Fix> {
    switch envelope.encoding {
    case .identity: try readColumns(try plain(envelope), envelope.fixCount)
    case .zstd: try readColumns(try decompress(envelope), envelope.fixCount)
    case .packed: try unpack(envelope)
    case .rows: try readRows(try plain(envelope), envelope.fixCount)
    case .rowsGzip: try readRows(try inflate(envelope), envelope.fixCount)
    case .rowsZstd: try readRows(try decompress(envelope), envelope.fixCount)
    }
    return UnsafeBufferPointer(start: fixes, count: envelope.fixCount)
  }

  private func plain(_ envelope: UploadEnvelope) throws(WireError) -> UnsafeRawBufferPointer {
    guard envelope.payload.count == envelope.uncompressedSize else {
      throw .sizeMismatch(declared: envelope.uncompressedSize, actual: envelope.payload.count)
    }
    return envelope.payload
  }

  /// Inflates at most the declared bytes; the size in a gzip trailer is not trusted.
  private func inflate(_ envelope: UploadEnvelope) throws(WireError) -> UnsafeRawBufferPointer {
    let declared = envelope.uncompressedSize
    let bytes: UnsafeRawBufferPointer
    do throws(WireError) {
      bytes = try inflater.decompress(envelope.payload, .gzip, limit: declared)
    } catch {
      guard case .messageTooLarge(let bytes, _) = error else { throw error }
      throw .sizeMismatch(declared: declared, actual: bytes)
    }
    guard bytes.count == declared else {
      throw .sizeMismatch(declared: declared, actual: bytes.count)
    }
    return bytes
  }

  private func readRows(_ bytes: UnsafeRawBufferPointer, _ count: Int) throws(WireError) {
    let batch = try payloads.unpack(bytes, "BatchRows", flotilla__v1__batch_rows__unpack).pointee
    try BatchRows.read(batch, count: count, into: fixes)
  }

  private func readColumns(_ bytes: UnsafeRawBufferPointer, _ count: Int) throws(WireError) {
    let payload = try payloads.unpack(
      bytes, "BatchPayload", flotilla__v1__batch_payload__unpack
    ).pointee
    try BatchColumns.read(payload, count: count, into: fixes)
  }

  private func unpack(_ envelope: UploadEnvelope) throws(WireError) {
    let payload = envelope.payload
    guard envelope.uncompressedSize == 0 else {
      throw .sizeMismatch(declared: envelope.uncompressedSize, actual: 0)
    }
    guard payload.count <= limits.uncompressedBytesMax, let start = scratch.baseAddress else {
      throw .payloadTooLarge(bytes: payload.count, limit: limits.uncompressedBytesMax)
    }
    // The bit reader needs a copy that may be read beyond its end.
    UnsafeMutableRawBufferPointer(rebasing: scratch[..<payload.count]).copyMemory(from: payload)
    UnsafeMutableRawBufferPointer(
      rebasing: scratch[payload.count..<payload.count + BitReader.slackBytes]
    ).initializeMemory(as: UInt8.self, repeating: 0)
    try packed.decode(start, bytes: payload.count, count: envelope.fixCount, into: fixes)
  }

  /// Checks the window's size, which zstd limits for streams only. The size is in byte 5 of a frame
  /// that is not a single segment (RFC 8878, section 3.1.1.1.2).
  private func checkWindow(_ frame: UnsafeRawBufferPointer) throws(WireError) {
    guard frame.count > 5, frame[4] & 0x20 == 0 else { return }
    let base = 1 << (10 + Int(frame[5] >> 3))
    let window = base + base / 8 * Int(frame[5] & 7)
    let limit = 1 << Int(limits.windowLogMax)
    guard window <= limit else { throw .windowTooLarge(bytes: window, limit: limit) }
  }

  private func decompress(_ envelope: UploadEnvelope) throws(WireError) -> UnsafeRawBufferPointer {
    let source = envelope.payload
    let declared = ZSTD_getFrameContentSize(source.baseAddress, source.count)
    guard declared != flotilla_zstd_size_error else {
      throw .decompressionFailed(reason: "not a zstd frame")
    }
    guard declared != flotilla_zstd_size_unknown else {
      throw .decompressionFailed(reason: "the frame lacks its content size")
    }
    guard declared == UInt64(envelope.uncompressedSize) else {
      throw .sizeMismatch(
        declared: envelope.uncompressedSize, actual: Int(clamping: declared))
    }
    try checkWindow(source)
    let named = ZSTD_getDictID_fromFrame(source.baseAddress, source.count)
    guard named == 0 || named == dictionaryID else {
      throw .unknownDictionary(id: named, known: dictionaryID)
    }
    let size = ZSTD_decompressDCtx(
      context, scratch.baseAddress, limits.uncompressedBytesMax, source.baseAddress, source.count)
    guard ZSTD_isError(size) == 0 else {
      throw .decompressionFailed(reason: String(cString: ZSTD_getErrorName(size)))
    }
    guard size == envelope.uncompressedSize else {
      throw .sizeMismatch(declared: envelope.uncompressedSize, actual: size)
    }
    return UnsafeRawBufferPointer(start: scratch.baseAddress, count: size)
  }
}
