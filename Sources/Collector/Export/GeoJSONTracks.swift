internal import Core

/// Writes GeoJSON (RFC 7946) with a LineString per phone, or a Point for a single fix. The arrays
/// `coordTimes`, `accuracies`, `speeds` and `courses` have a value per fix, `null` if unknown.
struct GeoJSONTracks: TrackWriter {
  let text: TextSink
  private var phone: PhoneID?
  /// The fixes of one phone; the buffer is reused.
  private var fixes: [Fix] = []
  private var isFirst = true

  init(_ text: TextSink) { self.text = text }

  func begin() { text.add("{\"type\":\"FeatureCollection\",\"features\":[") }

  mutating func add(_ batch: StoredBatch, _ more: UnsafeBufferPointer<Fix>) {
    if batch.id.phone != phone { closeFeature() }
    phone = batch.id.phone
    fixes.append(contentsOf: more)
  }

  mutating func end() {
    closeFeature()
    text.add("\n]}\n")
  }

  private mutating func closeFeature() {
    guard let phone, !fixes.isEmpty else { return }
    text.add(isFirst ? "\n" : ",\n")
    isFirst = false
    text.add("{\"type\":\"Feature\",\"id\":").add(phone.rawValue)
    text.add(",\"geometry\":{\"type\":")
    if fixes.count == 1 {
      text.add("\"Point\",\"coordinates\":")
      addPosition(fixes[0])
    } else {
      text.add("\"LineString\",\"coordinates\":")
      addList(addPosition)
    }
    text.add("},\"properties\":{\"phone\":").add(phone.rawValue)
    text.add(",\"coordTimes\":")
    addList { text.add("\"").add($0.time).add("\"") }
    text.add(",\"accuracies\":")
    addList { text.add($0.accuracyMeters) }
    text.add(",\"speeds\":")
    addList { text.addSpeed($0, absent: "null") }
    text.add(",\"courses\":")
    addList { text.addCourse($0, absent: "null") }
    text.add("}}")
    fixes.removeAll(keepingCapacity: true)
  }

  private func addList(_ add: (Fix) -> Void) {
    text.add("[")
    for (index, fix) in fixes.enumerated() {
      if index > 0 { text.add(",") }
      add(fix)
    }
    text.add("]")
  }

  /// Writes a position, longitude first as RFC 7946 requires.
  private func addPosition(_ fix: Fix) {
    text.add("[").addLongitude(fix).add(",").addLatitude(fix).add("]")
  }
}
