internal import ServerLogic
internal import SimulationCore
package import Telemetry
package import Wire

/// Writes the fixes that a store holds as tracks, a piece at a time.
///
/// `csv` keeps the order of arrival. `gpx` and `geojson` go phone by phone: SQLite sorts the keys
/// alone, and geojson holds the fixes of one phone at a time.
package enum StoreExport {
  package enum Format: String, CaseIterable, Sendable {
    case csv, gpx, geojson
  }

  package struct Outcome: Equatable, Sendable {
    package var batches = 0
    package var fixes = 0
    /// Batches that do not decode to what was committed; left out.
    package var damaged = 0
  }

  /// - Parameters:
  ///   - phone: nil: all.
  ///   - sink: takes the next bytes; false: the reader has gone, nothing more is written.
  package static func run(
    path: String, format: Format, phone: PhoneID? = nil, dictionary: PayloadDictionary? = nil,
    sink: @escaping (UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError) -> Outcome {
    let reader = try StoreReader(path: path, dictionary: dictionary)
    if let phone, try !holds(phone, reader.database) {
      throw .noPhone(path: path, phone: phone.rawValue)
    }
    let text = TextSink(sink)
    switch format {
    case .csv: return try inOrderOfArrival(reader, CSVTracks(text), phone)
    case .gpx: return try byPhone(reader, GPXTracks(text), phone)
    case .geojson: return try byPhone(reader, GeoJSONTracks(text), phone)
    }
  }

  private static func holds(
    _ phone: PhoneID, _ database: borrowing Database
  ) throws(StoreError) -> Bool {
    let row = try database.prepare("SELECT 1 FROM batches WHERE phone = ? LIMIT 1")
    row.bind(1, Int64(phone.rawValue))
    return try row.step()
  }

  private static func inOrderOfArrival(
    _ reader: borrowing StoreReader, _ tracks: some TrackWriter, _ phone: PhoneID?
  ) throws(StoreError) -> Outcome {
    var pass = Pass(tracks, reader)
    let filter = phone == nil ? "" : "WHERE phone = ?"
    let rows = try reader.database.prepare(
      "SELECT \(Statement.batchColumns) FROM batches \(filter) ORDER BY number")
    if let phone { rows.bind(1, Int64(phone.rawValue)) }
    while try rows.step(), tracks.text.isOpen { pass.write(rows.batch, rows.payload) }
    return pass.finish()
  }

  /// Two statements, so that what is sorted is a key and not the payloads too.
  private static func byPhone(
    _ reader: borrowing StoreReader, _ tracks: some TrackWriter, _ phone: PhoneID?
  ) throws(StoreError) -> Outcome {
    var pass = Pass(tracks, reader)
    let filter = phone == nil ? "" : "WHERE phone = ?"
    let order = try reader.database.prepare(
      "SELECT number FROM batches \(filter) ORDER BY phone, epoch, sequence")
    if let phone { order.bind(1, Int64(phone.rawValue)) }
    let row = try reader.database.prepare(
      "SELECT \(Statement.batchColumns) FROM batches WHERE number = ?")
    while try order.step(), tracks.text.isOpen {
      row.bind(1, order.integer(0))
      if try row.step() { pass.write(row.batch, row.payload) }
      row.reset()
    }
    return pass.finish()
  }

  /// One walk over the batches.
  private struct Pass<Tracks: TrackWriter> {
    private var outcome = Outcome()
    private var tracks: Tracks
    private let decoder: StoredBatchDecoder
    private let isKeyKnown: Bool

    init(_ tracks: Tracks, _ reader: borrowing StoreReader) {
      self.tracks = tracks
      decoder = reader.decoder
      isKeyKnown = reader.request != nil
      self.tracks.begin()
    }

    mutating func write(_ batch: StoredBatch, _ payload: UnsafeRawBufferPointer) {
      guard let fixes = try? decoder.fixes(of: batch, payload),
        !isKeyKnown || decoder.hash(of: batch, fixes) == batch.hash
      else {
        outcome.damaged += 1
        return
      }
      outcome.batches += 1
      outcome.fixes += fixes.count
      tracks.add(batch, fixes)
    }

    mutating func finish() -> Outcome {
      tracks.end()
      tracks.text.flush()
      return outcome
    }
  }
}

/// A format: batches in, text out.
protocol TrackWriter {
  var text: TextSink { get }
  mutating func begin()
  mutating func add(_ batch: StoredBatch, _ fixes: UnsafeBufferPointer<Fix>)
  mutating func end()
}
