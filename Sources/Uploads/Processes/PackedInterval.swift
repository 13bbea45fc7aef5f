internal import Core

/// An encoded `ShareInterval`. Histograms and integrals stay encoded columns until added.
package struct PackedInterval: Equatable, Sendable {
  package let bytes: [UInt8]
  /// The part that is not added column by column.
  var head = ShareInterval.empty
  private let ofCounts: Int
  private let ofLoad: Int

  package init(_ interval: ShareInterval) {
    var interval = interval
    var columns = PackedColumns()
    interval.passHead(&columns)
    ofCounts = columns.bytes.count
    interval.passCounts(&columns)
    ofLoad = columns.bytes.count
    interval.load.pass(&columns)
    bytes = columns.bytes
    (head.second, head.moment) = (interval.second, interval.moment)
    (head.phones, head.senders) = (interval.phones, interval.senders)
  }

  /// Decodes an interval; nil if the bytes are not a valid interval.
  package init?(bytes: [UInt8]) {
    self.bytes = bytes
    var columns = PackedColumns(checking: bytes)
    head.passHead(&columns)
    ofCounts = columns.place
    // The remaining columns are only checked here, and decoded when added.
    var checked = ShareInterval.empty
    checked.passCounts(&columns)
    ofLoad = columns.place
    checked.load.pass(&columns)
    guard columns.isRead else { return nil }
  }

  /// Adds the cumulative counts to a sum, which is empty or of the same scenario.
  func addCounts(to sum: inout ShareInterval) {
    var columns = PackedColumns(adding: bytes, from: ofCounts)
    sum.passCounts(&columns)
  }

  func addLoad(to load: inout Interval) {
    var columns = PackedColumns(adding: bytes, from: ofLoad)
    load.pass(&columns)
  }
}
