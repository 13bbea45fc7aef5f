internal import CFlotillaProto
internal import CProtobufC
internal import CZstd
package import Telemetry

/// What a batch may be at most; each limit is checked before anything is allocated for it.
package struct BatchLimits: Equatable, Sendable {
  /// A day of fixes, one every 21 seconds: more than an outbox sends at once.
  package var fixesMax = 4_096
  /// 4,096 fixes of at most 29 bytes each (10 + 5 + 5 + 3 + 3 + 3) and six column headers.
  package var uncompressedBytesMax = 131_072
  /// zstd window: 2^17 bytes, no more than the payload may have.
  package var windowLogMax: Int32 = 17

  package init() {}
}

/// Turns fixes into the bytes of an `UploadRequest`: columns, protobuf-c, zstd.
///
/// Owns one `ZSTD_CCtx` and the column scratch, both reused; a fix costs no allocation. One per
/// shard, since a zstd context is no thread's friend but its own.
package final class BatchEncoder {
  private let context: OpaquePointer
  private let columns: BatchColumns
  private let limits: BatchLimits
  private var plain = ByteBuffer(capacity: 4_096)
  private var packed = ByteBuffer(capacity: 4_096)

  /// - Parameter level: zstd's; 0 never compresses. Columns are dense already. Measured on noisy
  ///   walks (zstd 1.5.4, 2 shared cores), bytes and µs to encode a batch of 100 fixes: plain 639
  ///   and 2.0; level 1 without literal compression 561 and 4.8, with it 451 and 8.6; level 3 the
  ///   same sizes, slower. Batches of 20 fixes (159 bytes) do not shrink at any level.
  package init(level: Int32 = 1, compressLiterals: Bool = false, limits: BatchLimits = .init()) {
    precondition((0...19).contains(level), "zstd level must be in 0...19 (is \(level))")
    guard let context = ZSTD_createCCtx() else { fatalError("zstd: no memory for a context") }
    self.context = context
    self.limits = limits
    self.level = level
    columns = BatchColumns(capacity: limits.fixesMax)
    // Each call returns an error code for a value out of range; these are constants in range.
    _ = ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, max(level, 1))
    _ = ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, limits.windowLogMax)
    if !compressLiterals { _ = flotilla_zstd_literals_off(context) }
  }

  private let level: Int32
  /// Columns so far, and payloads as they travel.
  package private(set) var plainBytes = 0
  package private(set) var payloadBytes = 0
  /// Of the batch encoded last: its ack repeats it.
  package private(set) var check: UInt32 = 0
  /// Shorter payloads never shrank: zstd's frame alone is 13 bytes.
  private static let compressedBytesMin = 64

  deinit { ZSTD_freeCCtx(context) }

  /// Appends the bytes of one `UploadRequest` to `buffer`.
  package func encode(
    _ id: BatchID, _ fixes: UnsafeBufferPointer<Fix>, settingsVersion: UInt32 = 0,
    into buffer: inout ByteBuffer
  ) throws(WireError) {
    guard !fixes.isEmpty else { throw .emptyBatch }
    guard fixes.count <= limits.fixesMax else {
      throw .tooManyFixes(count: fixes.count, limit: limits.fixesMax)
    }
    columns.fill(from: fixes)
    plain.removeAll()
    columns.pack(count: fixes.count, into: &plain)
    try compress()
    // The field that says so costs two bytes itself.
    let isSmaller = !packed.isEmpty && packed.count + 2 < plain.count
    var request = Flotilla__V1__UploadRequest()
    flotilla__v1__upload_request__init(&request)
    request.phone = id.phone.rawValue
    request.epoch = id.epoch
    request.sequence = id.sequence
    request.fix_count = UInt32(fixes.count)
    request.settings_version = settingsVersion
    request.encoding =
      isSmaller
      ? FLOTILLA__V1__ENCODING__ENCODING_ZSTD : FLOTILLA__V1__ENCODING__ENCODING_IDENTITY
    request.uncompressed_size = UInt32(plain.count)
    let payload = isSmaller ? packed.mutable : plain.mutable
    request.payload.len = payload.count
    request.payload.data = payload.baseAddress?.assumingMemoryBound(to: UInt8.self)
    request.check = BatchCheck.of(request)
    check = request.check
    plainBytes += plain.count
    payloadBytes += payload.count
    let size = flotilla__v1__upload_request__get_packed_size(&request)
    let place = buffer.reserve(size).baseAddress?.assumingMemoryBound(to: UInt8.self)
    buffer.commit(flotilla__v1__upload_request__pack(&request, place))
  }

  /// A convenience for callers that hold arrays.
  package func encode(
    _ id: BatchID, _ fixes: [Fix], settingsVersion: UInt32 = 0
  ) throws(WireError) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 1_024)
    try fixes.withUnsafeBufferPointer { (fixes) throws(WireError) in
      try encode(id, fixes, settingsVersion: settingsVersion, into: &buffer)
    }
    return buffer.copyBytes()
  }

  private func compress() throws(WireError) {
    packed.removeAll()
    guard level > 0, plain.count >= Self.compressedBytesMin else { return }
    let source = plain.readable
    let bound = ZSTD_compressBound(source.count)
    let target = packed.reserve(bound)
    let size = ZSTD_compress2(
      context, target.baseAddress, bound, source.baseAddress, source.count)
    guard ZSTD_isError(size) == 0 else {
      throw .compressionFailed(reason: String(cString: ZSTD_getErrorName(size)))
    }
    packed.commit(size)
  }
}
