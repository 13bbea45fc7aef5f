@testable internal import Core
@testable internal import Scenarios

/// Reads a text as a GPX file named `test.gpx`.
func recording(_ text: String) throws(GPXError) -> Recording {
  try recording(Array(text.utf8))
}

func recording(_ bytes: [UInt8], speed: Double = 2) throws(GPXError) -> Recording {
  let content = try GPXReader().read(ByteSource.bytes(bytes))
  return try RecordingMaker.make(
    content, path: "test.gpx", speed: .init(metersPerSecond: speed))
}

/// A track of points, each `(time or nil, latitude, longitude)`.
func track(_ points: [(String?, Double, Double)]) -> String {
  let rows = points.map { time, latitude, longitude in
    let time = time.map { "<time>\($0)</time>" } ?? ""
    return "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\">\(time)</trkpt>"
  }
  return gpx("<trk><trkseg>\(rows.joined())</trkseg></trk>")
}

func gpx(_ inside: String) -> String {
  "<?xml version=\"1.0\"?><gpx version=\"1.1\" xmlns=\"http://www.topografix.com/GPX/1/1\">"
    + inside + "</gpx>"
}

/// Why a file is refused; nil: it is read.
func fault(_ text: String) -> String? { fault(Array(text.utf8)) }

func fault(_ bytes: [UInt8]) -> String? {
  do throws(GPXError) {
    _ = try recording(bytes)
    return nil
  } catch {
    return error.text
  }
}
