/// Detects input that is not a text table by its first bytes.
enum ForeignFormat {
  private static let magic: [(bytes: [UInt8], advice: String)] = [
    ([0x1F, 0x8B], "is gzip-compressed twice; unpack it once: gunzip -k FILE."),
    ([0x50, 0x4B, 3, 4], "is a ZIP archive or a spreadsheet; save it as CSV."),
    ([0x28, 0xB5, 0x2F, 0xFD], "is zstd-compressed; unpack it first."),
    (Array("BZh".utf8), "is bzip2-compressed; unpack it first."),
    (Array("SQLite format 3".utf8), "is a SQLite store; write its fixes with flotilla export."),
    (Array("PAR1".utf8), "is a Parquet file; save it as CSV."),
    ([0xFF, 0xFE], "is UTF-16; save it as UTF-8."),
    ([0xFE, 0xFF], "is UTF-16; save it as UTF-8."),
  ]

  static func refuse(_ head: [UInt8], _ line: ArraySlice<UInt8>) throws(LogError) {
    if let format = magic.first(where: { head.starts(with: $0.bytes) }) {
      throw .format(format.advice)
    }
    if line.prefix(1_024).contains(0) {
      throw .format("is not text (contains zero bytes); save it as CSV in UTF-8.")
    }
    let text = LogValue.trimmed(line)
    if text.first == UInt8(ascii: "<") {
      throw .format(
        "is XML or a web page; save it as CSV. A GPX file is replayed by a scenario with "
          + "mobility: { gpx: FILE }.")
    }
  }

  /// Returns whether a line is the first of a JSON file, or has an object after a tab.
  static func isJSON(line: ArraySlice<UInt8>) -> Bool {
    // RFC 7464 puts 0x1E before each text.
    isJSON(LogValue.trimmed(line.first == 0x1E ? line.dropFirst() : line)) || holdsObject(line)
  }

  /// Returns whether a line is a JSON object or list. A CSV header may begin with a bracket, too.
  private static func isJSON(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = line.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else {
      return false
    }
    guard let second = LogValue.trimmed(line.dropFirst()).first else { return true }
    return "{[]}\"".utf8.contains(second)
  }

  /// Returns whether an object follows a tab, as in OwnTracks: time, tab, word, tab, object.
  private static func holdsObject(_ line: ArraySlice<UInt8>) -> Bool {
    let object = Array("\t{\"".utf8)
    return line.prefix(1_024).indices.contains { line[$0...].starts(with: object) }
  }
}
