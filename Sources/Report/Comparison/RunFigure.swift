internal import Figures

/// What runs are compared by; each has its row in `RunFigureRow.all`.
package enum RunFigure: String, CaseIterable, Sendable, Codable {
  case offered, throughput
  case ackedShare = "acked-share"
  case responseP50 = "response-p50"
  case responseP90 = "response-p90"
  case responseP99 = "response-p99"
  case responseP999 = "response-p999"
  case failedShare = "failed-share"
  case freshReachable = "fresh-reachable"
  case freshInstalled = "fresh-installed"
  case freshMoving = "fresh-moving"
  case located
  case answered, caused, uplift
  case battery
  case bytesPerBatch = "bytes-per-batch"
  case bytesPerFix = "bytes-per-fix"
  case collectorCPU = "collector-cpu-per-batch"
  case collectorMemory = "collector-memory"
  case peakRate = "peak-rate"
  case undelivered, lost
  case capacityLower = "capacity-lower"
  case capacityUpper = "capacity-upper"
  case perCore = "capacity-per-core"
  case planCPU = "cpu-per-batch"
  case instances, storage, cost

  /// Which way is better.
  package enum Good: String, Sendable, Codable { case more, less, neither }

  /// Is the unit in which a figure is held and printed.
  package enum Unit: String, Sendable, Codable {
    case perSecond = "batches/s"
    case microseconds
    /// 0 … 1.
    case share
    case percent = "percent-of-battery"
    case bytes
    case count
    case money

    func text(_ value: Double) -> String {
      switch self {
      case .perSecond, .count, .money: Figure.quantity(value)
      case .microseconds: Figure.time(value)
      case .share: Figure.percent(value)
      case .percent: "\(Figure.quantity(value)) %"
      case .bytes:
        value < 1_024 ? "\(Figure.quantity(value)) B" : Figure.bytes(Int(value.rounded()))
      }
    }
  }

  /// Where the interval of its ratio comes from.
  package enum Method: String, Sendable, Codable {
    /// Blocks of rows of the timeline, at the same places in both runs …
    case pairedBlocks = "paired-blocks"
    /// … or apart.
    case blocks
    /// The interval that each run has by itself.
    case ownIntervals = "own-intervals"
    /// There is none.
    case none
  }

  private static let rows = Dictionary(
    uniqueKeysWithValues: RunFigureRow.all.map { ($0.figure, $0) })

  var row: RunFigureRow {
    guard let row = Self.rows[self] else { preconditionFailure("\(self) has no row") }
    return row
  }

  /// As tables name it.
  package var title: String { row.title }
  /// Is the unit of the figure's values.
  package var unit: Unit { row.unit }
  /// Says whether more or less of the figure is better, or neither.
  package var good: Good { row.good }
}
