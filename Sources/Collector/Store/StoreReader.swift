internal import Foundation
internal import ServerLogic
internal import SimulationCore
internal import Telemetry
internal import Wire

/// A store that is looked at, by who proves its integrity or reads what it holds. Nothing of it
/// changes, and no collector has it meanwhile.
struct StoreReader: ~Copyable {
  let database: Database
  let totals: StoreTotals
  /// nil: no run was ever opened.
  let run: StoredRun?
  /// What the run asked for; nil: no run, or one that does not decode.
  let request: OpenRunRequest?
  /// What zstd payloads may name beside none.
  let dictionary: PayloadDictionary?

  init(path: String, dictionary: PayloadDictionary? = nil) throws(StoreError) {
    let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int
    guard let size else { throw .noStore(path: path, detail: "no such file") }
    guard size > 0 || FileManager.default.fileExists(atPath: path + "-wal") else {
      throw .noStore(path: path, detail: "it is empty")
    }
    try Self.lookAtHead(path)
    let database = try Database(path: path, for: .reading)
    if !database.isReadOnly { try database.run("PRAGMA locking_mode=EXCLUSIVE") }
    try StoreSchema.checkVersion(of: database)
    let totals = try database.totals()
    let run = try database.storedRun()
    // Only now: a struct that cannot be copied must be whole before anything may throw.
    self.totals = totals
    self.dictionary = dictionary
    self.run = run
    request = run.flatMap { try? MessageCodec().decode(OpenRunRequest.self, from: $0.openRequest) }
    self.database = database
  }

  /// What does not begin as SQLite's files do was never a store; what does, and cannot be read, is
  /// a damaged one.
  private static func lookAtHead(_ path: String) throws(StoreError) {
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw .cannotOpen(path: path, detail: "it cannot be read")
    }
    defer { try? file.close() }
    let head = (try? file.read(upToCount: magic.count)) ?? Data()
    guard head.isEmpty || Array(head) == magic else {
      throw .noStore(path: path, detail: "it does not begin as an SQLite file does")
    }
  }

  private static let magic = Array("SQLite format 3\0".utf8)
}

extension StoreReader {
  var decoder: StoredBatchDecoder {
    StoredBatchDecoder(hashKey: request?.hashKey ?? 0, dictionary: dictionary)
  }
}

/// Decodes batches as they are stored, and judges them by nothing but themselves.
struct StoredBatchDecoder {
  private let decoder: BatchDecoder
  private let hashKey: UInt64

  init(hashKey: UInt64, dictionary: PayloadDictionary?) {
    self.hashKey = hashKey
    decoder = BatchDecoder(dictionary: dictionary)
  }

  /// Good until the next call.
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
