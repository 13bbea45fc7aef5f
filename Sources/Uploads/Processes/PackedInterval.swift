internal import Figures

/// An interval as it travels each second: whole numbers, so that sums stay exact.
///
/// What is small can be read; histograms and integrals stay columns until they are added, so that
/// the first process makes none of those of the others.
package struct PackedInterval: Equatable, Sendable {
  /// What other processes read.
  package let bytes: [UInt8]
  /// What is not added column by column.
  var head = ShareInterval.empty
  private let ofCounts: Int
  private let ofLoad: Int

  /// Packs what a share saw.
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

  /// Reads what `bytes` gave; nil: it is something else.
  package init?(bytes: [UInt8]) {
    self.bytes = bytes
    var columns = PackedColumns(checking: bytes)
    head.passHead(&columns)
    ofCounts = columns.place
    // Nothing is made of these columns yet.
    var checked = ShareInterval.empty
    checked.passCounts(&columns)
    ofLoad = columns.place
    checked.load.pass(&columns)
    guard columns.isRead else { return nil }
  }

  /// Adds what was counted so far, to figures of the same scenario or to those of no fleet.
  func addCounts(to sum: inout ShareInterval) {
    var columns = PackedColumns(adding: bytes, from: ofCounts)
    sum.passCounts(&columns)
  }

  /// Adds the interval's counters and histograms.
  func addLoad(to load: inout Interval) {
    var columns = PackedColumns(adding: bytes, from: ofLoad)
    load.pass(&columns)
  }
}
