internal import Foundation

/// Writes gnuplot scripts in the house style, with pixel positions, so that labels never overlap.
struct ChartScript {
  let chart: Chart
  let canvas: ChartCanvas
  var lines: [String] = []
  private(set) var height = 0.0
  private(set) var left = 0.0
  private(set) var right = 0.0
  private(set) var top = 0.0
  private(set) var bottom = 0.0

  static func text(_ chart: Chart, _ canvas: ChartCanvas) -> String {
    var script = ChartScript(chart: chart, canvas: canvas)
    switch chart.body {
    case .lines(let lines): script.draw(lines)
    case .bars(let bars): script.draw(bars)
    case .map(let map): script.draw(map)
    case .scatter(let scatter): script.draw(scatter)
    }
    return script.lines.joined(separator: "\n") + "\n"
  }

  private init(chart: Chart, canvas: ChartCanvas) {
    self.chart = chart
    self.canvas = canvas
  }

  // MARK: The sheet

  /// - Parameters: Pixels; the rest of the canvas is the plot.
  mutating func sheet(
    height: Double, left: Double, right: Double, top: Double, bottom: Double
  ) {
    self.height = height
    self.left = left
    self.right = right
    self.top = top
    self.bottom = bottom
    let width = Double(canvas.width)
    lines += [
      "set terminal svg size \(canvas.width),\(Int(height)) dynamic noenhanced rounded "
        + "font \"sans-serif,\(canvas.fontSize)\" name \"\(chart.name)\"",
      "set encoding utf8",
      "set lmargin at screen \(number(left / width))",
      "set rmargin at screen \(number(1 - right / width))",
      "set tmargin at screen \(number(1 - top / height))",
      "set bmargin at screen \(number(bottom / height))",
      "unset key", "unset border", "set style fill solid 1.0 noborder",
      "set tics scale 0 textcolor rgb \"\(Ink.text.placeholder)\"",
    ]
  }

  var plotWidth: Double { Double(canvas.width) - left - right }
  var plotHeight: Double { height - top - bottom }

  mutating func axis(_ name: String, _ scale: Scale, grid: Bool) {
    // A tick's text is a format: a percent sign is written twice.
    let ticks = scale.ticks.map {
      "\(quoted($0.text.replacing("%", with: "%%"))) \(number($0.value))"
    }
    lines.append("set \(name)range [\(number(scale.low)):\(number(scale.high))]")
    if scale.isLogarithmic { lines.append("set logscale \(name) 10") }
    lines.append("set \(name)tics (\(ticks.joined(separator: ", ")))")
    if grid {
      lines.append("set grid \(name)tics lt 1 lw 1 lc rgb \"\(Ink.grid.placeholder)\"")
    }
  }

  mutating func label(
    _ text: String, x: Double, y: Double, align: String = "left", ink: Ink = .text
  ) {
    let right = number(x / Double(canvas.width))
    let up = number(1 - y / height)
    lines.append(
      "set label \(quoted(text)) at screen \(right),\(up) \(align) front "
        + "textcolor rgb \"\(ink.placeholder)\"")
  }

  mutating func box(
    x: Double, y: Double, width: Double, height boxHeight: Double, ink: Ink
  ) {
    let w = Double(canvas.width)
    lines.append(
      "set object rectangle from screen \(number(x / w)),\(number(1 - (y + boxHeight) / height)) "
        + "to screen \(number((x + width) / w)),\(number(1 - y / height)) front "
        + "fillstyle solid 1.0 noborder fillcolor rgb \"\(ink.placeholder)\"")
  }

  // MARK: Lines and areas

  private mutating func draw(_ chart: LineChart) {
    let longest = chart.series.map(\.name.count).max() ?? 0
    let ticks = chart.y.ticks.map(\.text.count).max() ?? 1
    sheet(
      height: canvas == .wide ? 310 : 280,
      left: Double(ticks) * canvas.characterWidth + 14,
      right: Double(longest) * canvas.characterWidth + 24, top: 44, bottom: 46)
    axis("x", chart.x(canvas.ticksAcross), grid: false)
    axis("y", chart.y, grid: true)
    label(chart.unit, x: 4, y: 11)
    label(chart.xUnit, x: left + plotWidth / 2, y: height - 10, align: "center")
    for mark in chart.marks { self.mark(mark, chart) }
    let curves = chart.isStacked ? stacked(chart.series) : chart.series
    endLabels(chart, curves)
    plot(curves, isStacked: chart.isStacked)
  }

  private mutating func mark(_ mark: LineChart.Mark, _ chart: LineChart) {
    let scale = chart.x(canvas.ticksAcross)
    guard (scale.low...scale.high).contains(mark.x) else { return }
    let x = number(mark.x)
    lines.append(
      "set arrow from \(x),graph 0 to \(x),graph 1 nohead front lw 1 dt (4,4) "
        + "lc rgb \"\(Ink.grey.placeholder)\"")
    let at = left + scale.fraction(mark.x) * plotWidth
    if !mark.text.isEmpty { label(mark.text, x: at + 4, y: top - 10) }
  }

  private func stacked(_ series: [LineChart.Series]) -> [LineChart.Series] {
    var floor: [Double] = []
    return series.map { one in
      var edge = one
      if floor.isEmpty { floor = [Double](repeating: 0, count: one.points.count) }
      for i in edge.points.indices {
        floor[i] += one.points[i].y ?? 0
        edge.points[i].y = one.points[i].y == nil ? nil : floor[i]
      }
      return edge
    }
  }

