internal import Core

/// Writes GPX 1.1 with a track per phone and a segment per installation. Speed and course are in
/// Garmin's TrackPointExtension 2. Accuracy has its own namespace, since no schema is common.
struct GPXTracks: TrackWriter {
  let text: TextSink
  private var last: BatchID?

  init(_ text: TextSink) { self.text = text }

  func begin() {
    text.add(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="flotilla" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:tpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" \
      xmlns:flotilla="urn:flotilla:track:1">

      """)
  }

  mutating func add(_ batch: StoredBatch, _ fixes: UnsafeBufferPointer<Fix>) {
    if last?.phone != batch.id.phone {
      if last != nil { text.add("</trkseg></trk>\n") }
      text.add("<trk><name>phone ").add(batch.id.phone.rawValue).add("</name><trkseg>\n")
    } else if last?.epoch != batch.id.epoch {
      text.add("</trkseg><trkseg>\n")
    }
    last = batch.id
    for fix in fixes { add(fix) }
  }

  private func add(_ fix: Fix) {
    text.add("<trkpt lat=\"").addLatitude(fix).add("\" lon=\"").addLongitude(fix)
    text.add("\"><time>").add(fix.time).add("</time><extensions>")
    let hasSpeed = fix.speedDecimetersPerSecond >= 0
    if hasSpeed || fix.courseDegrees >= 0 {
      text.add("<tpx:TrackPointExtension>")
      if hasSpeed { text.add("<tpx:speed>").addSpeed(fix, absent: "").add("</tpx:speed>") }
      if fix.courseDegrees >= 0 {
        text.add("<tpx:course>").addCourse(fix, absent: "").add("</tpx:course>")
      }
      text.add("</tpx:TrackPointExtension>")
    }
    text.add("<flotilla:accuracy>").add(fix.accuracyMeters)
    text.add("</flotilla:accuracy></extensions></trkpt>\n")
  }

  func end() {
    if last != nil { text.add("</trkseg></trk>\n") }
    text.add("</gpx>\n")
  }
}
