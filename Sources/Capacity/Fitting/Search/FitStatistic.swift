internal import Core
internal import Foundation

/// A figure, on a logarithmic scale, by which a log and a simulation are compared.
package enum FitStatistic: String, CaseIterable, Codable, Sendable, CodingKeyRepresentable {
  case intervalMedian = "interval-median"
  case intervalHigh = "interval-p90"
  case accuracyMedian = "accuracy-median"
  case delayMedian = "delay-median"
  case delayHigh = "delay-p90"
  case batchMean = "batch-mean"
  case fixesPerPhone = "fixes-per-phone"
  case silence = "silence"

  package var name: String {
    switch self {
    case .intervalMedian: "median interval between fixes"
    case .intervalHigh: "p90 of the interval between fixes"
    case .accuracyMedian: "median accuracy"
    case .delayMedian: "median delay from fix to receipt"
    case .delayHigh: "p90 of the delay from fix to receipt"
    case .batchMean: "mean fixes per batch"
    case .fixesPerPhone: "fixes per phone"
    case .silence: "silent time per phone"
    }
  }
}

extension LogSample {
  /// Returns the logarithm of a figure; nil with too few values.
  func statistic(_ statistic: FitStatistic) -> Double? {
    /// Values below `least` are replaced by `least`.
    func quantile(_ q: Double, _ figure: FitFigure, least: Double) -> Double? {
      let values = values(of: figure)
      guard values.count >= Self.valuesMin else { return nil }
      return values.sortedQuantile(q, .linear).map { log(max(least, $0)) }
    }
    switch statistic {
    case .intervalMedian: return quantile(0.5, .intervals, least: 0.1)
    case .intervalHigh: return quantile(0.9, .intervals, least: 0.1)
    case .accuracyMedian: return quantile(0.5, .accuracy, least: 1)
    case .delayMedian: return quantile(0.5, .delays, least: 0.1)
    case .delayHigh: return quantile(0.9, .delays, least: 0.1)
    case .batchMean:
      guard batches.count >= Self.valuesMin else { return nil }
      return log(batches.reduce(0, +) / Double(batches.count))
    case .fixesPerPhone: return phones > 0 ? log(Double(fixes) / Double(phones)) : nil
    case .silence:
      guard phones > 0 else { return nil }
      let hours = silences.reduce(0) { $0 + $1.time } / 3_600 / Double(phones)
      return log(max(0.1, hours))
    }
  }

  package var statistics: [FitStatistic: Double] {
    var all: [FitStatistic: Double] = [:]
    for one in FitStatistic.allCases { all[one] = statistic(one) }
    return all
  }

  /// The minimum number of values for a quantile or a mean.
  private static let valuesMin = 10
}

extension LogStudy {
  /// The statistics of the fitted half, each with its variance between groups of phones or, with
  /// three phones or fewer, between parts of the time. A statistic without a variance is left out.
  package var targets: [FitStatistic: MatchTarget] {
    let whole = fitted.statistics
    let parts = parts.map(\.statistics)
    var targets: [FitStatistic: MatchTarget] = [:]
    for (statistic, value) in whole {
      let values = parts.compactMap { $0[statistic] }
      guard values.count >= Self.partsMin else { continue }
      let count = Double(values.count)
      let mean = values.reduce(0, +) / count
      let between = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / (count - 1)
      targets[statistic] = MatchTarget(
        value, variance: between / count + Self.discrepancy * Self.discrepancy)
    }
    return targets
  }

  private static let partsMin = 3
  private static let partsMax = 8
  /// The assumed error of the model, as a share of a figure: simulated people are not the log's.
  private static let discrepancy = 0.1

  private var parts: [LogSample] {
    let phones = (log.halves(in: window)?.fitted).map { $0.sorted() } ?? Array(log.phones.indices)
    if phones.count > Self.partsMin {
      let count = min(Self.partsMax, phones.count)
      return (0..<count).map { part in
        let own = phones.enumerated().filter { $0.offset % count == part }.map(\.element)
        return LogSample(log, of: Set(own), in: window, clock: clock)
      }
    }
    let length = (window.upperBound - window.lowerBound).microseconds / Int64(Self.partsMax)
    return (0..<Int64(Self.partsMax)).map { part in
      let begin = window.lowerBound + SimDuration(microseconds: part * length)
      return LogSample(
        log, of: Set(phones), in: begin..<(begin + SimDuration(microseconds: length)),
        clock: clock)
    }
  }
}
