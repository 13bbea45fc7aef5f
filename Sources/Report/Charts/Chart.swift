internal import Core

struct Chart {
  /// The accessible description of the chart.
  var title: String
  var body: Body

  enum Body {
    case lines(LineChart)
    case bars(BarChart)
    case map(MapChart)
    case scatter(ScatterChart)
    case intervals(IntervalChart)
  }
}

/// Curves over a common axis with labels at their ends, or stacked areas.
struct LineChart {
  struct Series {
    var name: String
    var ink: Ink
    /// The points of the curve. A nil y breaks the line.
    var points: [(x: Double, y: Double?)]
    /// The uncertainty of the curve, drawn faintly behind it.
    var band: [(x: Double, low: Double, high: Double)] = []
  }

  struct Mark {
    var x: Double
    var text: String
  }

  /// A period with a fault, drawn as a band across the chart.
  struct Span {
    var from: Double
    var to: Double
    var text: String
  }

  /// Returns the scale of x for a number of ticks that fits the width.
  var x: (Int) -> Scale
  var y: Scale
  var unit: String
  var xUnit: String
  var series: [Series]
  var marks: [Mark] = []
  var spans: [Span] = []
  var isStacked = false
  /// Whether the chart shares its axis with others, so that it is lower and has their margins.
  var isPanel = false

  func dash(_ series: Series) -> String { self.series.count > 1 ? series.ink.dash : "" }
}

struct BarChart {
  struct Bar {
    var name: String
    var value: Double
    var text: String
    var ink: Ink
  }
  var bars: [Bar]
  var unit: String
}

/// Values with their intervals, in rows that have a scale each.
struct IntervalChart {
  struct Row {
    var name: String
    var value: Double
    /// The interval due to sampling. `model` is the interval due to the model's parameters.
    var sampled: ClosedRange<Double>?
    var model: ClosedRange<Double>?
    /// The right end of the scale, which begins at 0.
    var high: Double
    var text: String
  }
  var rows: [Row]
  var unit: String
}

/// Squares on a map, whose size shows the number of phones and whose colour shows a share.
struct MapChart {
  struct Cell {
    /// The kilometres to the east of the centre.
    var east: Double
    var north: Double
    /// The side of the square as a share of its cell's side, 0 … 1.
    var side: Double
    var share: Double
  }
  var cells: [Cell]
  var cellKilometers: Double
  /// Half of the map's side, in kilometres.
  var reach: Double
}

/// Named points with intervals, and the line of the Pareto front.
struct ScatterChart {
  struct Point {
    var name: String
    var x: Double
    var y: Double
    var xRange: ClosedRange<Double>
    var yRange: ClosedRange<Double>
    /// The text at the cursor: both values with their intervals.
    var text: String
    /// Whether the point is the reference, drawn as a square in another colour.
    var isReference = false
  }

  var x: Scale
  var y: Scale
  var unit: String
  var xUnit: String
  var points: [Point]
  /// The indices of the front's points in `points`, from left to right.
  var front: [Int]
}

extension ScatterChart.Point {
  /// Creates a point from two ratios, each of which has a name and a unit.
  init(
    _ name: String, _ x: Ratio, _ xName: String, _ xUnit: FigureUnit, _ y: Ratio, _ yName: String,
    _ yUnit: FigureUnit, isReference: Bool = false
  ) {
    func text(_ ratio: Ratio, _ unit: FigureUnit) -> String {
      "\(unit.text(ratio.value)) (\(unit.text(ratio.low)) – \(unit.text(ratio.high)))"
    }
    self.init(
      name: name, x: x.value, y: y.value, xRange: min(x.low, x.high)...max(x.low, x.high),
      yRange: min(y.low, y.high)...max(y.low, y.high),
      text: "\(yName) \(text(y, yUnit)), \(xName) \(text(x, xUnit))", isReference: isReference)
  }
}

/// The size of a chart: wide for desktop and paper, narrow for the screen of a phone.
enum ChartCanvas: CaseIterable {
  case wide, narrow

  var name: String { "\(self)" }
  var width: Int { self == .wide ? 760 : 358 }
  var fontSize: Int { self == .wide ? 13 : 12 }
  var characterWidth: Double { self == .wide ? 7.9 : 7.1 }
  var lineHeight: Double { self == .wide ? 17 : 15 }
  var ticksAcross: Int { self == .wide ? 8 : 3 }
}
