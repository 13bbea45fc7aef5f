internal import Core
internal import Figures
internal import Foundation

extension RunSections {
  /// The number of points in each decade of 1 / (1 − share).
  private static let pointsPerDecade = 16

  private static let curves: [(tag: LatencyTag, name: String, ink: Ink)] = [
    (.response, "response", .blue), (.service, "service", .green), (.connect, "connect", .purple),
    (.generatorLag, "generator lag", .vermilion), (.hold, "hold", .grey),
  ]

  var latency: HTML? {
    let latency = record.latency
    guard latency.response.count > 0 else { return nil }
    let table = Table(
      head: ["", "batches", "failed", "mean", "p50", "p90", "p99", "p99.9", "max"],
      rows: latency.rows)
    let count = Figure.grouped(latency.response.count)
    return page.section(
      "latency", "Upload latency",
      """
      From intended start to durable acknowledgement, p50 is \(latency.response.text(.p50)) and \
      p99 \(latency.response.text(.p99)), over \(count) batches.
      """,
      chart: chart, tables: [.facts("Percentiles as a table", table)],
      notes: [
        """
        Response = generator lag + connect + hold + service, in wall-clock time. Curves end where \
        samples are too few for the percentile. A failed batch counts with its deadline. \
        “Generator-bound”: at this percentile the generator’s lag is above 1 ms and 5 % of the response.
        """
      ])
  }

  private var chart: Chart? {
    guard let latency = files.latency else { return nil }
    var samples = 10
    var low = 1e9
    var high = 1.0
    var series: [LineChart.Series] = []
    for curve in Self.curves {
      let points = Self.points(latency[curve.tag])
      guard let last = points.last else { continue }
      samples = max(samples, Int(last.x.rounded(.up)))
      low = min(low, points.compactMap(\.y).min() ?? low)
      high = max(high, last.y ?? high)
      series.append(.init(name: curve.name, ink: curve.ink, points: points))
    }
    guard !series.isEmpty else { return nil }
    let x = Scale.nines(samples: samples)
    let y = Scale.powersOfTen(from: low, to: high, form: .time) { Figure.time($0) }
    return Chart(
      title: "Percentiles of the response and its parts, both axes logarithmic",
      body: .lines(
        LineChart(
          x: { _ in x }, y: y, unit: "wall-clock time", xUnit: "share of batches at or below",
          series: series)))
  }

  private static func points(_ histogram: Histogram) -> [(x: Double, y: Double?)] {
    guard !histogram.isEmpty else { return [] }
    var points: [(x: Double, y: Double?)] = []
    var step = 0
    while true {
      let x = pow(10, Double(step) / Double(pointsPerDecade))
      // Ends the curve at the first percentile that has too few samples.
      guard let value = histogram.percentile(1 - 1 / x).microseconds else { break }
      points.append((x, Double(max(1, value))))
      step += 1
    }
    return points
  }
}
