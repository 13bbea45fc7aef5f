package import Core

/// The disk content of a killed fleet's phones, reconstructed from the fleet's journal.
package struct OutboxRecord {
  package var highest: [PhoneID: UInt64]
  package var newest: [PhoneID: FixTime]
  /// The batches, by phone, that were cut when the period was simulated again; none was sent.
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
