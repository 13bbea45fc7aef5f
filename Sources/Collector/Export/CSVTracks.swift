internal import Core

/// Writes CSV (RFC 4180), one line per fix in order of arrival; unknown speed or course is empty.
struct CSVTracks: TrackWriter {
  let text: TextSink

  init(_ text: TextSink) { self.text = text }

  func begin() {
    text.add(
      "phone,epoch,sequence,time,latitude,longitude,accuracy_m,speed_mps,course_deg,received\r\n")
  }

  func add(_ batch: StoredBatch, _ fixes: UnsafeBufferPointer<Fix>) {
    let received = FixTime(batch.receivedAt)
    for fix in fixes {
      text.add(batch.id.phone.rawValue).add(",")
      text.add(batch.id.epoch).add(",").add(batch.id.sequence).add(",")
      text.add(fix.time).add(",").addLatitude(fix).add(",").addLongitude(fix).add(",")
      text.add(fix.accuracyMeters).add(",")
      text.addSpeed(fix, absent: "").add(",").addCourse(fix, absent: "").add(",")
      text.add(received).add("\r\n")
    }
  }

  func end() {}
}
