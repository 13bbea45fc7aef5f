internal import Foundation

/// Draws a chart as SVG in the page's colours. Labels have pixel positions and do not overlap.
struct ChartSVG {
  let canvas: ChartCanvas
  private var body: HTML = ""
  private(set) var height = 0.0
  private(set) var left = 0.0
  private(set) var right = 0.0
  private(set) var top = 0.0
  private(set) var bottom = 0.0

  static func html(_ chart: Chart, _ canvas: ChartCanvas) -> HTML {
    var svg = ChartSVG(canvas: canvas)
    switch chart.body {
    case .lines(let lines): svg.draw(lines)
    case .bars(let bars): svg.draw(bars)
    case .map(let map): svg.draw(map)
    case .scatter(let scatter): svg.draw(scatter)
    case .intervals(let intervals): svg.draw(intervals)
    }
    return """
      <svg class="\(canvas.name)" viewBox="0 0 \(canvas.width) \(Int(svg.height))" role="img" \
      aria-label="\(chart.title)">
      \(svg.body)</svg>

      """
  }

  // MARK: The sheet

  /// Sets the sheet's height and margins, in pixels. The plot fills the space inside.
  mutating func sheet(
    height: Double, left: Double, right: Double, top: Double, bottom: Double
  ) {
    self.height = height
    self.left = left
    self.right = right
    self.top = top
    self.bottom = bottom
  }

  var plotWidth: Double { Double(canvas.width) - left - right }
  var plotHeight: Double { height - top - bottom }

  func x(_ value: Double, _ scale: Scale) -> Double { left + scale.fraction(value) * plotWidth }
  func y(_ value: Double, _ scale: Scale) -> Double {
    top + (1 - scale.fraction(value)) * plotHeight
  }

  mutating func xAxis(_ scale: Scale, grid: Bool = false) {
    for tick in scale.ticks where scale.contains(tick.value) {
      let at = x(tick.value, scale)
      if grid { path([(at, top), (at, top + plotHeight)], .grid) }
      // The label is below the first text of the other axis.
      label(tick.text, x: at, y: top + plotHeight + 18, align: .middle)
    }
  }

  mutating func yAxis(_ scale: Scale) {
    for tick in scale.ticks where scale.contains(tick.value) {
      let at = y(tick.value, scale)
      path([(left, at), (left + plotWidth, at)], .grid)
      label(tick.text, x: left - 8, y: at, align: .end)
    }
  }

  enum Align: String { case start, middle, end }

  /// - Parameter y: The vertical middle of the text, in pixels.
  mutating func label(
    _ text: String, x: Double, y: Double, align: Align = .start, ink: Ink = .text
  ) {
    body += """
      <text x="\(number(x))" y="\(number(y))" dy=".35em" font-size="\(canvas.fontSize)" \
      text-anchor="\(align.rawValue)" fill="var(\(ink.variable))">\(text)</text>

      """
  }

  mutating func box(x: Double, y: Double, width: Double, height: Double, ink: Ink) {
    body += """
      <rect x="\(number(x))" y="\(number(y))" width="\(number(width))" \
      height="\(number(height))" fill="var(\(ink.variable))"/>

      """
  }

  mutating func circle(x: Double, y: Double, radius: Double, ink: Ink) {
    body += """
      <circle cx="\(number(x))" cy="\(number(y))" r="\(number(radius))" \
      fill="var(\(ink.variable))"/>

      """
  }

  /// Draws a line through points in pixels; a nil point breaks the line.
  mutating func path(
    _ points: [(x: Double, y: Double)?], _ ink: Ink, width: Double = 1, dash: String = ""
  ) {
    let dashes: HTML = dash.isEmpty ? "" : " stroke-dasharray=\"\(dash)\""
    body += """
      <path d="\(Self.steps(points))" fill="none" stroke="var(\(ink.variable))" \
      stroke-width="\(number(width))" stroke-linejoin="round"\(dashes)/>

      """
  }

