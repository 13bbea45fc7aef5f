internal import Figures
internal import Foundation

/// The axis of a timeline in local time, in seconds since the midnight before the start.
struct ClockAxis {
  private let midnight: Double
  let start: Double
  let end: Double
  let measureStart: Double?

  init?(_ files: RunFiles) {
    let scenario = files.record.scenario
    guard files.timeline.rows > 1, let first = files.timeline["scenario_s"][0],
      let date = try? Date.ISO8601FormatStyle().parse(scenario.start + "Z")
    else { return nil }
    let local = date.timeIntervalSince1970
    // Derives the offset of older records, whose first row is at most some minutes after the start.
    let offset =
      scenario.utcOffsetSeconds ?? ((local - first) / 900).rounded(.up) * 900
    // Rejects times of a damaged record, which may not fit an `Int`.
    guard [offset, scenario.durationSeconds].allSatisfy({ abs($0) < Self.secondsMax }) else {
      return nil
    }
    start = local.truncatingRemainder(dividingBy: 86_400)
    midnight = local - offset - start
    end = start + scenario.durationSeconds
    let ramp = files.record.phases.ramp
    measureStart = ramp > 0 ? start + ramp : nil
  }

  private static let secondsMax = 1e12

  func seconds(_ scenario: Double) -> Double { scenario - midnight }

  func text(_ scenario: Double) -> String {
    let near = max(-Self.secondsMax, min(Self.secondsMax, seconds(scenario)))
    let whole = Int(near.rounded())
    let parts = [whole / 3_600 % 24, whole / 60 % 60, whole % 60]
    return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }

  func scale(_ ticks: Int) -> Scale { .clock(from: start, to: end, ticks: ticks) }

  var marks: [LineChart.Mark] {
    measureStart.map { [LineChart.Mark(x: $0, text: "measured part begins")] } ?? []
  }

  static let unit = "local time of day"
}

struct TimelinePlot {
  struct Column {
    var key: String
    var name: String
    var ink: Ink
  }

  private let timeline: Timeline
  private let table: Timeline
  private let axis: ClockAxis
  let columns: [Column]

  /// The greatest number of points of a curve, on the widest canvas.
  private static let pointsMax = 240
  private static let rowsMax = 30

  /// Returns nil if the timeline has no values in these columns.
  init?(_ files: RunFiles, _ columns: [Column]) {
    guard let axis = ClockAxis(files) else { return nil }
    let present = columns.filter { files.timeline.has($0.key) }
    guard !present.isEmpty else { return nil }
    self.axis = axis
    self.columns = present
    timeline = files.timeline.condensed(to: Self.pointsMax)
    table = files.timeline.condensed(to: Self.rowsMax)
  }

  func top(isStacked: Bool = false) -> Double {
    if !isStacked {
      return columns.compactMap { timeline[$0.key].compactMap(\.self).max() }.max() ?? 0
    }
    return (0..<timeline.rows).map { i in
      columns.reduce(0) { $0 + (timeline[$1.key][i] ?? 0) }
    }.max() ?? 0
  }

  /// The smallest value in the columns.
  var bottom: Double {
    columns.compactMap { timeline[$0.key].compactMap(\.self).min() }.min() ?? 0
  }

  func chart(
    _ title: String, y: Scale, unit: String, isStacked: Bool = false,
    marks: [LineChart.Mark]? = nil
  ) -> Chart {
    let x = timeline["scenario_s"].map { axis.seconds($0 ?? 0) }
    let series = columns.map { column in
      LineChart.Series(
        name: column.name, ink: column.ink,
        points: Array(zip(x, timeline[column.key])).map { (x: $0.0, y: $0.1) })
    }
    return Chart(
      title: title,
      body: .lines(
        LineChart(
          x: { axis.scale($0) }, y: y, unit: unit, xUnit: ClockAxis.unit, series: series,
          marks: marks ?? axis.marks, isStacked: isStacked)))
  }

  func rows(_ text: (Double) -> String) -> Table {
    Table(
      head: ["until"] + columns.map(\.name),
      rows: (0..<table.rows).map { i in
        [table["scenario_s"][i].map(axis.text) ?? "—"]
          + columns.map { table[$0.key][i].map(text) ?? "—" }
      })
  }
}
