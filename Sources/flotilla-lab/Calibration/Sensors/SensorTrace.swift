internal import Core
internal import Foundation
internal import Scenarios

struct SensorTrace: Sendable {
  struct Point: Sendable, BitwiseCopyable {
    /// The seconds since 1970.
    var seconds: Double
    var place: PlanePoint

    var instant: SimInstant { SimInstant(microseconds: Int64((seconds * 1e6).rounded())) }
  }

  let name: String
  let projection: Projection
  let points: [Point]

  /// Returns the position at `seconds`, interpolated; nil between points more than 30 s apart.
  func place(at seconds: Double) -> PlanePoint? {
    var low = 0
    var high = points.count
    while low < high {
      let middle = (low + high) / 2
      if points[middle].seconds <= seconds { low = middle + 1 } else { high = middle }
    }
    guard low > 0, low < points.count else { return nil }
    let (a, b) = (points[low - 1], points[low])
    guard b.seconds - a.seconds <= 30 else { return nil }
    return a.place + (b.place - a.place) * ((seconds - a.seconds) / (b.seconds - a.seconds))
  }
}

enum SensorTraceError: Error, Equatable, CustomStringConvertible {
  case unreadable(String)
  case foreignRow(String, line: Int)
  case noPoint(String)

  var description: String {
    switch self {
    case .unreadable(let path): "\(path) cannot be read; give its folder with --data."
    case .foreignRow(let path, let line):
      "\(path):\(line): not a row of this log; see the columns in the folder's README."
    case .noPoint(let path): "\(path) contains no position; use another recording."
    }
  }
}

/// The recordings in the data folder, split by file. The sensor profile is fitted to one half, and
/// the other half is compared with the simulation.
struct SensorFiles: Sendable {
  /// Two phones of a survey, with half of its dwells. Two other phones are held out.
  static let surveyFitted = ["ssi-Utrecht2-2024-06-27.csv", "ssi-Utrecht4-2024-06-19.csv"]
  static let surveyHeldOut = ["ssi-Utrecht1-2024-06-27.csv", "ssi-Utrecht6-2024-06-29.csv"]
  static let busFitted = ["oba-bus-trip1.csv", "oba-bus-trip10.csv"]
  static let busHeldOut = ["oba-bus-trip22.csv", "oba-bus-trip27.csv", "oba-bus-trip32.csv"]

  let folder: String

  func survey(_ names: [String]) throws -> [SensorTrace] {
    try names.map { try Self.survey("\(folder)/phone-logs/\($0)") }
  }

  func gpx(_ name: String) throws -> SensorTrace {
    let recording = try Recording.read("\(folder)/\(name)")
    return try Self.trace(
      name, recording.points.map { (Double($0.time.microseconds) / 1e6, $0.latitude, $0.longitude) }
    )
  }

  func accuracies(_ name: String) throws -> [Double] {
    let path = "\(folder)/phone-logs/\(name)"
    var accuracies: [Double] = []
    var last: Substring = ""
    for (number, cells) in try Self.rows(path) where cells.last == "gps" {
      guard cells.count > 10, let meters = Double(cells[10]) else {
        throw SensorTraceError.foreignRow(path, line: number)
      }
      if cells[4] != last { accuracies.append(meters) }
      last = cells[4]
    }
    return accuracies
  }

  private static func survey(_ path: String) throws -> SensorTrace {
    let points = try rows(path).map { number, cells in
      guard cells.count >= 4, let time = GPXTime.instant(Array(cells[1].utf8)),
        let latitude = Double(cells[2]), let longitude = Double(cells[3])
      else { throw SensorTraceError.foreignRow(path, line: number) }
      return (Double(time.microseconds) / 1e6, latitude, longitude)
    }
    return try trace(path, points)
  }

  private static func trace(
    _ path: String, _ points: [(seconds: Double, latitude: Double, longitude: Double)]
  ) throws -> SensorTrace {
    guard let first = points.first else { throw SensorTraceError.noPoint(path) }
    let projection = Projection(
      centreLatitude: first.latitude, centreLongitude: first.longitude)
    return SensorTrace(
      name: path, projection: projection,
      points: points.map {
        SensorTrace.Point(
          seconds: $0.seconds,
          place: projection.point(latitude: $0.latitude, longitude: $0.longitude))
      })
  }

  private static func rows(_ path: String) throws -> [(line: Int, cells: [Substring])] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw SensorTraceError.unreadable(path)
    }
    let text = String(decoding: data, as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).enumerated().dropFirst().map { line in
      (line.offset + 1, line.element.split(separator: ",", omittingEmptySubsequences: false))
    }
  }
}