  private mutating func area(_ points: [(x: Double, y: Double)], _ ink: Ink, opacity: Double = 1) {
    guard !points.isEmpty else { return }
    body += """
      <path d="\(Self.steps(points))Z" fill="var(\(ink.variable))" \
      fill-opacity="\(number(opacity))"/>

      """
  }

  private static func steps(_ points: [(x: Double, y: Double)?]) -> String {
    var text = ""
    var begins = true
    for point in points {
      if let point {
        text += "\(begins ? "M" : "L")\(pixels(point.x)) \(pixels(point.y))"
        begins = false
      } else {
        begins = true
      }
    }
    return text
  }

  // MARK: Lines and areas

  private mutating func draw(_ chart: LineChart) {
    let longest = chart.series.map(\.name.count).max() ?? 0
    let ticks = chart.y.ticks.map(\.text.count).max() ?? 1
    if chart.isPanel {
      sheet(height: 150, left: 70, right: 134, top: 24, bottom: 22)
    } else {
      sheet(
        height: canvas == .wide ? 310 : 280,
        left: Double(ticks) * canvas.characterWidth + 14,
        right: Double(longest) * canvas.characterWidth + 24 + (chart.isStacked ? 0 : 14), top: 44,
        bottom: 46)
      label(chart.xUnit, x: left + plotWidth / 2, y: height - 10, align: .middle)
    }
    let scale = chart.x(canvas.ticksAcross)
    yAxis(chart.y)
    xAxis(scale)
    label(chart.unit, x: 4, y: 11)
    for span in chart.spans { self.span(span, scale, isPanel: chart.isPanel) }
    let curves = chart.isStacked ? chart.stacked : chart.series
    plot(curves, chart, scale)
    for mark in chart.marks { self.mark(mark, scale, isPanel: chart.isPanel) }
    endLabels(chart, curves)
  }

  private mutating func span(_ span: LineChart.Span, _ scale: Scale, isPanel: Bool) {
    let (from, to) = (max(span.from, scale.low), min(span.to, scale.high))
    guard from < to else { return }
    let (a, b) = (x(from, scale), x(to, scale))
    area(
      [(a, top), (b, top), (b, top + plotHeight), (a, top + plotHeight)], .vermilion, opacity: 0.14)
    if !span.text.isEmpty, !isPanel { label(span.text, x: a + 3, y: top - 10) }
  }

  private mutating func mark(_ mark: LineChart.Mark, _ scale: Scale, isPanel: Bool) {
    guard scale.contains(mark.x) else { return }
    let at = x(mark.x, scale)
    path([(at, top), (at, top + plotHeight)], .grey, dash: "4 4")
    if !mark.text.isEmpty, !isPanel { label(mark.text, x: at + 4, y: top - 10) }
  }

  private mutating func endLabels(_ chart: LineChart, _ curves: [LineChart.Series]) {
    var below = 0.0
    var wanted: [(curve: LineChart.Series, y: Double)] = []
    for curve in curves {
      guard let end = curve.points.last(where: { $0.y != nil })?.y else { continue }
      let height = chart.isStacked ? (below + end) / 2 : end
      below = end
      let fraction = min(1, max(0, chart.y.fraction(height)))
      wanted.append((curve, top + (1 - fraction) * plotHeight))
    }
    wanted.sort { $0.y < $1.y }
    let places = Self.apart(
      wanted.map(\.y), by: canvas.lineHeight, within: top...(top + plotHeight))
    for (one, y) in zip(wanted, places) {
      var x = Double(canvas.width) - right + 8
      if chart.isStacked {
        box(x: x, y: y - 4, width: 8, height: 8, ink: one.curve.ink)
      } else {
        path([(x, y), (x + 22, y)], one.curve.ink, width: 2, dash: chart.dash(one.curve))
        x += 14
      }
      label(one.curve.name, x: x + 13, y: y)
    }
  }

