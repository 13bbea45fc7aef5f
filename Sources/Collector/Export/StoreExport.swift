package import Core
package import Wire

/// Exports a store's fixes as tracks, `csv` in the order of arrival, `gpx` and `geojson` by phone.
/// For tracks by phone, SQLite sorts only keys, and `geojson` buffers the fixes of one phone.
package enum StoreExport {
  package enum Format: String, CaseIterable, Sendable {
    case csv, gpx, geojson
  }

  package struct Outcome: Equatable, Sendable {
    package var batches = 0
    package var fixes = 0
    /// The number of batches left out because their payloads do not decode to the committed fixes.
    package var damaged = 0
  }

  /// - Parameter sink: returns false if the reader has closed the output, which ends the export.
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

protocol TrackWriter {
  var text: TextSink { get }
  mutating func begin()
  mutating func add(_ batch: StoredBatch, _ fixes: UnsafeBufferPointer<Fix>)
  mutating func end()
}
