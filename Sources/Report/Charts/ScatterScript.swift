/// Scatter plots. Names are placed beside their points, or farther away with a line; on a phone
/// points are numbered and listed below.
extension ChartScript {
  mutating func draw(_ chart: ScatterChart) {
    let ticks = chart.y.ticks.map(\.text.count).max() ?? 1
    let legend = canvas == .narrow ? Double(chart.points.count) * canvas.lineHeight + 10 : 0
    // The last tick's text stands in the middle below its tick.
    let half = Double(chart.x.ticks.last?.text.count ?? 0) / 2 * canvas.characterWidth + 2
    sheet(
      height: (canvas == .wide ? 430 : 320) + legend,
      left: Double(ticks) * canvas.characterWidth + 14, right: max(canvas == .wide ? 34 : 16, half),
      top: 44,
      bottom: 46 + legend)
    axis("x", chart.x, grid: true)
    axis("y", chart.y, grid: true)
    label(chart.unit, x: 4, y: 11)
    label(chart.xUnit, x: left + plotWidth / 2, y: height - legend - 10, align: "center")
    names(chart)
    if legend > 0 { list(chart, from: height - legend + 8) }
    plot(chart)
  }

  private func pixel(_ point: ScatterChart.Point, _ chart: ScatterChart) -> (x: Double, y: Double) {
    (
      left + chart.x.fraction(point.x) * plotWidth,
      top + (1 - chart.y.fraction(point.y)) * plotHeight
    )
  }

  private static func ink(_ point: ScatterChart.Point) -> Ink {
    point.isReference ? .vermilion : .blue
  }

  // MARK: Names

  private mutating func names(_ chart: ScatterChart) {
    let places = chart.points.map { pixel($0, chart) }
    var words = LabelPlaces(
      x: left...(Double(canvas.width) - 2), y: (top - 8)...(top + plotHeight - 6))
    for place in places { words.avoid(x: place.x, y: place.y, halfWidth: 6, halfHeight: 6) }
    avoidBars(chart, &words)
    for i in chart.points.indices {
      let text = canvas == .wide ? chart.points[i].name : "\(i + 1)"
      let width = Double(text.count) * canvas.characterWidth * 0.92 + 4
      let at = words.place(width: width, height: canvas.lineHeight - 2, near: places[i])
      if at.isFar {
        line(from: places[i], to: (at.x + (at.isLeft ? width : 0), at.y))
      }
      label(text, x: at.x + 2, y: at.y, ink: Self.ink(chart.points[i]))
    }
  }

  private func avoidBars(_ chart: ScatterChart, _ words: inout LabelPlaces) {
    func box(_ a: (x: Double, y: Double), _ b: (x: Double, y: Double)) {
      words.avoid(
        x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, halfWidth: abs(a.x - b.x) / 2 + 1,
        halfHeight: abs(a.y - b.y) / 2 + 1)
    }
    func at(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
      (left + chart.x.fraction(x) * plotWidth, top + (1 - chart.y.fraction(y)) * plotHeight)
    }
    for point in chart.points {
      box(at(point.xRange.lowerBound, point.y), at(point.xRange.upperBound, point.y))
      box(at(point.x, point.yRange.lowerBound), at(point.x, point.yRange.upperBound))
    }
    for (n, i) in chart.front.enumerated().dropFirst() {
      let (before, here) = (chart.points[chart.front[n - 1]], chart.points[i])
      box(at(before.x, before.y), at(here.x, before.y))
      box(at(here.x, before.y), at(here.x, here.y))
    }
  }

  private mutating func line(from: (x: Double, y: Double), to: (x: Double, y: Double)) {
    let width = Double(canvas.width)
    lines.append(
      "set arrow from screen \(number(from.x / width)),\(number(1 - from.y / height)) to screen "
        + "\(number(to.x / width)),\(number(1 - to.y / height)) nohead front lw 0.7 "
        + "lc rgb \"\(Ink.grey.placeholder)\"")
  }

  private mutating func list(_ chart: ScatterChart, from y: Double) {
    for (i, point) in chart.points.enumerated() {
      let at = y + Double(i) * canvas.lineHeight
      label("\(i + 1)", x: 24, y: at, align: "right", ink: Self.ink(point))
      label(point.name, x: 32, y: at)
    }
  }