  /// Moves sorted positions by the least that makes them `gap` apart, within the range if possible.
  static func apart(
    _ wanted: [Double], by gap: Double, within range: ClosedRange<Double>
  ) -> [Double] {
    var places = wanted
    for i in places.indices.dropFirst() { places[i] = max(places[i], places[i - 1] + gap) }
    if let last = places.last, last > range.upperBound {
      places[places.count - 1] = range.upperBound
      for i in places.indices.dropLast().reversed() {
        places[i] = min(places[i], places[i + 1] - gap)
      }
    }
    return places
  }

  private mutating func plot(_ curves: [LineChart.Series], _ chart: LineChart, _ scale: Scale) {
    func pixel(_ at: Double, _ value: Double) -> (x: Double, y: Double) {
      (x(at, scale), y(min(max(value, chart.y.low), chart.y.high), chart.y))
    }
    for curve in curves where !curve.band.isEmpty {
      area(
        curve.band.map { pixel($0.x, $0.high) } + curve.band.reversed().map { pixel($0.x, $0.low) },
        curve.ink, opacity: 0.18)
    }
    // Draws the highest area first, since the lower areas cover part of it.
    for curve in chart.isStacked ? curves.reversed() : curves {
      let points = curve.points.map { point in point.y.map { pixel(point.x, $0) } }
      if chart.isStacked {
        let edge = points.compactMap(\.self)
        guard let first = edge.first, let last = edge.last else { continue }
        area([(first.x, top + plotHeight)] + edge + [(last.x, top + plotHeight)], curve.ink)
        path(points, .paper)
      } else {
        path(points, curve.ink, width: 2, dash: chart.dash(curve))
      }
    }
  }

  // MARK: Bars

  private mutating func draw(_ chart: BarChart) {
    let name = chart.bars.map(\.name.count).max() ?? 1
    let text = chart.bars.map(\.text.count).max() ?? 1
    let rowHeight = canvas == .wide ? 22.0 : 21.0
    sheet(
      height: Double(chart.bars.count) * rowHeight + 30,
      left: Double(name) * canvas.characterWidth + 14,
      right: Double(text) * canvas.characterWidth + 14, top: 26, bottom: 4)
    let most = max(chart.bars.map(\.value).max() ?? 1, 1e-9)
    label(chart.unit, x: canvas == .wide ? left : 4, y: 12)
    for (i, bar) in chart.bars.enumerated() {
      let y = top + Double(i) * rowHeight
      let length = max(bar.value > 0 ? 1.5 : 0, plotWidth * bar.value / most)
      label(bar.name, x: left - 8, y: y + rowHeight / 2, align: .end)
      if length > 0 {
        box(x: left, y: y + 3, width: length, height: rowHeight - 6, ink: bar.ink)
      }
      label(bar.text, x: left + length + 6, y: y + rowHeight / 2)
    }
  }

  // MARK: Intervals

  private mutating func draw(_ chart: IntervalChart) {
    let isWide = canvas == .wide
    let name = chart.rows.map(\.name.count).max() ?? 1
    let text = chart.rows.map(\.text.count).max() ?? 1
    let rowHeight = isWide ? 26.0 : 42.0
    sheet(
      height: Double(chart.rows.count) * rowHeight + 30,
      left: isWide ? Double(name) * canvas.characterWidth + 14 : 4,
      right: isWide ? Double(text) * canvas.characterWidth + 14 : 4, top: 26, bottom: 4)
    label(chart.unit, x: left, y: 12)
    for (i, row) in chart.rows.enumerated() {
      let begin = top + Double(i) * rowHeight
      let middle = begin + (isWide ? rowHeight / 2 : rowHeight - 12)
      let scale = Scale(low: 0, high: row.high, ticks: [])
      path([(left, middle), (left + plotWidth, middle)], .grid)
      for (range, height, ink) in [(row.model, 8.0, Ink.sky), (row.sampled, 8.0, Ink.blue)] {
        guard let range else { continue }
        let (a, b) = (x(range.lowerBound, scale), x(min(range.upperBound, row.high), scale))
        box(x: a, y: middle - height / 2, width: max(b - a, 1), height: height, ink: ink)
      }
      circle(x: x(row.value, scale), y: middle, radius: 4, ink: .text)
      if isWide {
        label(row.name, x: left - 8, y: middle, align: .end)
        label(row.text, x: left + plotWidth + 8, y: middle)
      } else {
        label(row.name, x: left, y: begin + 10)
        label(row.text, x: left + plotWidth, y: begin + 10, align: .end)
      }
    }
  }