  private mutating func endLabels(_ chart: LineChart, _ curves: [LineChart.Series]) {
    var below = 0.0
    var wanted: [(name: String, ink: Ink, y: Double)] = []
    for curve in curves {
      guard let end = curve.points.last(where: { $0.y != nil })?.y else { continue }
      let height = chart.isStacked ? (below + end) / 2 : end
      below = end
      let fraction = min(1, max(0, chart.y.fraction(height)))
      wanted.append((curve.name, curve.ink, top + (1 - fraction) * plotHeight))
    }
    wanted.sort { $0.y < $1.y }
    let places = Self.apart(
      wanted.map(\.y), by: canvas.lineHeight, within: top...(top + plotHeight))
    for (one, y) in zip(wanted, places) {
      let x = Double(canvas.width) - right + 8
      box(x: x, y: y - 4, width: 8, height: 8, ink: one.ink)
      label(one.name, x: x + 13, y: y)
    }
  }

  /// Moves sorted places as little as needed to be `gap` apart, within the range if it is long
  /// enough.
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

  private mutating func plot(_ curves: [LineChart.Series], isStacked: Bool) {
    var pieces = bands(curves)
    // The highest area first, so that the lower ones cover it.
    for (i, curve) in (isStacked ? curves.reversed() : curves).enumerated() {
      lines.append("$d\(i) << EOD")
      for point in curve.points {
        if let y = point.y {
          lines.append("\(number(point.x)) \(number(y))")
        } else {
          lines.append("")
        }
      }
      lines.append("EOD")
      let ink = "rgb \"\(curve.ink.placeholder)\""
      if isStacked {
        pieces.append("$d\(i) using 1:2 with filledcurves y1=0 fillcolor \(ink)")
        pieces.append("$d\(i) using 1:2 with lines lw 1 lc rgb \"\(Ink.paper.placeholder)\"")
      } else {
        let dash = curve.isDashed ? "dt (6,4) " : ""
        pieces.append("$d\(i) using 1:2 with lines lw 2 \(dash)lc \(ink)")
      }
    }
    lines.append("plot " + pieces.joined(separator: ", \\\n  "))
  }

  private mutating func bands(_ curves: [LineChart.Series]) -> [String] {
    var pieces: [String] = []
    for (i, curve) in curves.enumerated() where !curve.band.isEmpty {
      lines.append("$b\(i) << EOD")
      for one in curve.band {
        lines.append("\(number(one.x)) \(number(one.low)) \(number(one.high))")
      }
      lines.append("EOD")
      pieces.append(
        "$b\(i) using 1:2:3 with filledcurves fillstyle transparent solid 0.18 noborder "
          + "fillcolor rgb \"\(curve.ink.placeholder)\"")
    }
    return pieces
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
    let most = chart.bars.map(\.value).max() ?? 1
    axis("x", Scale(low: 0, high: max(most, 1e-9), ticks: []), grid: false)
    axis("y", Scale(low: 0, high: Double(chart.bars.count), ticks: []), grid: false)
    lines += ["unset xtics", "unset ytics"]
    label(chart.unit, x: left, y: 12)
    for (i, bar) in chart.bars.enumerated() {
      let y = top + Double(i) * rowHeight
      let length = max(bar.value > 0 ? 1.5 : 0, plotWidth * bar.value / max(most, 1e-9))
      label(bar.name, x: left - 8, y: y + rowHeight / 2, align: "right")
      if length > 0 {
        box(x: left, y: y + 3, width: length, height: rowHeight - 6, ink: bar.ink)
      }
      label(bar.text, x: left + length + 6, y: y + rowHeight / 2)
    }
    // Gnuplot draws objects only on a graph; this one has no curve.
    lines.append("plot NaN")
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
    axis("x", Scale(low: -chart.reach, high: chart.reach, ticks: []), grid: false)
    axis("y", Scale(low: -chart.reach, high: chart.reach, ticks: []), grid: false)
    lines += ["unset xtics", "unset ytics"]
    let pixel = side / (2 * chart.reach)
    for cell in chart.cells {
      let size = max(2, cell.side * chart.cellKilometers * pixel * 0.96)
      let place = min(4, Int(cell.share * 5))
      box(
        x: left + (cell.east + chart.reach) * pixel - size / 2,
        y: top + (chart.reach - cell.north) * pixel - size / 2, width: size, height: size,
        ink: Self.shares[place])
    }
    furniture(chart, pixel: pixel, side: side)
    lines.append("plot NaN")
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
      label("share of the phones' time", x: x, y: top + 20)
      label("in which they were silent", x: x, y: top + 37)
      for (i, ink) in Self.shares.enumerated() {
        let y = top + 62 + Double(i) * 24
        box(x: x, y: y - 8, width: 16, height: 16, ink: ink)
        label(Self.shareNames[i], x: x + 26, y: y)
      }
      label("a larger square:", x: x, y: top + 200)
      label("more phones were there", x: x, y: top + 217)
    case .narrow:
      let step = side / 5
      for (i, ink) in Self.shares.enumerated() {
        let x = left + Double(i) * step
        box(x: x, y: y + 16, width: step - 4, height: 10, ink: ink)
        label(Self.shareNames[i], x: x + (step - 4) / 2, y: y + 36, align: "center")
      }
    }
  }

  // MARK: Words

  func number(_ value: Double) -> String {
    guard value.isFinite else { return "NaN" }
    guard value != 0 else { return "0" }
    // Six significant digits; a format string costs microseconds, and a timeline has thousands.
    let scale = pow(10, 5 - log10(abs(value)).rounded(.down))
    return "\((value * scale).rounded() / scale)"
  }

  /// A gnuplot string that its content cannot end.
  func quoted(_ text: String) -> String {
    var quoted = "\""
    for character in text where !character.isNewline {
      if character == "\"" || character == "\\" { quoted.append("\\") }
      quoted.append(character)
    }
    return quoted + "\""
  }
}
