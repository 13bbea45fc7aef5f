internal import Core
internal import Wire

struct StoreContents {
  let source: any StoreSource
  let totals: StoreTotals
  let dropped: StoreTotals
  let run: StoredRun?
  /// The request that opened the run; nil if there is no run or the request does not decode.
  let request: OpenRunRequest?
  let decoder: StoredBatchDecoder

  init(_ source: any StoreSource, dictionary: PayloadDictionary?) throws(StoreError) {
    self.source = source
    dropped = try source.dropped()
    totals = try source.totals().without(dropped)
    run = try source.storedRun()
    request = run.flatMap { try? MessageCodec().decode(OpenRunRequest.self, from: $0.openRequest) }
    decoder = StoredBatchDecoder(hashKey: request?.hashKey ?? 0, dictionary: dictionary)
  }
}

struct StoredBatchDecoder {
  private let decoder: BatchDecoder
  private let hashKey: UInt64

  init(hashKey: UInt64, dictionary: PayloadDictionary?) {
    self.hashKey = hashKey
    decoder = BatchDecoder(dictionary: dictionary)
  }

  /// Decodes a batch's fixes, which are valid until the next call.
  func fixes(
    of batch: StoredBatch, _ payload: UnsafeRawBufferPointer
  ) throws(WireError) -> UnsafeBufferPointer<Fix> {
    guard let encoding = Encoding(rawValue: UInt32(batch.encoding)) else {
      throw .unknownEncoding(Int(batch.encoding))
    }
    return try decoder.fixes(
      of: UploadEnvelope(
        id: batch.id, fixCount: Int(batch.fixCount), encoding: encoding,
        uncompressedSize: Int(batch.uncompressedSize), payload: payload))
  }

  func hash(of batch: StoredBatch, _ fixes: UnsafeBufferPointer<Fix>) -> UInt64 {
    var hash = BatchHash(key: hashKey, batch.id)
    for fix in fixes { hash.combine(fix) }
    return hash.value
  }
}