  // MARK: The map

  private static let shares: [Ink] = [.share0, .share1, .share2, .share3, .share4]
  static let shareNames = ["0–20 %", "20–40 %", "40–60 %", "60–80 %", "80–100 %"]

  private mutating func draw(_ chart: MapChart) {
    let side = canvas == .wide ? 520.0 : 320.0
    let spare = Double(canvas.width) - side
    let legend = canvas == .wide ? 0 : 48.0
    sheet(
      height: side + 30 + legend, left: canvas == .wide ? 30 : spare / 2,
      right: canvas == .wide ? spare - 30 : spare / 2, top: 8, bottom: 22 + legend)
    let pixel = side / (2 * chart.reach)
    for cell in chart.cells {
      let size = max(2, cell.side * chart.cellKilometers * pixel * 0.96)
      let place = max(0, min(4, Int(cell.share * 5)))
      box(
        x: left + (cell.east + chart.reach) * pixel - size / 2,
        y: top + (chart.reach - cell.north) * pixel - size / 2, width: size, height: size,
        ink: Self.shares[place])
    }
    furniture(chart, pixel: pixel, side: side)
  }

  private mutating func furniture(_ chart: MapChart, pixel: Double, side: Double) {
    let kilometers = [1, 2, 5, 10, 20, 50].last { $0 <= chart.reach * 0.7 } ?? chart.reach / 2
    let y = top + side + 8
    box(x: left, y: y, width: kilometers * pixel, height: 2, ink: .text)
    let text = String(format: "%g km", locale: Locale(identifier: "en_US_POSIX"), kilometers)
    label("\(text), north is up", x: left + kilometers * pixel + 8, y: y)
    switch canvas {
    case .wide:
      let x = left + side + 30
      label("share of phone-time", x: x, y: top + 20)
      label("that was stale", x: x, y: top + 37)
      for (i, ink) in Self.shares.enumerated() {
        let y = top + 62 + Double(i) * 24
        box(x: x, y: y - 8, width: 16, height: 16, ink: ink)
        label(Self.shareNames[i], x: x + 26, y: y)
      }
      label("larger square:", x: x, y: top + 200)
      label("more phones", x: x, y: top + 217)
    case .narrow:
      let step = side / 5
      for (i, ink) in Self.shares.enumerated() {
        let x = left + Double(i) * step
        box(x: x, y: y + 16, width: step - 4, height: 10, ink: ink)
        label(Self.shareNames[i], x: x + (step - 4) / 2, y: y + 36, align: .middle)
      }
    }
  }

  // MARK: Numbers

  /// Returns the value to a tenth of a pixel. A format string would take microseconds a point.
  private static func pixels(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    // Limits the value, since a damaged timeline may lead far out of the picture.
    let tenths = Int((max(-1e6, min(1e6, value)) * 10).rounded())
    return tenths % 10 == 0
      ? "\(tenths / 10)"
      : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
  }

  private func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    return "\((value * 100).rounded() / 100)"
  }
}

extension LineChart {
  /// The upper edges of the stacked series.
  var stacked: [Series] {
    var floor = [Double](repeating: 0, count: series.first?.points.count ?? 0)
    return series.map { one in
      var edge = one
      for i in edge.points.indices {
        floor[i] += one.points[i].y ?? 0
        edge.points[i].y = one.points[i].y == nil ? nil : floor[i]
      }
      return edge
    }
  }
}
