internal import Core

/// A sizing, and its range over the intervals of demand and capacity and over the assumptions.
struct SizingStudy {
  /// The sizing at the lower end of the capacity, if every assumption has its value.
  let size: Sizing
  /// The range of the number of instances from the sampling of demand and capacity.
  let sampling: SizeRecord.Interval
  /// The range of the number of instances from the ranges of the assumptions.
  let inputs: SizeRecord.Interval
  let costs: SizeRecord.Interval
  let sensitivity: [SizeRecord.Sensitivity]
  let swings: [SizeRecord.Swing]

  private static let points = 400

  init(_ input: SizingInput, _ demanded: Ratio, seed: UInt64) {
    let values = input.assumptions.map(\.value)
    size = Sizing(input, perCore: input.perCore.low, rate: demanded.value, values: values)
    sampling = Self.sampling(input, demanded, values, size)
    let cube = LatinHypercube(
      points: Self.points, dimensions: input.assumptions.count, seed: seed)
    let tried = cube.points.map { point in
      Sizing(
        input, perCore: input.perCore.low, rate: demanded.value,
        values: LatinHypercube.values(input.assumptions, at: point))
    }
    inputs = SizeRecord.Interval(of: tried.map { Double($0.total) })
    costs = SizeRecord.Interval(of: tried.map(\.costPerMonth))
    sensitivity = Self.sensitivity(input, cube, tried)
    swings = Self.swings(input, demanded, values)
  }

  /// Returns the range from low demand with high capacity to high demand with low capacity.
  private static func sampling(
    _ input: SizingInput, _ demanded: Ratio, _ values: [Double], _ size: Sizing
  ) -> SizeRecord.Interval {
    func total(_ perCore: Double, _ rate: Double) -> Double {
      Double(Sizing(input, perCore: perCore, rate: rate, values: values).total)
    }
    return SizeRecord.Interval(
      low: min(total(input.perCore.high, demanded.low), Double(size.total)),
      high: max(total(input.perCore.low, demanded.high), Double(size.total)))
  }

  private static func sensitivity(
    _ input: SizingInput, _ cube: LatinHypercube, _ tried: [Sizing]
  ) -> [SizeRecord.Sensitivity] {
    let loads = tried.map(\.load)
    let bytes = tried.map(\.storageBytesPerDay)
    return input.assumptions.indices.map { place in
      let column = cube.points.map { $0[place] }
      return SizeRecord.Sensitivity(
        name: input.assumptions[place].name, cost: RankCorrelation.of(column, bytes),
        load: RankCorrelation.of(column, loads))
    }
  }

  private static func swings(
    _ input: SizingInput, _ demanded: Ratio, _ values: [Double]
  ) -> [SizeRecord.Swing] {
    input.assumptions.indices.map { place in
      func load(_ end: Double) -> Double {
        var moved = values
        moved[place] = end
        return Sizing(input, perCore: input.perCore.low, rate: demanded.value, values: moved).load
      }
      let one = input.assumptions[place]
      return SizeRecord.Swing(name: one.name, atLow: load(one.low), atHigh: load(one.high))
    }
  }
}

/// Spearman's rank correlation, −1 … 1.
enum RankCorrelation {
  static func of(_ a: [Double], _ b: [Double]) -> Double {
    let (ra, rb) = (ranks(a), ranks(b))
    let mean = Double(a.count - 1) / 2
    var (up, va, vb) = (0.0, 0.0, 0.0)
    for (x, y) in zip(ra, rb) {
      up += (x - mean) * (y - mean)
      va += (x - mean) * (x - mean)
      vb += (y - mean) * (y - mean)
    }
    return va > 0 && vb > 0 ? up / (va * vb).squareRoot() : 0
  }

  /// Returns ranks from 0; ties share the mean of their ranks.
  private static func ranks(_ values: [Double]) -> [Double] {
    let order = values.indices.sorted { values[$0] < values[$1] }
    var ranks = [Double](repeating: 0, count: values.count)
    var from = 0
    while from < order.count {
      var until = from
      while until + 1 < order.count, values[order[until + 1]] == values[order[from]] { until += 1 }
      for place in from...until { ranks[order[place]] = Double(from + until) / 2 }
      from = until + 1
    }
    return ranks
  }
}
