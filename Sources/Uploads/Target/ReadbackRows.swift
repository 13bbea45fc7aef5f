internal import Foundation
internal import SimulationCore
package import Targets
package import Telemetry

/// The fixes of a phone as its server gives them back.
package struct ReadbackRows: Equatable, Sendable {
  /// One fix that the server holds.
  package struct Row: Equatable, Sendable {
    /// Is its time, in milliseconds since 1970.
    package var milliseconds: Int64
    /// Is its latitude in degrees.
    package var latitude: Double
    /// Is its longitude in degrees.
    package var longitude: Double
  }

  /// Holds the rows in the order of the answer.
  package var rows: [Row] = []
  /// Counts the rows without a time or a place that could be read.
  package var unreadable = 0
  /// Says what the time of a row is.
  package let timeOf: Readback.TimeOf

  /// Reads an answer.
  ///
  /// - Returns: nil where it is no JSON, or has no list of rows where the target says.
  package init?(_ body: [UInt8], _ readback: Readback) {
    timeOf = readback.timeOf
    let options: JSONSerialization.ReadingOptions = [.fragmentsAllowed]
    guard let json = try? JSONSerialization.jsonObject(with: Data(body), options: options),
      let list = Self.value(at: readback.rows, in: json) as? [Any]
    else { return nil }
    for entry in list {
      if let row = Self.row(entry, readback) { rows.append(row) } else { unreadable += 1 }
    }
  }

  /// Reads rows of a database, each as JSON by the names of its columns.
  package init(rows json: [String], _ readback: Readback) {
    timeOf = readback.timeOf
    let options: JSONSerialization.ReadingOptions = [.fragmentsAllowed]
    for text in json {
      let value = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: options)
      if let row = value.flatMap({ Self.row($0, readback) }) {
        rows.append(row)
      } else {
        unreadable += 1
      }
    }
  }

  /// Reads an answer of gRPC.
  ///
  /// - Parameter rows: reads time, latitude and longitude of each row.
  /// - Returns: nil where it is no such message.
  package init?(message: [UInt8], _ rows: AnswerRows, _ readback: Readback) {
    timeOf = readback.timeOf
    do {
      try message.withUnsafeBytes { bytes in
        try rows.forEach(bytes) { values in
          if let row = Self.row(values, readback) {
            self.rows.append(row)
          } else {
            unreadable += 1
          }
        }
      }
    } catch { return nil }
  }

  private static func row(_ values: [AnswerValue], _ readback: Readback) -> Row? {
    guard values.count == 3, let latitude = values[1].text.flatMap(Double.init),
      let longitude = values[2].text.flatMap(Double.init)
    else { return nil }
    var at: Int64?
    if case .instant(let instant) = values[0] {
      at = Int64((Double(instant) / 1_000).rounded())
    } else if let text = values[0].text {
      at = milliseconds(text, readback.timeUnit)
    }
    guard let at else { return nil }
    return Row(
      milliseconds: at, latitude: latitude / readback.latitude.divisor,
      longitude: longitude / readback.longitude.divisor)
  }

  private static func row(_ entry: Any, _ readback: Readback) -> Row? {
    guard let time = value(at: readback.time, in: entry),
      let milliseconds = milliseconds(time, readback.timeUnit),
      let latitude = number(value(at: readback.latitude.path, in: entry)),
      let longitude = number(value(at: readback.longitude.path, in: entry))
    else { return nil }
    return Row(
      milliseconds: milliseconds, latitude: latitude / readback.latitude.divisor,
      longitude: longitude / readback.longitude.divisor)
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
    return place
  }

  private static func number(_ value: Any?) -> Double? {
    if let text = value as? String { return Double(text) }
    return (value as? NSNumber)?.doubleValue
  }

  private static func milliseconds(_ value: Any, _ unit: Readback.TimeUnit) -> Int64? {
    let scale: Double
    switch unit {
    case .seconds: scale = 1_000
    case .milliseconds: scale = 1
    case .microseconds: scale = 1e-3
    case .iso:
      guard let text = value as? String else { return nil }
      let whole = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
      let split = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      guard let date = (try? split.parse(text)) ?? (try? whole.parse(text)) else { return nil }
      return Int64((date.timeIntervalSince1970 * 1_000).rounded())
    }
    return number(value).map { Int64(($0 * scale).rounded()) }
  }

  /// Servers round times to whole seconds, and places to about a metre.
  package static let timeTolerance: Int64 = 1_000
  private static let placeTolerance = 2e-5

  /// Leaves out what the server has taken before an instant, in milliseconds since 1970: an earlier
  /// run's. Rows with the fixes' own times stay: those tell the runs apart.
  package mutating func drop(before instant: Int64) {
    switch timeOf {
    case .fix: break
    case .arrival: rows.removeAll { $0.milliseconds < instant - Self.timeTolerance }
    }
  }

  /// Returns how many rows are this fix.
  package func count(of fix: Fix) -> Int {
    rows.count { isSame($0, fix) }
  }

  /// Returns whether a row is of a fix.
  package func isSame(_ row: Row, _ fix: Fix) -> Bool {
    let isThen: Bool =
      switch timeOf {
      case .fix: abs(row.milliseconds - fix.time.centiseconds * 10) <= Self.timeTolerance
      // What is late arrives late.
      case .arrival: true
      }
    return isThen && abs(row.latitude - fix.coordinate.latitude) <= Self.placeTolerance
      && abs(row.longitude - fix.coordinate.longitude) <= Self.placeTolerance
  }
}
