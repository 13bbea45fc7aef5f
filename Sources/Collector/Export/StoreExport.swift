internal import ServerLogic
internal import SimulationCore
package import Telemetry
package import Wire

/// Writes the fixes that a store holds as tracks, a piece at a time.
///
/// `csv` keeps the order of arrival. `gpx` and `geojson` go phone by phone: SQLite sorts the keys
/// alone, and geojson holds the fixes of one phone at a time.
package enum StoreExport {
  /// Is a format in which fixes can be written.
  package enum Format: String, CaseIterable, Sendable {
    case csv, gpx, geojson
  }

  /// Counts what an export wrote.
  package struct Outcome: Equatable, Sendable {
    /// Counts the batches written.
    package var batches = 0
    /// Counts the fixes in them.
    package var fixes = 0
    /// Counts the batches that were left out, since they do not decode to what was committed.
    package var damaged = 0
  }

  /// - Parameters:
  ///   - phone: the phone to export; nil for all.
  ///   - sink: takes the next bytes; it returns false when the reader has closed its end, and
  ///     nothing more is written.
  package static func run(
    _ store: StoreAddress, format: Format, phone: PhoneID? = nil,
    dictionary: PayloadDictionary? = nil, sink: @escaping (UnsafeRawBufferPointer) -> Bool
  ) throws(StoreError) -> Outcome {
    let contents = try StoreContents(store.read(), dictionary: dictionary)
    if let phone, try !contents.source.holds(phone) {
      throw .noPhone(path: store.name, phone: phone.rawValue)
    }
    let text = TextSink(sink)
    switch format {
    case .csv: return try write(contents, CSVTracks(text), phone, .arrival)
    case .gpx: return try write(contents, GPXTracks(text), phone, .phone)
    case .geojson: return try write(contents, GeoJSONTracks(text), phone, .phone)
    }
  }

  private static func write(
    _ contents: StoreContents, _ tracks: some TrackWriter, _ phone: PhoneID?, _ order: BatchOrder
  ) throws(StoreError) -> Outcome {
    var pass = Pass(tracks, contents)
    try contents.source.batches(of: phone, order) { batch, payload in
      guard tracks.text.isOpen else { return false }
      pass.write(batch, payload)
      return true
    }
    return pass.finish()
  }

  /// Walks once over the batches.
  private struct Pass<Tracks: TrackWriter> {
    private var outcome = Outcome()
    private var tracks: Tracks
    private let decoder: StoredBatchDecoder
    private let isKeyKnown: Bool

    init(_ tracks: Tracks, _ contents: StoreContents) {
      self.tracks = tracks
      decoder = contents.decoder
      isKeyKnown = contents.request != nil
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

/// Is a format: batches in, text out.
protocol TrackWriter {
  var text: TextSink { get }
  mutating func begin()
  mutating func add(_ batch: StoredBatch, _ fixes: UnsafeBufferPointer<Fix>)
  mutating func end()
}
