internal import Core
internal import TestSupport
internal import Testing

@testable internal import Capacity

/// A model of three figures that depend on four of six parameters.
private enum Toy {
  static let dimensions = 6

  static func figures(_ x: [Double]) -> [Double] {
    [
      3 * x[0] + x[1] * x[1], 2 * x[1] - 3 * x[2] * x[0] + 1,
      x[3] - 2 * (x[0] - 0.5) * (x[0] - 0.5),
    ]
  }

  /// Places in two coordinates.
  static let pairs = LatinHypercube(points: 100, dimensions: 2, seed: 5).points

  static func cube(_ count: Int, seed: UInt64 = 1) -> [[Double]] {
    LatinHypercube(points: count, dimensions: dimensions, seed: seed).points
  }

  /// Returns a wave from points whose figures have noise.
  static func wave(
    _ points: [[Double]], observed: [Double], error: Double = 0.05, noise: Double = 0,
    seed: UInt64 = 1
  ) -> MatchWave {
    var draw = Draw(seed: seed, phone: 0, .claimSample)
    let values = points.map { figures($0).map { $0 + noise * draw.normal() } }
    return MatchWave(
      observed.indices.map { figure in
        [
          .init(
            MatchTarget(observed[figure], variance: error * error),
            Emulator(points, values.map { $0[figure] }, inputs: Array(0..<dimensions)))
        ]
      })
  }
}

@Suite("An emulator", .quick)
struct EmulatorTests {
  @Test("is exact for a quadratic function, with products")
  func exact() {
    let points = Toy.cube(60)
    for figure in 0..<3 {
      let emulator = Emulator(
        points, points.map { Toy.figures($0)[figure] }, inputs: Array(0..<6))
      #expect(emulator.variance < 1e-4)
      for point in Toy.cube(20, seed: 2) {
        #expect(abs(emulator.mean(at: point) - Toy.figures(point)[figure]) < 0.05)
      }
    }
  }

  @Test("its variance is the mean squared error at other points, noise included")
  func variance() {
    var draw = Draw(seed: 3, phone: 0, .claimSample)
    func noisy(_ point: [Double]) -> Double { Toy.figures(point)[0] + 0.3 * draw.normal() }
    let points = Toy.cube(80)
    let emulator = Emulator(points, points.map(noisy), inputs: [0, 1, 4])
    let others = Toy.cube(400, seed: 2)
    let error =
      others.reduce(0) { sum, point in
        let apart = emulator.mean(at: point) - noisy(point)
        return sum + apart * apart
      } / 400
    #expect(emulator.variance > 0.09 * 0.7)
    #expect((0.6...1.6).contains(error / emulator.variance), "\(error) \(emulator.variance)")
  }

  @Test("its inputs are those that move the figure, and of noise there is none")
  func inputs() {
    var draw = Draw(seed: 4, phone: 0, .claimSample)
    let points = Toy.cube(120)
    // Twenty columns of noise stand beside the six inputs.
    let columns =
      (0..<6).map { input in points.map { $0[input] } }
      + (0..<20).map { _ in points.map { _ in draw.uniform() } }
    func found(_ figure: Int, noise: Double, most: Int = 12) -> [Int] {
      Emulator.inputs(
        of: columns, points.map { Toy.figures($0)[figure] + noise * draw.normal() }, most: most)
    }
    #expect(found(0, noise: 0.1) == [0, 1])
    #expect(Set(found(1, noise: 0.1)) == [0, 1, 2])
    #expect(found(1, noise: 0.1, most: 1).count == 1)
    let noise = points.map { _ -> Double? in draw.normal() }
    #expect(Emulator.inputs(of: columns, noise, most: 12).isEmpty)
    #expect(Emulator.inputs(of: columns, points.map { _ in nil }, most: 12).isEmpty)
  }

