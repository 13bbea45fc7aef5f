internal import Core
internal import Foundation
package import Targets
package import Transport

/// Why a phone's read-back has no result.
package struct ReadbackError: Error, Equatable, CustomStringConvertible {
  /// A few words, the same for every phone, such as `404` or `no list at /points`.
  package let description: String
}

/// A phone's fixes as its server returns them.
package struct ReadbackRows: Equatable, Sendable {
  package struct Row: Equatable, Sendable {
    /// The time of the fix or of its receipt (see `timeOf`), in milliseconds since 1970.
    package var milliseconds: Int64
    /// Whether the time was written without a zone, and is taken for UTC.
    package var isZoneless = false
    /// The latitude in degrees; above 90 if latitude and longitude were exchanged.
    package var latitude: Double
    package var longitude: Double
    /// The phone's id in the row; nil without `device`.
    package var device: String?
    /// The id of an event; nil for fixes, and without `id`.
    package var id: String?
  }

  package var rows: [Row] = []
  /// The number of rows without a readable time or position.
  package var unreadable = 0
  package var example: String?
  /// The address or cursor of the next page; nil if there is none.
  package var next: String?
  package let timeOf: Readback.TimeOf

  package init(
    _ answer: HTTPAnswer, _ readback: Readback, _ calls: MessageCalls? = nil,
    ofEvents: Bool = false
  ) throws(ReadbackError) {
    guard (200..<300).contains(answer.status) else {
      throw ReadbackError(description: "\(answer.status)")
    }
    if let calls, let rows = calls.rows {
      try self.init(message: answer.body, rows, readback, next: calls.next(in: answer.body))
    } else {
      try self.init(answer.body, readback, ofEvents: ofEvents)
    }
    if readback.next == .header {
      next =
        answer.headers.lazy.filter { $0.name.lowercased() == "link" }
        .compactMap { Self.nextLink($0.value) }.first
    }
  }

  /// - Parameters:
  ///   - isMessage: whether the body is a message to a viewer, which may have no rows.
  ///   - ofEvents: whether the rows are of events, which have an id or a time and no position.
  package init(
    _ body: [UInt8], _ readback: Readback, isMessage: Bool = false, ofEvents: Bool = false
  ) throws(ReadbackError) {
    timeOf = readback.timeOf
    let options: JSONSerialization.ReadingOptions = [.fragmentsAllowed]
    guard let json = try? JSONSerialization.jsonObject(with: Data(body), options: options) else {
      throw ReadbackError(description: "an answer that is not JSON")
    }
    let found = Self.value(at: readback.rows, in: json)
    let one = readback.takesOneRow ? found.flatMap { ($0 as? [String: Any]).map { [$0] } } : nil
    guard let list = found as? [Any] ?? one else {
      if isMessage { return }
      throw ReadbackError(description: "no list at \(readback.rows)")
    }
    for entry in list { ofEvents ? add(event: entry, readback) : add(entry, readback) }
    if case .field(let path)? = readback.next { next = Self.page(Self.value(at: path, in: json)) }
    if let path = readback.cursor { next = Self.page(Self.value(at: path, in: json)) }
  }

  /// Reads the rows of a database, each a JSON object with column names as keys.
  package init(rows json: [String], _ readback: Readback) {
    timeOf = readback.timeOf
    let options: JSONSerialization.ReadingOptions = [.fragmentsAllowed]
    for text in json {
      let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: options)
      add(value ?? text, readback)
    }
  }

  /// - Parameter rows: the paths of time, latitude and longitude in each row.
  package init(
    message: [UInt8], _ rows: AnswerRows, _ readback: Readback, next: String?
  ) throws(ReadbackError) {
    timeOf = readback.timeOf
    self.next = next.flatMap { $0.isEmpty ? nil : $0 }
    do {
      try message.withUnsafeBytes { bytes in
        try rows.forEach(bytes) { add($0, readback) }
      }
    } catch { throw ReadbackError(description: "an answer that does not decode") }
  }

  package mutating func append(_ page: ReadbackRows) {
    rows += page.rows
    unreadable += page.unreadable
    example = example ?? page.example
  }

  // MARK: Rows

  private mutating func add(event entry: Any, _ readback: Readback) {
    let id = readback.id.flatMap { Self.value(at: $0, in: entry) }.map { "\($0)" }
    let time = Self.value(at: readback.time, in: entry).flatMap { RowTime($0, readback.timeUnit) }
    guard readback.id == nil ? time != nil : id != nil else {
      unreadable += 1
      let path = readback.id ?? readback.time
      example = example ?? "\(Self.shown(Self.text(entry))): \(path) is no id or time of an event"
      return
    }
    rows.append(Row(milliseconds: time?.milliseconds ?? 0, latitude: 0, longitude: 0, id: id))
  }

  private static func text(_ entry: Any) -> String {
    let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys]
    let isJSON = entry is [Any] || entry is [String: Any]
    let data = isJSON ? try? JSONSerialization.data(withJSONObject: entry, options: options) : nil
    // swift-format-ignore: JSON is UTF-8.
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "\(entry)"
  }

  private mutating func add(_ entry: Any, _ readback: Readback) {
    let time = Self.value(at: readback.time, in: entry)
    let latitude = Self.value(at: readback.latitude.path, in: entry)
    let longitude = Self.value(at: readback.longitude.path, in: entry)
    add(
      time.flatMap { RowTime($0, readback.timeUnit) }, Self.number(latitude),
      Self.number(longitude), readback,
      device: readback.device.flatMap { Self.value(at: $0, in: entry) }.map { "\($0)" },
      isThere: [time != nil, latitude != nil, longitude != nil]
    ) { Self.text(entry) }
  }

  private mutating func add(_ values: [AnswerValue], _ readback: Readback) {
    let time: RowTime? =
      if case .instant(let instant) = values[0] {
        RowTime(microseconds: Double(instant))
      } else {
        values[0].text.flatMap { RowTime($0, readback.timeUnit) }
      }
    let texts = values.map(\.text)
    add(
      time, texts[1].flatMap(Double.init), texts[2].flatMap(Double.init), readback,
      isThere: texts.map { $0 != nil }
    ) {
      zip(["time", "latitude", "longitude"], texts).map { "\($0) \($1 ?? "absent")" }
        .joined(separator: ", ")
    }
  }

  private static let degreesMax = 360.0

  private mutating func add(
    _ time: RowTime?, _ latitude: Double?, _ longitude: Double?, _ readback: Readback,
    device: String? = nil,
    isThere: [Bool], row: () -> String
  ) {
    func degrees(_ number: Double?, _ field: ScaledField) -> Double? {
      let degrees = number.map { $0 / field.divisor }
      return degrees.flatMap { abs($0) <= Self.degreesMax ? $0 : nil }
    }
    let at = (degrees(latitude, readback.latitude), degrees(longitude, readback.longitude))
    if let time, let latitude = at.0, let longitude = at.1 {
      rows.append(
        Row(
          milliseconds: time.milliseconds, isZoneless: time.isZoneless, latitude: latitude,
          longitude: longitude, device: device))
      return
    }
    unreadable += 1
    guard example == nil else { return }
    let unit = readback.timeUnit
    let faults = [
      (time == nil, readback.time, "no time by timeUnit: \(unit.rawValue)"),
      (at.0 == nil, readback.latitude.path, "no latitude in degrees"),
      (at.1 == nil, readback.longitude.path, "no longitude in degrees"),
    ]
    let texts = zip(faults, isThere).compactMap { fault, isThere in
      fault.0 ? "\(fault.1) is \(isThere ? fault.2 : "not there")" : nil
    }
    example = "\(Self.shown(row())): \(texts.joined(separator: ", "))"
  }

  private static let shownMax = 160

  private static func shown(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(shownMax) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse:
        shown += "\\u{\(String(scalar.value, radix: 16))}"
      case _: shown.unicodeScalars.append(scalar)
      }
    }
    return shown + (text.unicodeScalars.count > shownMax ? "…" : "")
  }

  private static func value(at path: FieldPath, in json: Any) -> Any? {
    var place: Any? = json
    for key in path.keys {
      if let object = place as? [String: Any] {
        place = object[key]
      } else if let list = place as? [Any], let index = Int(key), list.indices.contains(index) {
        place = list[index]
      } else {
        return nil
      }
    }
    return place is NSNull ? nil : place
  }

  static func number(_ value: Any?) -> Double? {
    let number = (value as? String).map(Double.init) ?? (value as? NSNumber)?.doubleValue
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  private static func page(_ value: Any?) -> String? {
    let text = value as? String ?? (value as? NSNumber).map { "\($0)" }
    return text.flatMap { $0.isEmpty || $0 == "false" ? nil : $0 }
  }
}

