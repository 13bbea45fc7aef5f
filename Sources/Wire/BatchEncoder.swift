internal import CFlotillaProto
internal import CProtobufC
package import Core

/// The limits of a batch, checked before allocation.
package struct BatchLimits: Equatable, Sendable {
  /// One fix every 21 seconds for a day: more than an outbox sends at once.
  package var fixesMax = 4_096
  /// 4,096 rows of at most 46 bytes each (2 + 11 + 9 + 9 + 5 + 5 + 5); columns take at most 29.
  package var uncompressedBytesMax = 196_608
  /// log2 of zstd's window: 2^17 bytes, no more than a payload may have.
  package var windowLogMax: Int32 = 17

  package init() {}
}

/// Encodes fixes as an `UploadRequest`. Not thread-safe: each shard has its own encoder.
package final class BatchEncoder {
  private enum Tool {
    case packed(PackedBatch)
    case columns(ColumnCompressor)
    case rows(RowCompressor)
  }
  private let tool: Tool
  private let limits: BatchLimits
  private var payload = ByteBuffer(capacity: 4_096)
  /// The bytes of all batches before compression, as columns or rows, or in memory if packed.
  package private(set) var plainBytes = 0
  package private(set) var payloadBytes = 0
  package private(set) var batches = 0
  /// The check value of the last batch, which its ack repeats.
  package private(set) var check: UInt32 = 0

  package init(_ codec: BatchCodec = .shipped, limits: BatchLimits = .init()) {
    self.limits = limits
    switch codec {
    case .packed: tool = .packed(PackedBatch(capacity: limits.fixesMax))
    case .columns(let level, let literals, let dictionary):
      tool = .columns(
        ColumnCompressor(
          level: level, literals: literals, dictionary: dictionary, limits: limits))
    case .rows(let compression): tool = .rows(RowCompressor(compression))
    }
  }

  package func encode(
    _ id: BatchID, _ fixes: UnsafeBufferPointer<Fix>, settingsVersion: UInt32 = 0,
    into buffer: inout ByteBuffer
  ) throws(WireError) {
    guard !fixes.isEmpty else { throw .emptyBatch }
    guard fixes.count <= limits.fixesMax else {
      throw .tooManyFixes(count: fixes.count, limit: limits.fixesMax)
    }
    var request = Flotilla__V1__UploadRequest()
    flotilla__v1__upload_request__init(&request)
    request.phone = id.phone.rawValue
    request.epoch = id.epoch
    request.sequence = id.sequence
    request.fix_count = UInt32(fixes.count)
    request.settings_version = settingsVersion
    try encode(fixes, into: &request)
    request.check = BatchCheck.of(request)
    check = request.check
    payloadBytes += request.payload.len
    batches += 1
    let size = flotilla__v1__upload_request__get_packed_size(&request)
    let place = buffer.reserve(size).baseAddress?.assumingMemoryBound(to: UInt8.self)
    buffer.commit(flotilla__v1__upload_request__pack(&request, place))
  }

  private func encode(
    _ fixes: UnsafeBufferPointer<Fix>, into request: inout Flotilla__V1__UploadRequest
  ) throws(WireError) {
    switch tool {
    case .packed(let packed):
      payload.removeAll()
      packed.encode(fixes, into: &payload)
      request.encoding = FLOTILLA__V1__ENCODING__ENCODING_PACKED
      plainBytes += fixes.count * MemoryLayout<Fix>.stride
      put(payload.mutable, into: &request)
    case .columns(let columns): put(try columns.encode(fixes), into: &request)
    case .rows(let rows): put(try rows.encode(fixes), into: &request)
    }
  }

  private func put(_ made: EncodedPayload, into request: inout Flotilla__V1__UploadRequest) {
    request.encoding = Flotilla__V1__Encoding(rawValue: made.encoding.rawValue)
    request.uncompressed_size = UInt32(made.plainBytes)
    plainBytes += made.plainBytes
    put(made.bytes, into: &request)
  }

  private func put(
    _ bytes: UnsafeMutableRawBufferPointer, into request: inout Flotilla__V1__UploadRequest
  ) {
    request.payload.len = bytes.count
    request.payload.data = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
  }

  package func encode(
    _ id: BatchID, _ fixes: [Fix], settingsVersion: UInt32 = 0
  ) throws(WireError) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 1_024)
    try fixes.withUnsafeBufferPointer { (fixes) throws(WireError) in
      try encode(id, fixes, settingsVersion: settingsVersion, into: &buffer)
    }
    return buffer.copyBytes()
  }
}
