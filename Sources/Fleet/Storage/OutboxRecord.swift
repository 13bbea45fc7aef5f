package import Telemetry

/// What the phones of a killed fleet had on disk, as their journal tells it.
package struct OutboxRecord {
  /// The newest sequence of a phone that was ever submitted, by phone.
  package var highest: [PhoneID: UInt32]
  /// The newest fix of a phone that is in a submitted batch, by phone.
  package var newest: [PhoneID: FixTime]
  /// The batches that phones cut when the time was simulated again, by phone; none was sent.
  var relived: [PhoneID: [(sequence: UInt32, fixes: [Fix])]] = [:]

  /// Makes a record from what the journal's submissions say; nothing is lived again yet.
  package init(highest: [PhoneID: UInt32], newest: [PhoneID: FixTime]) {
    self.highest = highest
    self.newest = newest
  }

  /// Notes a batch that a phone cut when the time was simulated again; it is not sent.
  package mutating func note(_ id: BatchID, _ fixes: UnsafeBufferPointer<Fix>) {
    let late = fixes.filter { $0.time > newest[id.phone] ?? .distantPast }
    if !late.isEmpty { relived[id.phone, default: []].append((id.sequence, late)) }
  }
}

extension FixTime {
  static let distantPast = FixTime(centiseconds: .min)
}
