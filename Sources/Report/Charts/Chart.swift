/// A picture before it is drawn; every chart of a report is one of these.
struct Chart {
  /// Gnuplot takes letters only.
  var name: String
  /// What a reader who cannot see it is told.
  var title: String
  var body: Body

  enum Body {
    case lines(LineChart)
    case bars(BarChart)
    case map(MapChart)
    case scatter(ScatterChart)
  }
}

/// Curves over a common axis, each labelled at its end; or areas stacked on each other.
struct LineChart {
  struct Series {
    var name: String
    var ink: Ink
    /// nil breaks the line.
    var points: [(x: Double, y: Double?)]
    var isDashed = false
    /// Drawn faintly behind the curve: how far it may be off.
    var band: [(x: Double, low: Double, high: Double)] = []
  }

  /// A vertical line with a word on it.
  struct Mark {
    var x: Double
    var text: String
  }

  /// For a number of ticks that fits the width.
  var x: (Int) -> Scale
  var y: Scale
  /// Stands above the axis.
  var unit: String
  var xUnit: String
  var series: [Series]
  var marks: [Mark] = []
  var isStacked = false
}

/// Horizontal bars, each with its name before it and its number behind it.
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

/// Squares on a map: the size of each says how many phones were there, its colour a share.
struct MapChart {
  struct Cell {
    /// Kilometres east and north of the centre.
    var east: Double
    var north: Double
    /// 0 … 1 of a cell's side.
    var side: Double
    /// 0 … 1.
    var share: Double
  }
  var cells: [Cell]
  var cellKilometers: Double
  /// Half the map's side, km.
  var reach: Double
}

/// Points with names, each with its intervals, and the line of those that no other point beats.
struct ScatterChart {
  struct Point {
    var name: String
    var x: Double
    var y: Double
    var xRange: ClosedRange<Double>
    var yRange: ClosedRange<Double>
    /// Drawn first among equals: what the others are set against.
    var isReference = false
  }

  var x: Scale
  var y: Scale
  var unit: String
  var xUnit: String
  var points: [Point]
  /// Places in `points`, from left to right.
  var front: [Int]
}

/// Where a chart is drawn: on a desk or on paper, or on a phone. A picture that is merely scaled
/// down cannot be read, so there are two.
enum Canvas: CaseIterable {
  case wide, narrow

  var name: String { "\(self)" }
  var width: Int { self == .wide ? 760 : 358 }
  var fontSize: Int { self == .wide ? 13 : 12 }
  var characterWidth: Double { self == .wide ? 7.9 : 7.1 }
  var lineHeight: Double { self == .wide ? 17 : 15 }
  var ticksAcross: Int { self == .wide ? 8 : 3 }
}