  // MARK: Points

  private mutating func plot(_ chart: ScatterChart) {
    lines.append("$front << EOD")
    // Steps: between two policies of the front nothing in between is on offer.
    for (n, i) in chart.front.enumerated() {
      let point = chart.points[i]
      if n > 0 {
        lines.append("\(number(point.x)) \(number(chart.points[chart.front[n - 1]].y))")
      }
      lines.append("\(number(point.x)) \(number(point.y))")
    }
    lines.append("EOD")
    var pieces = [
      "$front using 1:2 with lines lw 1.2 dt (5,4) lc rgb \"\(Ink.grey.placeholder)\""
    ]
    for (name, isReference) in [("others", false), ("reference", true)] {
      let points = chart.points.filter { $0.isReference == isReference }
      guard !points.isEmpty else { continue }
      lines.append("$\(name) << EOD")
      for point in points {
        let ranges = [
          point.xRange.lowerBound, point.xRange.upperBound, point.yRange.lowerBound,
          point.yRange.upperBound,
        ]
        lines.append(([point.x, point.y] + ranges).map(number).joined(separator: " "))
      }
      lines.append("EOD")
      let ink = "lc rgb \"\((isReference ? Ink.vermilion : .blue).placeholder)\""
      pieces.append("$\(name) using 1:2:3:4:5:6 with xyerrorbars pt -1 lw 1.6 \(ink)")
    }
    lines.append("set bars 0.6")
    // Drawn as objects: a point of gnuplot's refers to a definition, and a page has none.
    for point in chart.points {
      let at = pixel(point, chart)
      lines.append(
        "set object circle at screen \(number(at.x / Double(canvas.width))),"
          + "\(number(1 - at.y / height)) size screen \(number(4.5 / Double(canvas.width))) front "
          + "fillstyle solid 1.0 noborder fillcolor rgb \"\(Self.ink(point).placeholder)\"")
    }
    lines.append("plot " + pieces.joined(separator: ", \\\n  "))
  }
}

struct LabelPlaces {
  private struct Box {
    var x: ClosedRange<Double>
    var y: ClosedRange<Double>

    func overlaps(_ other: Box) -> Bool { x.overlaps(other.x) && y.overlaps(other.y) }
  }

  struct Place: Equatable {
    var x: Double
    var y: Double
    /// Whether a line must lead to its point.
    var isFar: Bool
    var isLeft: Bool
  }

  private let xRange: ClosedRange<Double>
  private let yRange: ClosedRange<Double>
  private var taken: [Box] = []

  init(x: ClosedRange<Double>, y: ClosedRange<Double>) {
    xRange = x
    yRange = y
  }

  mutating func avoid(x: Double, y: Double, halfWidth: Double, halfHeight: Double) {
    taken.append(
      Box(x: (x - halfWidth)...(x + halfWidth), y: (y - halfHeight)...(y + halfHeight)))
  }

  /// The nearest free place for a word: right, left, above, below, then in growing rings.
  mutating func place(
    width: Double, height: Double, near point: (x: Double, y: Double)
  ) -> Place {
    var fallback: (Box, Place)?
    for ring in 0..<24 {
      let reach = Double(ring) * height * 0.6
      for (dx, dy) in Self.directions {
        // A word hangs at the side that looks to its point.
        let edge = dx == 0 ? -width / 2 : dx > 0 ? 0 : -width
        let x = point.x + dx * (9 + reach) + edge
        let y = point.y + dy * ((dx == 0 ? height : height * 0.7) + reach)
        let box = Box(x: x...(x + width), y: (y - height / 2)...(y + height / 2))
        let place = Place(x: x, y: y, isFar: ring > 1, isLeft: dx < 0)
        let isInside =
          xRange.contains(x) && xRange.contains(x + width) && yRange.contains(y - height / 2)
          && yRange.contains(y + height / 2)
        guard isInside else { continue }
        if fallback == nil { fallback = (box, place) }
        if !taken.contains(where: { $0.overlaps(box) }) {
          taken.append(box)
          return place
        }
      }
    }
    return fallback?.1 ?? Place(x: point.x, y: point.y, isFar: false, isLeft: false)
  }

  private static let directions: [(Double, Double)] = [
    (1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (-1, -1), (1, 1), (-1, 1),
  ]
}