struct RowTime: Equatable {
  /// The time in milliseconds since 1970.
  let milliseconds: Int64
  var isZoneless = false

  /// The valid times begin in 2000, because an earlier time means a wrong unit.
  private static let range = 946_684_800_000.0..<253_402_300_800_000.0

  init?(microseconds: Double) {
    let rounded = (microseconds / 1_000).rounded()
    guard Self.range.contains(rounded) else { return nil }
    milliseconds = Int64(rounded)
  }

  init?(_ value: Any, _ unit: Readback.TimeUnit) {
    let scale: Double
    switch unit {
    case .seconds: scale = 1e6
    case .milliseconds: scale = 1e3
    case .microseconds: scale = 1
    case .iso:
      guard let text = value as? String, let instant = GPXTime.instant(Array(text.utf8)) else {
        return nil
      }
      self.init(microseconds: Double(instant.microseconds))
      // A hyphen after the date (10 characters) belongs to a zone.
      isZoneless = !text.dropFirst(10).contains { "Zz+-UG".contains($0) }
      return
    }
    guard let number = ReadbackRows.number(value) else { return nil }
    self.init(microseconds: number * scale)
  }
}

extension ReadbackRows {
  /// Returns the address with the relation `next` in a header `Link` (RFC 8288); nil without one.
  fileprivate static func nextLink(_ value: String) -> String? {
    var rest = value[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let address = rest[rest.index(after: open)..<close]
      let after = rest[rest.index(after: close)...]
      let end = after.firstIndex(of: "<") ?? after.endIndex
      let isNext = after[..<end].split { ";,".contains($0) }.contains { part in
        let pair = part.split(separator: "=", maxSplits: 1).map {
          $0.trimmingCharacters(in: .whitespaces)
        }
        guard pair.count == 2, pair[0].lowercased() == "rel" else { return false }
        return pair[1].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
          .lowercased().split(separator: " ").contains("next")
      }
      if isNext { return String(address) }
      rest = after[end...]
    }
    return nil
  }
}
