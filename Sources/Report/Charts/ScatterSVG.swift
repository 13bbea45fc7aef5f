/// Scatter plots. A point's name is beside the point, or farther away and joined by a line. On a
/// phone, points have numbers, which a list below the plot explains.
extension ChartSVG {
  mutating func draw(_ chart: ScatterChart) {
    let ticks = chart.y.ticks.map(\.text.count).max() ?? 1
    let legend = canvas == .narrow ? Double(chart.points.count) * canvas.lineHeight + 10 : 0
    // The text of the last tick is centred below its tick.
    let half = Double(chart.x.ticks.last?.text.count ?? 0) / 2 * canvas.characterWidth + 2
    sheet(
      height: (canvas == .wide ? 430 : 320) + legend,
      left: Double(ticks) * canvas.characterWidth + 14, right: max(canvas == .wide ? 34 : 16, half),
      top: 44,
      bottom: 46 + legend)
    xAxis(chart.x, grid: true)
    yAxis(chart.y)
    label(chart.unit, x: 4, y: 11)
    label(chart.xUnit, x: left + plotWidth / 2, y: height - legend - 10, align: .middle)
    front(chart)
    for point in chart.points.filter({ !$0.isReference }) + chart.points.filter(\.isReference) {
      plot(point, chart)
    }
    names(chart)
    if legend > 0 { list(chart, from: height - legend + 8) }
  }

  private func pixel(_ x: Double, _ y: Double, _ chart: ScatterChart) -> (x: Double, y: Double) {
    (self.x(x, chart.x), self.y(y, chart.y))
  }

  private static func ink(_ point: ScatterChart.Point) -> Ink {
    point.isReference ? .vermilion : .blue
  }

  // MARK: Names

  private mutating func names(_ chart: ScatterChart) {
    let places = chart.points.map { pixel($0.x, $0.y, chart) }
    var words = LabelPlaces(
      x: left...(Double(canvas.width) - 2), y: (top - 8)...(top + plotHeight - 6))
    for place in places { words.avoid(x: place.x, y: place.y, halfWidth: 6, halfHeight: 6) }
    avoidBars(chart, &words)
    for i in chart.points.indices {
      let text = canvas == .wide ? chart.points[i].name : "\(i + 1)"
      let width = Double(text.count) * canvas.characterWidth * 0.92 + 4
      let at = words.place(width: width, height: canvas.lineHeight - 2, near: places[i])
      if at.isFar {
        path([places[i], (at.x + (at.isLeft ? width : 0), at.y)], .grey, width: 0.7)
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
    for point in chart.points {
      box(
        pixel(point.xRange.lowerBound, point.y, chart),
        pixel(point.xRange.upperBound, point.y, chart))
      box(
        pixel(point.x, point.yRange.lowerBound, chart),
        pixel(point.x, point.yRange.upperBound, chart))
    }
    for (n, i) in chart.front.enumerated().dropFirst() {
      let (before, here) = (chart.points[chart.front[n - 1]], chart.points[i])
      box(pixel(before.x, before.y, chart), pixel(here.x, before.y, chart))
      box(pixel(here.x, before.y, chart), pixel(here.x, here.y, chart))
    }
  }

  private mutating func list(_ chart: ScatterChart, from y: Double) {
    for (i, point) in chart.points.enumerated() {
      let at = y + Double(i) * canvas.lineHeight
      label("\(i + 1)", x: 24, y: at, align: .end, ink: Self.ink(point))
      label(point.name, x: 32, y: at)
    }
  }

  // MARK: Points

  /// Draws the Pareto front in steps, because no policy lies between two neighbours.
  private mutating func front(_ chart: ScatterChart) {
    var steps: [(x: Double, y: Double)] = []
    for (n, i) in chart.front.enumerated() {
      let point = chart.points[i]
      if n > 0 { steps.append(pixel(point.x, chart.points[chart.front[n - 1]].y, chart)) }
      steps.append(pixel(point.x, point.y, chart))
    }
    path(steps, .grey, width: 1.2, dash: Ink.grey.dash)
  }

  private mutating func plot(_ point: ScatterChart.Point, _ chart: ScatterChart) {
    let (ink, at) = (Self.ink(point), pixel(point.x, point.y, chart))
    let (low, high) = (
      pixel(point.xRange.lowerBound, point.yRange.lowerBound, chart),
      pixel(point.xRange.upperBound, point.yRange.upperBound, chart)
    )
    for end in [low.x, high.x] { path([(end, at.y - 4), (end, at.y + 4)], ink, width: 1.6) }
    for end in [low.y, high.y] { path([(at.x - 4, end), (at.x + 4, end)], ink, width: 1.6) }
    path([(low.x, at.y), (high.x, at.y)], ink, width: 1.6)
    path([(at.x, low.y), (at.x, high.y)], ink, width: 1.6)
    if point.isReference {
      box(x: at.x - 5, y: at.y - 5, width: 10, height: 10, ink: ink)
    } else {
      circle(x: at.x, y: at.y, radius: 4.5, ink: ink)
    }
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
    /// Whether a line must lead from the name to the point.
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

  /// Returns the nearest free place for a word: right, left, above or below, then in growing rings.
  mutating func place(
    width: Double, height: Double, near point: (x: Double, y: Double)
  ) -> Place {
    var fallback: (Box, Place)?
    for ring in 0..<24 {
      let reach = Double(ring) * height * 0.6
      for (dx, dy) in Self.directions {
        // The edge of the word that is nearest to the point lies on the ring.
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