  @Test("is constant, at the mean, if the figure is only noise")
  func noise() {
    var draw = Draw(seed: 3, phone: 0, .claimSample)
    let points = Toy.cube(30)
    let values = points.map { _ in 5 + draw.normal() }
    let emulator = Emulator(points, values, inputs: Array(0..<6))
    #expect((0.5...1.8).contains(emulator.variance))
    for point in Toy.cube(50, seed: 2) { #expect(abs(emulator.mean(at: point) - 5) < 1.5) }
  }

  @Test("a constant figure is known exactly")
  func constant() {
    let points = Toy.cube(10)
    let emulator = Emulator(points, points.map { _ in 7 }, inputs: Array(0..<6))
    #expect(emulator.variance == 0 && emulator.mean(at: points[3]) == 7)
  }

  @Test(
    "few points, fewer than terms, and parameters that never move give finite means",
    arguments: [0, 1, 2, 3, 5, 9])
  func few(count: Int) {
    let points = Toy.cube(9).prefix(count).map { point in
      point.enumerated().map { $0.offset == 2 ? 0.4 : $0.element }
    }
    let emulator = Emulator(points, points.map { Toy.figures($0)[1] }, inputs: Array(0..<6))
    #expect(!emulator.variance.isNaN)
    #expect((emulator.variance == .infinity) == (count < 3), "less than three points know nothing")
    for point in Toy.cube(20, seed: 2) { #expect(emulator.mean(at: point).isFinite) }
  }

  @Test("points without a finite value are left out")
  func missing() {
    let points = Toy.cube(60)
    let values = points.map { Toy.figures($0)[0] }
    let holes: [Double?] = [nil, .nan, .infinity]
    let all = Emulator(points + points.prefix(3), values + holes, inputs: [0, 1])
    #expect(all == Emulator(points, values, inputs: [0, 1]))
  }
}

@Suite("Implausibility", .quick)
struct ImplausibilityTests {
  @Test("is the distance in standard deviations of all variances together")
  func distance() {
    let target = MatchTarget(10, variance: 9)
    #expect(target.implausibility(of: 20, variance: 16) == 2)
    #expect(target.implausibility(of: 0, variance: 16) == 2)
    #expect(target.implausibility(of: 10, variance: 0) == 0)
  }

  @Test("a bound has one side")
  func bound() {
    #expect(MatchTarget(10, variance: 4, sense: .atMost).implausibility(of: 0, variance: 0) == 0)
    #expect(MatchTarget(10, variance: 4, sense: .atMost).implausibility(of: 16, variance: 0) == 3)
    #expect(MatchTarget(10, variance: 4, sense: .atLeast).implausibility(of: 4, variance: 0) == 3)
  }

  @Test("is a number without variance, with infinite variance, and without a figure")
  func extremes() {
    let exact = MatchTarget(1, variance: 0)
    #expect(exact.implausibility(of: 1, variance: 0) == 0)
    #expect(exact.implausibility(of: 2, variance: 0) == .infinity)
    #expect(exact.implausibility(of: 2, variance: .infinity) == 0)
    #expect(exact.implausibility(of: .nan, variance: 1) == .infinity)
  }

  @Test("of a point is the second largest, of forty targets the third, of a single one its own")
  func combined() {
    #expect(MatchTarget.combined([1, 9, 4, 2]) == 4)
    #expect(MatchTarget.combined([9, 9, 1]) == 9)
    #expect(MatchTarget.combined([.infinity, 2]) == 2)
    #expect(MatchTarget.combined([5]) == 5)
    #expect(MatchTarget.combined([]) == 0)
    let many = (1...40).map(Double.init)
    #expect(MatchTarget.combined(many) == 38)
    #expect(MatchTarget.combined(many.dropFirst()) == 39)
  }
}

@Suite("History matching", .quick)
struct HistoryMatchingTests {
  @Test(
    "keeps the true point over two waves, shrinks the space round it, and is reproducible",
    arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func truth(seed: UInt64) throws {
    var draw = Draw(seed: seed, phone: 0, .claimSample)
    let truth = (0..<Toy.dimensions).map { _ in draw.uniform() }
    let observed = Toy.figures(truth).map { $0 + 0.05 * draw.normal() }
    let first = Toy.wave(Toy.cube(40, seed: seed), observed: observed, noise: 0.02, seed: seed)
    let space = PlausibleSpace([first], dimensions: Toy.dimensions, points: 40, seed: seed)
    try #require(space.points.count == 40)
    #expect(space.points.allSatisfy(first.isPlausible))
    let second = Toy.wave(space.points, observed: observed, noise: 0.02, seed: seed + 9)
    #expect(first.isPlausible(truth) && second.isPlausible(truth))
    let last = PlausibleSpace([first, second], dimensions: Toy.dimensions, points: 500, seed: seed)
    #expect(last.share > 0 && last.share < 0.25, "\(last.share)")
    #expect(last.least.allSatisfy { $0 < 1 })
    let (low, high) = try #require(last.range(of: 0))
    #expect(low - 0.1 < truth[0] && truth[0] < high + 0.1)
    // A parameter without effect keeps its whole range.
    let free = try #require(last.range(of: 5))
    #expect(free.low < 0.15 && free.high > 0.85)
    let again = PlausibleSpace(
      [first, second], dimensions: Toy.dimensions, points: 500, seed: seed)
    #expect(again.points == last.points && again.share == last.share)
  }

  @Test("estimates small parts of the space")
  func share() {
    // |x - 0.5| ≤ 3 · 0.01 in two coordinates leaves a share of 0.06².
    let points = Toy.cube(30)
    let wave = MatchWave(
      [0, 1, 0, 1].map { input in
        [
          .init(
            MatchTarget(0.5, variance: 1e-4),
            Emulator(points, points.map { $0[input] }, inputs: [input]))
        ]
      })
    let space = PlausibleSpace([wave], dimensions: 2, points: 300, seed: 4)
    #expect((0.0025...0.005).contains(space.share), "\(space.share)")
    for coordinate in 0..<2 {
      let range = space.range(of: coordinate)
      #expect(abs((range?.low ?? 0) - 0.473) < 0.008 && abs((range?.high ?? 0) - 0.527) < 0.008)
    }
  }

  @Test("one figure out of reach is named, and rules nothing out; two rule out everything")
  func unreachable() {
    let truth = [Double](repeating: 0.4, count: Toy.dimensions)
    var observed = Toy.figures(truth)
    observed[2] = 5
    let one = PlausibleSpace(
      [Toy.wave(Toy.cube(60), observed: observed)], dimensions: Toy.dimensions, points: 100,
      seed: 1)
    #expect(one.least[2] > MatchTarget.cutoff && one.least[0] < 1 && one.least[1] < 1)
    #expect(one.points.count == 100)
    observed[0] = 9
    let two = PlausibleSpace(
      [Toy.wave(Toy.cube(60), observed: observed)], dimensions: Toy.dimensions, points: 100,
      seed: 1)
    #expect(two.points.isEmpty && two.share == 0 && two.range(of: 0) == nil)
    #expect(two.least[0] > MatchTarget.cutoff && two.least[2] > MatchTarget.cutoff)
  }

  @Test("an unknown figure, a constant one, and a target without figures rule nothing out")
  func ignorance() {
    let points = Toy.cube(20)
    let wave = MatchWave([
      [.init(MatchTarget(3, variance: 1), Emulator([points[0]], [3], inputs: [0]))],
      [.init(MatchTarget(3, variance: 0), Emulator(points, points.map { _ in 3 }, inputs: [0]))],
      [],
    ])
    let space = PlausibleSpace([wave], dimensions: 3, points: 1_500, seed: 1)
    #expect(space.share == 1 && space.points.count == 1_500 && space.least == [0, 0, 0])
    #expect(PlausibleSpace([], dimensions: 0, points: 5, seed: 1).points.count == 5)
  }

  @Test("a constant figure away from its target is out of reach everywhere")
  func constant() {
    let points = Toy.cube(20)
    let wave = MatchWave([
      [.init(MatchTarget(3, variance: 0), Emulator(points, points.map { _ in 4 }, inputs: [0]))]
    ])
    let space = PlausibleSpace([wave], dimensions: 3, points: 10, seed: 1)
    #expect(space.points.isEmpty && space.least == [.infinity])
  }

  @Test("a target with several outputs is met by any of them")
  func cases() {
    let points = Toy.cube(20)
    func output(_ value: Double) -> MatchWave.Output {
      .init(
        MatchTarget(3, variance: 1), Emulator(points, points.map { _ in value }, inputs: [0]),
        spread: 3)
    }
    let wave = MatchWave([[output(13), output(5)]])
    #expect(wave.implausibilities(at: points[0]) == [1])
    #expect(wave.isPlausible(points[0]))
  }
}

@Suite("A walk through the plausible part", .quick)
struct PlausibleWalkTests {
  /// - Parameter isPlausible: what a simulation finds at a place.
  private static func walk(
    _ chains: Int, steps: Int, waves: [MatchWave] = [], isPlausible: ([Double]) -> Bool
  ) -> PlausibleWalk {
    var walk = PlausibleWalk(from: [[0.5, 0.1]], chains: chains, Toy.pairs, waves)
    for _ in 0..<steps { walk.take(walk.steps().map(isPlausible)) }
    return walk
  }

  @Test("spreads evenly over all plausible places from a single one")
  func even() {
    // A band across the range of the second coordinate, with a corner cut off.
    func isPlausible(_ place: [Double]) -> Bool {
      (0.4...0.6).contains(place[0]) && place[0] + place[1] < 1.3
    }
    let walk = Self.walk(60, steps: 60, isPlausible: isPlausible)
    #expect(walk.visited.count > 600 && walk.visited.allSatisfy(isPlausible))
    let late = walk.visited.suffix(walk.visited.count / 2).map { $0[1] }
    for quarter in [0.0, 0.25, 0.5] {
      let part = late.count { (quarter..<quarter + 0.25).contains($0) }
      // The band is 0.8 long on the average.
      let share = Double(part) / Double(late.count)
      #expect(abs(share - 0.25 / 0.8) < 0.08, "\(quarter): \(share)")
    }
    #expect(Set(walk.visited).count == walk.visited.count)
  }

  @Test("simulates no place that a wave rules out, and leaves the cube nowhere")
  func screened() {
    let points = Toy.pairs
    let target = MatchTarget(0.5, variance: 0.01)
    let wave = MatchWave([[.init(target, Emulator(points, points.map { $0[0] }, inputs: [0, 1]))]])
    var simulated: [[Double]] = []
    let walk = Self.walk(20, steps: 20, waves: [wave]) {
      simulated.append($0)
      return $0[1] < 0.5
    }
    #expect(simulated.count == 400 && simulated.allSatisfy(wave.isPlausible))
    #expect(simulated.allSatisfy { $0.allSatisfy((0...1).contains) })
    #expect(walk.visited.count > 50 && walk.visited.allSatisfy { $0[1] < 0.5 })
  }

  @Test("stays where no step is plausible, also if every step is ruled out")
  func stays() {
    #expect(Self.walk(3, steps: 5) { _ in false }.visited == [[0.5, 0.1]])
    let far = Emulator(Toy.pairs, Toy.pairs.map { _ in 9 }, inputs: [0])
    let nowhere = MatchWave([[.init(MatchTarget(0, variance: 0.01), far)]])
    #expect(Self.walk(2, steps: 2, waves: [nowhere]) { _ in true }.visited == [[0.5, 0.1]])
  }
}
