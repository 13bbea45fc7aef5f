package import Telemetry

/// What the phones of a killed fleet had on disk, according to their journal.
package struct OutboxRecord {
  /// The newest batch that was ever submitted, by phone, as its `order`.
  package var highest: [PhoneID: UInt64]
  /// The newest fix that is in a submitted batch, by phone.
  package var newest: [PhoneID: FixTime]
  /// The batches that phones cut when the time was simulated again, by phone; none was sent.
  var relived: [PhoneID: [(id: BatchID, fixes: [Fix])]] = [:]

  package init(highest: [PhoneID: UInt64], newest: [PhoneID: FixTime]) {
    self.highest = highest
    self.newest = newest
  }

  package mutating func note(_ id: BatchID, _ fixes: UnsafeBufferPointer<Fix>) {
    let late = fixes.filter { $0.time > newest[id.phone] ?? .distantPast }
    if !late.isEmpty { relived[id.phone, default: []].append((id, late)) }
  }
}

extension FixTime {
  static let distantPast = FixTime(centiseconds: .min)
}
