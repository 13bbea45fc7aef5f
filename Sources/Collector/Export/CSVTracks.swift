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
      text.add(batch.id.phone.rawValue)
      text.add(",")
      text.add(batch.id.epoch)
      text.add(",")
      text.add(batch.id.sequence)
      text.add(",")
      text.add(fix.time)
      text.add(",")
      text.addLatitude(fix)
      text.add(",")
      text.addLongitude(fix)
      text.add(",")
      text.add(fix.accuracyMeters)
      text.add(",")
      text.addSpeed(fix, absent: "")
      text.add(",")
      text.addCourse(fix, absent: "")
      text.add(",")
      text.add(received)
      text.add("\r\n")
    }
  }

  func end() {}
}
