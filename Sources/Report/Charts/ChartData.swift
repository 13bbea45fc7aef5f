internal import Core
internal import Foundation

/// The data of a chart for the page's script (`charts.js`), as JSON:
///
///     {"title", "unit", "xUnit", "stacked", "bands",
///      "x": {"form", "log", "low", "high", "ticks": [[value, text], …]}, "y": …,
///      "series": [{"name", "ink"}, …],
///      "rows": [[x, y of each series], …], "marks": [[x, text], …], "spans": [[from, to, text], …]}
///
/// A y is a number, `null` where the series has no sample at that x, `"-"` where its line breaks;
/// with bands it is `[low, y, high]`. A scatter chart has one series, and
///
///     {"points": [{"name", "text", "x": [low, high], "y": [low, high], "reference"}, …],
///      "front": [[x, y], …]}
///
/// with a point for each row.
enum ChartData {
  /// Returns the data of a chart as JSON; nil for a chart without a cursor.
  static func json(_ chart: Chart) -> HTML? {
    switch chart.body {
    case .lines(let lines): json(lines, title: chart.title)
    case .scatter(let scatter): json(scatter, title: chart.title)
    case .bars, .map, .intervals: nil
    }
  }

  private static func json(_ chart: LineChart, title: String) -> HTML {
    let x = chart.x(ChartCanvas.wide.ticksAcross)
    let hasBands = chart.series.contains { !$0.band.isEmpty }
    let value: JSONValue = .object([
      "title": .string(title), "unit": .string(chart.unit), "xUnit": .string(chart.xUnit),
      "stacked": .bool(chart.isStacked), "bands": .bool(hasBands),
      "x": axis(x), "y": axis(chart.y),
      "series": .array(
        chart.series.map {
          .object(["name": .string($0.name), "ink": .string("\($0.ink)")])
        }),
      "rows": .array(rows(chart.series, hasBands: hasBands)),
      "marks": .array(chart.marks.map { .array([number($0.x), .string($0.text)]) }),
      "spans": .array(
        chart.spans.map { .array([number($0.from), number($0.to), .string($0.text)]) }),
    ])
    return script(value)
  }

  private static func json(_ chart: ScatterChart, title: String) -> HTML {
    func ends(_ range: ClosedRange<Double>) -> JSONValue {
      .array([number(range.lowerBound), number(range.upperBound)])
    }
    let points = chart.points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    return script(
      JSONValue.object([
        "title": .string(title), "unit": .string(chart.unit), "xUnit": .string(chart.xUnit),
        "x": axis(chart.x), "y": axis(chart.y),
        "series": .array([.object(["name": .string("point"), "ink": .string("blue")])]),
        "rows": .array(points.map { .array([number($0.x), number($0.y)]) }),
        "points": .array(
          points.map {
            .object([
              "name": .string($0.name), "text": .string($0.text), "x": ends($0.xRange),
              "y": ends($0.yRange), "reference": .bool($0.isReference),
            ])
          }),
        "front": .array(
          chart.front.map { .array([number(chart.points[$0].x), number(chart.points[$0].y)]) }),
      ]))
  }

  /// The tag with which the data of a chart begins.
  static let start = "<script type=\"application/json\">"

  /// Returns JSON in a `script` element, escaped so that no text can end the element.
  static func script(_ value: some Encodable, id: String? = nil) -> HTML {
    // Encoding cannot fail, as numbers are finite and keys are strings.
    let text = ((try? value.jsonText()) ?? "null").replacing("<", with: "\\u003c")
    let name: HTML = id.map { " id=\"\($0)\"" } ?? ""
    return "<script type=\"application/json\"\(name)>\(HTML(trusted: text))</script>\n"
  }

  private static func axis(_ scale: Scale) -> JSONValue {
    .object([
      "form": .string(scale.form.rawValue), "log": .bool(scale.isLogarithmic),
      "low": number(scale.low), "high": number(scale.high),
      "ticks": .array(scale.ticks.map { .array([number($0.value), .string($0.text)]) }),
    ])
  }

  private static func rows(_ series: [LineChart.Series], hasBands: Bool) -> [JSONValue] {
    let xs = Set(series.flatMap { $0.points.map(\.x) }).sorted()
    let places = Dictionary(uniqueKeysWithValues: xs.enumerated().map { ($1, $0) })
    var rows = xs.map { x in [number(x)] + [JSONValue](repeating: .null, count: series.count) }
    for (column, one) in series.enumerated() {
      let bands = Dictionary(one.band.map { ($0.x, $0) }, uniquingKeysWith: { first, _ in first })
      for point in one.points {
        guard let row = places[point.x] else { continue }
        guard let y = point.y, y.isFinite else {
          rows[row][column + 1] = .string("-")
          continue
        }
        let band = bands[point.x]
        rows[row][column + 1] =
          hasBands
          ? .array([number(band?.low ?? y), number(y), number(band?.high ?? y)]) : number(y)
      }
    }
    return rows.map { .array($0) }
  }

  /// Returns the value rounded to six significant digits, or null if not finite.
  static func number(_ value: Double) -> JSONValue {
    guard value.isFinite else { return .null }
    guard value != 0 else { return .integer(0) }
    let scale = pow(10, 5 - log10(abs(value)).rounded(.down))
    let rounded = (value * scale).rounded() / scale
    // Keeps a value whose rounding gives infinity, near the ends of the range of `Double`.
    guard rounded.isFinite else { return .number(value) }
    return Int(exactly: rounded).map { .integer($0) } ?? .number(rounded)
  }
}
