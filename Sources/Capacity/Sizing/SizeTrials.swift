internal import Measure

/// What a size would be if demand, capacity and assumptions were what they may be instead.
struct SizeTrials {
  typealias Interval = SizeRecord.Interval

  /// Points of the hypercube that are tried.
  private static let points = 400

  private let input: SizingInput
  private let demanded: Ratio
  private let size: Sizing
  private let values: [Double]
  private let cube: LatinHypercube
  private let tried: [Sizing]

  init(_ input: SizingInput, demanded: Ratio, size: Sizing, seed: UInt64) {
    self.input = input
    self.demanded = demanded
    self.size = size
    values = input.assumptions.map(\.value)
    cube = LatinHypercube(points: Self.points, dimensions: input.assumptions.count, seed: seed)
    tried = cube.points.map { point in
      Sizing(
        input, perCore: input.perCore.low, rate: demanded.value,
        values: LatinHypercube.values(input.assumptions, at: point))
    }
  }

  /// Instances, from demand and capacity as they were sampled: more demand and less capacity at
  /// once, and the other way round.
  var sampling: Interval {
    let ends = [(input.perCore.high, demanded.low), (input.perCore.low, demanded.high)].map {
      Double(Sizing(input, perCore: $0, rate: $1, values: values).total)
    }
    return Interval(low: min(ends[0], Double(size.total)), high: max(ends[1], Double(size.total)))
  }

  /// Instances, from what the assumptions may be.
  var inputs: Interval { SizeRecord.interval(tried.map { Double($0.total) }) }

  /// Of a month, from what the assumptions may be.
  var cost: Interval { SizeRecord.interval(tried.map(\.costPerMonth)) }

  /// How far each assumption moves load and storage.
  var sensitivity: [SizeRecord.Sensitivity] {
    let loads = tried.map(\.load)
    let bytes = tried.map { $0.storageBytesPerDay }
    return input.assumptions.indices.map { place in
      let column = cube.points.map { $0[place] }
      return SizeRecord.Sensitivity(
        name: input.assumptions[place].name, cost: RankCorrelation.of(column, bytes),
        load: RankCorrelation.of(column, loads))
    }
  }

  /// The load with one assumption at each end of its range and all others as they are.
  var swings: [SizeRecord.Swing] {
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
