internal import Core

/// Reads a server's log chunk by chunk, from files that its owner opens.
///
///     chunk ─▶ CSVScanner ─▶ rows ──▶ LogReader ─▶ PhoneLog
///       └────▶ JSONLog ────▶ fixes ──────┘
package struct LogReader {
  private let mapping: ColumnMapping
  private let epoch: LogEpoch?
  private let skipsBadLines: Bool
  private var file = ""
  private var scanner = CSVScanner()
  /// The reader of a JSON file; nil for rows.
  private var json: JSONLog?
  /// The points of a JSON file's paths, which count if the file has no other fix.
  private var pathRows: [LogRow] = []
  /// The index of each column; nil until the first row of the file.
  private var places: [LogColumn: Int]?
  private var columns: Set<LogColumn> = []
  private var needed = 0
  private var rowsOfFile = 0
  private var titles = 0
  private var titleFault: LogError?
  private var marked = (time: 0, received: 0)
  private var notes: [String] = []
  private var diagnostics: [LogDiagnostic] = []
  private var counts = LogCounts()
  private var rows: [LogRow] = []
  private var phones = NameTable()
  private var versions = NameTable()
  /// The fix time of each phone's last row, to count rows out of order.
  private var lastTimes: [Int64] = []

  /// - Parameter mapping: The mapping of `--columns`.
  /// - Parameter epoch: The epoch of numeric times; nil to derive it from the numbers.
  package init(
    _ mapping: ColumnMapping = ColumnMapping(), epoch: LogEpoch? = nil, skipsBadLines: Bool = false
  ) {
    self.mapping = mapping
    self.epoch = epoch
    self.skipsBadLines = skipsBadLines
  }

  package var count: Int { rows.count }

  package mutating func begin(_ name: String) {
    file = name
    scanner = CSVScanner()
    json = nil
    pathRows = []
    places = nil
    rowsOfFile = 0
    titles = 0
    titleFault = nil
    marked = (0, 0)
  }

  package mutating func take(_ chunk: [UInt8]) throws(LogError) {
    if json != nil { return try takeJSON(chunk) }
    var scanner = scanner
    self.scanner = CSVScanner()
    do throws(LogError) {
      try scanner.scan(chunk) { (record) throws(LogError) in try self.take(record) }
    } catch {
      throw named(error)
    }
    self.scanner = scanner
    if let bytes = self.scanner.takeJSON() { try takeJSON(bytes) }
  }

  package mutating func end() throws(LogError) {
    var scanner = scanner
    self.scanner = CSVScanner()
    do throws(LogError) {
      try scanner.finish { (record) throws(LogError) in try self.take(record) }
    } catch {
      throw named(error)
    }
    if let bytes = scanner.takeJSON() { try takeJSON(bytes) }
    if json != nil { return try endJSON() }
    guard places != nil else {
      if let titleFault { throw named(titleFault) }
      throw .empty("\(file): is empty; a log has a header and one row per fix.")
    }
    if rowsOfFile == 0, diagnostics.isEmpty {
      throw .empty("\(file): has a header and no rows.")
    }
    do throws(LogError) { try settle() } catch { throw named(error) }
  }

  private mutating func settle() throws(LogError) {
    let own = rows.count - rowsOfFile..<rows.count
    if marked.time > 0 {
      let clock = try clock(.time, rows[own].map(\.time))
      for place in own where LogClock.isMarked(rows[place].time) {
        rows[place].time = clock.instant(rows[place].time)
      }
    }
    if marked.received > 0 {
      let clock = try clock(.received, rows[own].compactMap(\.received))
      for place in own {
        guard let received = rows[place].received, LogClock.isMarked(received) else { continue }
        rows[place].received = clock.instant(received)
      }
    }
  }

  private mutating func clock(_ column: LogColumn, _ times: [Int64]) throws(LogError) -> LogClock {
    let marked = times.filter(LogClock.isMarked).sorted()
    // A minority of marked times is from phones whose clock was not set.
    guard marked.count * 2 > times.count else { return .since1970 }
    if let day = LogClock.day(marked[marked.count / 2]) {
      throw .format(
        "\(column.rawValue): '\(day)' is a day without a time of day; write \(Self.timeAllowed).")
    }
    let clock = LogClock(counting: marked)
    if let meaning = clock.meaning {
      note("\(column.rawValue) \(meaning)")
    }
    return clock
  }

  package mutating func finish() throws(LogError) -> PhoneLog {
    if !diagnostics.isEmpty, !skipsBadLines || rows.isEmpty {
      throw .rows(diagnostics, count: counts.skipped)
    }
    if rows.isEmpty { throw .empty("the log has no rows.") }
    counts.rows = rows.count
    let log = PhoneLog(
      rows: rows, phones: phones.names, versions: versions.names, columns: columns, counts: counts,
      notes: notes)
    rows = []
    return log
  }

  private func named(_ error: LogError) -> LogError {
    switch error {
    case .columns(let text): .columns("\(file): \(text)")
    case .format(let text): .format("\(file): \(text)")
    case .empty, .rows: error
    }
  }

  private mutating func note(_ text: String) {
    if !notes.contains(text) { notes.append(text) }
  }

  // MARK: JSON

  private mutating func takeJSON(_ bytes: [UInt8]) throws(LogError) {
    do throws(LogError) {
      var json = if let json { json } else { try JSONLog(mapping) }
      self.json = nil
      try json.read(bytes) { (fix) throws(LogError) in self.take(fix) }
      self.json = json
    } catch {
      throw named(error)
    }
  }

  private mutating func endJSON() throws(LogError) {
    guard var json else { return }
    do throws(LogError) {
      try json.finish { (fix) throws(LogError) in self.take(fix) }
      if rowsOfFile == 0 {
        if !pathRows.isEmpty { note("the points are of Google's paths, which are thinned out") }
        for row in pathRows { add(row) }
      } else if !pathRows.isEmpty {
        note("\(pathRows.count) points of Google's paths skipped, as the file has signals")
      }
      pathRows = []
      columns.formUnion(json.found)
      if json.others > 0 { note("\(json.others) JSON objects without a fix skipped") }
      if rowsOfFile == 0, diagnostics.isEmpty {
        throw .format(
          "has no JSON object with a position and a time; name the keys with --columns "
            + "time=KEY,latitude=KEY,longitude=KEY, or only the time's for a log without positions."
        )
      }
      try settle()
    } catch {
      throw named(error)
    }
  }

  private mutating func take(_ fix: JSONFix) {
    let row =
      if let fault = fix.fault {
        Result<LogRow, RefusalError>.failure(refusal(fix.line, fault))
      } else {
        row(fix.line, at: fix.time, isNamed: fix.fields[.phone] != nil) { fix.fields[$0] }
      }
    switch row {
    case .success(let row) where fix.isOfPath: pathRows.append(row)
    case .success(let row): add(row)
    case .failure(var refusal):
      refusal.value.text = "object \(fix.number): \(refusal.value.text)"
      skip(refusal)
    }
  }

  // MARK: Rows

  private mutating func take(_ record: CSVRecord) throws(LogError) {
    guard let places else { return try takeFirst(record) }
    guard record.count >= needed else {
      return skip(
        refusal(
          record.line,
          "has \(record.count) of \(needed) columns; quote fields that contain the separator."))
    }
    let row = row(record.line, isNamed: places[.phone] != nil) { column in
      places[column].map { record.field($0) }
    }
    switch row {
    case .success(let row): add(row)
    case .failure(let refusal): skip(refusal)
    }
  }

  private mutating func skip(_ refusal: RefusalError) {
    counts.skipped += 1
    if diagnostics.count < LogError.shownMax { diagnostics.append(refusal.value) }
  }

  /// Takes the first row: a header, or data if the user numbered the columns and this row has a
  /// valid time.
  private mutating func takeFirst(_ record: CSVRecord) throws(LogError) {
    let hasNoHeader: Bool
    if mapping.isNumbered, let time = mapping.numbered[.time], time < record.count {
      let date = mapping.numbered[.date].flatMap { $0 < record.count ? record.field($0) : nil }
      hasNoHeader = instant(record.field(time), date) != nil
    } else {
      hasNoHeader = false
    }
    // With numbered columns, a first line without a time is a title, and columns without a number
    // are not looked up in the title.
    let found: [LogColumn: Int]
    if mapping.isNumbered, mapping.numbered[.time] != nil {
      found = mapping.numbered
    } else {
      do throws(LogError) { found = try mapping.resolve(record.texts) } catch {
        // Skips titles above a table. If no header follows, the error of the first line is thrown.
        titleFault = titleFault ?? error
        titles += 1
        if titles == CSVScanner.titlesMax { throw titleFault ?? error }
        return
      }
    }
    places = found
    columns.formUnion(found.keys)
    needed = (found.values.max() ?? 0) + 1
    if hasNoHeader { try take(record) }
  }

  private mutating func add(_ row: LogRow) {
    var row = row
    rowsOfFile += 1
    let phone = Int(row.phone)
    if phone == lastTimes.count {
      lastTimes.append(row.time)
    } else {
      if row.time < lastTimes[phone] { counts.outOfOrder += 1 }
      lastTimes[phone] = row.time
    }
    if LogClock.isMarked(row.time) { marked.time += 1 }
    if let received = row.received, LogClock.isMarked(received) { marked.received += 1 }
    row.longitude = Projection.wrapped(row.longitude)
    // Phones report an unknown accuracy or battery level as a negative number.
    if row.accuracy < 0 { row.accuracy = .nan }
    if row.battery < 0 { row.battery = .nan }
    rows.append(row)
  }

  private struct RefusalError: Error {
    var value: LogDiagnostic
  }

  private func refusal(_ line: Int, _ text: String) -> RefusalError {
    RefusalError(value: LogDiagnostic(file: file, line: line, text: text))
  }

  /// - Parameter time: The time, if no field has it.
  /// - Parameter isNamed: Whether the row must name its phone.
  private mutating func row(
    _ line: Int, at time: Int64? = nil, isNamed: Bool,
    _ fieldOf: (LogColumn) -> ArraySlice<UInt8>?
  ) -> Result<LogRow, RefusalError> {
    func refuse(_ text: String) -> Result<LogRow, RefusalError> { .failure(refusal(line, text)) }
    func field(_ column: LogColumn) -> ArraySlice<UInt8>? {
      fieldOf(column).map(LogValue.trimmed).flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let time = time ?? instant(field(.time), field(.date)) else {
      guard let date = field(.date), let time = field(.time) else {
        return refuse(Self.wrong(.time, field(.time), Self.timeAllowed))
      }
      return refuse(Self.wrong(.date, date + [0x20] + time, Self.dateAllowed))
    }
    var row = LogRow(phone: 0, time: time)
    if let text = field(.received), !LogValue.isNothing(text) {
      guard let received = LogValue.time(text, epoch) else {
        return refuse(Self.wrong(.received, text, Self.timeAllowed))
      }
      row.received = received
    }
    for (column, range, allowed) in Self.numbers {
      guard let text = field(column) else { continue }
      let value = LogValue.number(Self.withoutPercent(text, column))
      if value == nil, LogValue.isNothing(text) { continue }
      guard let number = value, range.contains(number) else {
        return refuse(Self.wrong(column, text, allowed))
      }
      row.set(column, number)
    }
    if isNamed {
      guard let name = field(.phone) else {
        return refuse(Self.wrong(.phone, nil, "the phone's name or number"))
      }
      row.phone = UInt32(phones.place(of: name))
    } else {
      row.phone = UInt32(phones.place(of: Array(file.utf8)[...]))
    }
    if let text = field(.version), !LogValue.isNothing(text),
      versions.names.count < Int(LogRow.noVersion)
    {
      row.version = UInt16(versions.place(of: text))
    }
    return .success(row)
  }

  /// Returns the instant of a time, of which a date column may have the day.
  private func instant(_ time: ArraySlice<UInt8>?, _ date: ArraySlice<UInt8>?) -> Int64? {
    guard let time else { return nil }
    if let date, let instant = LogValue.time(day: date, timeOfDay: time) { return instant }
    return LogValue.time(time, epoch)
  }

  private static let dateAllowed = "a day such as 2026-03-02 and a time of day such as 07:30:00"

  private static let timeAllowed = """
    ISO 8601 such as 2026-03-02T07:30:00Z, or seconds, milliseconds, microseconds or nanoseconds \
    since 1970, in the years 1970 to 2199
    """

  private static let numbers: [(LogColumn, ClosedRange<Double>, String)] = [
    (.latitude, -90...90, "degrees from -90 to 90"),
    (.longitude, -360...360, "degrees from -180 to 180"),
    (.accuracy, -10_000_000...10_000_000, "metres, or negative if unknown"),
    (.battery, -1...100, "a level from 0 to 1 or from 0 to 100"),
  ]

  private static func withoutPercent(
    _ text: ArraySlice<UInt8>, _ column: LogColumn
  ) -> ArraySlice<UInt8> {
    column == .battery && text.last == 0x25 ? text.dropLast() : text
  }

  private static func wrong(
    _ column: LogColumn, _ field: ArraySlice<UInt8>?, _ allowed: String
  ) -> String {
    guard let field else { return "\(column.rawValue) is empty; write \(allowed)." }
    let text = String(decoding: field.prefix(60), as: UTF8.self)
    let shown = String(text.map { $0.isNewline ? " " : $0 })
    return "\(column.rawValue): '\(shown)' is not \(allowed)."
  }
}

extension LogRow {
  fileprivate mutating func set(_ column: LogColumn, _ number: Double) {
    switch column {
    case .latitude: latitude = number
    case .longitude: longitude = number
    case .accuracy: accuracy = Float(number)
    case .battery: battery = Float(number)
    case .phone, .time, .date, .received, .version: break
    }
  }
}

private struct NameTable {
  private(set) var names: [String] = []
  private var places: [ArraySlice<UInt8>: Int] = [:]
  /// A cache of the last lookup, as rows of a phone are mostly adjacent.
  private var last: (name: ArraySlice<UInt8>, place: Int)?

  mutating func place(of name: ArraySlice<UInt8>) -> Int {
    if let last, last.name == name { return last.place }
    let place: Int
    if let known = places[name] {
      place = known
    } else {
      place = names.count
      names.append(String(decoding: name, as: UTF8.self))
      places[Array(name)[...]] = place
    }
    last = (Array(name)[...], place)
    return place
  }
}
