internal import Figures
internal import Fleet
internal import SimulationCore

/// An interval as it travels each second: whole numbers, so that sums stay exact.
///
/// What is small can be read; histograms and integrals stay columns until they are added, so that
/// the first process makes none of those of the others.
package struct PackedInterval: Equatable, Sendable {
  /// Is what was so at the interval's end.
  var totals: ShareTotals
  /// Holds the counters and histograms of the interval.
  private let load: [UInt8]
  /// Holds what the phones did since the counting began.
  private let figures: [UInt8]

  /// Packs what a share saw.
  package init(_ interval: ShareInterval) {
    totals = interval.totals
    var (load, metrics) = (interval.load, interval.metrics)
    var (loadColumns, figureColumns) = (PackedColumns(), PackedColumns())
    load.pass(&loadColumns)
    metrics.pass(&figureColumns)
    (self.load, figures) = (loadColumns.bytes, figureColumns.bytes)
  }

  /// Is what another process reads.
  package var bytes: [UInt8] {
    var copy = totals
    var tape = IntegerTape()
    copy.pass(&tape)
    var lengths = PackedColumns()
    for length in [tape.bytes.count, load.count] { _ = lengths.agree(Int64(length)) }
    return lengths.bytes + tape.bytes + load + figures
  }

  /// Reads what `bytes` gave; nil: it is something else.
  package init?(bytes: [UInt8]) {
    var lengths = PackedColumns(adding: Array(bytes.prefix(16)))
    let (tapeLength, loadLength) = (lengths.agree(0), lengths.agree(0))
    guard lengths.isRead, (0...Int64(bytes.count)).contains(tapeLength),
      (0...Int64(bytes.count)).contains(loadLength)
    else { return nil }
    let ofLoad = 16 + Int(tapeLength)
    let ofFigures = ofLoad + Int(loadLength)
    guard ofFigures <= bytes.count else { return nil }
    var tape = IntegerTape(reading: Array(bytes[16..<ofLoad]))
    totals = ShareTotals(second: 0, phones: 0)
    totals.pass(&tape)
    (load, figures) = (Array(bytes[ofLoad..<ofFigures]), Array(bytes[ofFigures...]))
    guard tape.isRead, Self.isSound(load, figures) else { return nil }
  }

  /// Goes through the columns; nothing is made of them.
  private static func isSound(_ load: [UInt8], _ figures: [UInt8]) -> Bool {
    var columns = PackedColumns(checking: load)
    var interval = emptyLoad
    interval.pass(&columns)
    guard columns.isRead else { return false }
    columns = PackedColumns(checking: figures)
    var metrics = noFigures
    metrics.pass(&columns)
    return columns.isRead
  }

  private static let emptyLoad = Interval()
  private static let noFigures = LiveFigures(FreshnessTerms())

  // MARK: Adding

  /// Adds the interval's counters and histograms.
  func add(to load: inout Interval) {
    var columns = PackedColumns(adding: self.load)
    load.pass(&columns)
  }

  /// Adds what the phones did, to figures of the same scenario or to those of no fleet.
  func add(to figures: inout LiveFigures) {
    var columns = PackedColumns(adding: self.figures)
    figures.pass(&columns)
  }
}

extension Interval {
  fileprivate mutating func pass(_ columns: inout PackedColumns) {
    counters.pass(&columns)
    latency.response.pass(&columns)
    latency.generatorLag.pass(&columns)
    latency.connect.pass(&columns)
    latency.hold.pass(&columns)
    latency.service.pass(&columns)
    latency.attempt.pass(&columns)
    guard columns.agree(latency.secured == nil ? 0 : 1) == 1 else { return }
    var secured = latency.secured ?? SecuredHistograms()
    latency.secured = nil
    secured.tcp.pass(&columns)
    secured.full.pass(&columns)
    secured.resumed.pass(&columns)
    latency.secured = secured
  }
}

extension LiveFigures {
  fileprivate mutating func pass(_ columns: inout PackedColumns) {
    let own = FreshnessTerms(freshness)
    var terms = own
    terms.limit = .microseconds(columns.agree(own.limit.microseconds))
    terms.reach = Double(
      bitPattern: UInt64(
        bitPattern: columns.agree(
          Int64(bitPattern: own.reach.bitPattern))))
    terms.cohorts = Int(columns.agree(Int64(own.cohorts)))
    guard (0...Self.cohortsMax).contains(terms.cohorts) else { return columns.refuse() }
    if terms != own {
      guard own == FreshnessTerms() else { return columns.refuse() }
      self = LiveFigures(terms)
    }
    counts.pass(&columns)
    for number in freshness.cohorts.indices {
      columns.pass(&freshness.cohorts[number].total)
      columns.pass(&freshness.cohorts[number].fresh)
    }
    freshness.installed.pass(&columns)
    freshness.reachable.pass(&columns)
    freshness.moving.pass(&columns)
  }

  private static let cohortsMax = 1 << 12
}

extension PopulationMetrics {
  fileprivate mutating func pass(_ columns: inout PackedColumns) {
    ages.pass(&columns)
    columns.pass(&located)
    columns.pass(&total)
  }
}
