internal import Capacity
internal import Foundation
internal import Run
internal import Scenarios

/// History matching of the model's parameters with the claims to fit (Craig, Goldstein, Seheult and
/// Smith, 1997). The stages are waves of points in the part of the ranges that is not ruled out yet,
/// walks from the points that met the claims to more such points, and their verification with more
/// seeds.
///
/// Every stage is a study of chosen points. A stopped stage continues from its own file.
struct MatchStudy {
  /// The claims to fit that have a measure.
  let claims: [RegisteredClaim]
  /// The number of points of a wave.
  let points: Int
  let commit: String
  private let bench: CalibrationBench
  private let measures: [ClaimMeasure]

  static let waves = 4
  static let walks = 12
  static let setsMax = 200
  /// The number of seeds with which each set is verified.
  static let seeds = 3
  /// The model's own error, as a share of a figure: an assumption.
  private static let discrepancy = 0.2
  /// The maximum number of inputs of an emulator; more inputs need more points than a wave has.
  private static let inputsMax = 12

  init(
    _ bench: CalibrationBench, _ claims: [RegisteredClaim],
    _ measures: [ClaimMeasure] = ClaimRegistry.measures, points: Int, commit: String = ""
  ) {
    let known = Set(measures.map(\.id))
    self.claims = claims.filter { $0.kind == .fit && known.contains($0.id) }
    self.bench = bench
    self.measures = measures
    self.points = points
    self.commit = commit
  }

  private func study(_ points: Int, _ columns: [String: [Double]]) -> RangeStudy {
    RangeStudy(bench, claims, measures, points: points, columns: columns, commit: commit)
  }

  // MARK: Stages

  /// Returns the study of a wave; without columns, of the whole ranges as in the first wave.
  func wave(_ columns: [String: [Double]] = [:]) -> RangeStudy {
    study(points, columns)
  }

  /// Returns the study that simulates every set with each seed.
  func verification(_ columns: [String: [Double]]) -> RangeStudy {
    let repeated = columns.mapValues { column in
      column.flatMap { [Double](repeating: $0, count: Self.seeds) }
    }
    return study((columns.first?.value.count ?? 0) * Self.seeds, repeated)
  }

  // MARK: The whole match

  /// - Parameter simulate: simulates the points of a stage; returns nil if the stage was stopped.
  func run(
    _ simulate: (_ stage: String, RangeStudy) throws -> RangeStudy.Progress?
  ) throws -> MatchResult {
    let worlds = VariedWorlds(wave())
    let parameters = try worlds.parameters()
    let candidates = try claims.map { try worlds.keys(of: $0.id).sorted() }
    var result = MatchResult(claims, commit: commit, parameters: parameters.count)
    var (waves, points, draws): ([MatchWave], [[String: Double]], [RangeStudy.Draws]) = ([], [], [])
    var (columns, left): ([String: [Double]], [[Double]]) = ([:], [])
    for number in 1...Self.waves {
      let study = wave(columns)
      guard let progress = try simulate("wave \(number)", study) else {
        return result.stopped(in: "wave \(number)")
      }
      let tried = Dictionary(
        uniqueKeysWithValues: parameters.keys.map {
          ($0, columns[$0] ?? VariedScenario.column(of: $0, points: self.points))
        })
      for point in 0..<self.points {
        points.append(tried.mapValues { $0[point] })
        draws.append(progress.draws[point] ?? [:])
      }
      let met = draws.suffix(self.points).map { implausibilities([$0]) }
      result.meet(met)
      func narrow() -> (MatchWave, PlausibleSpace) {
        let wave = emulated(
          points, draws, candidates, reached: result.reached, keys: &result.keys, after: waves)
        let space = PlausibleSpace(
          waves + [wave], dimensions: result.keys.count, points: self.points, seed: UInt64(number))
        return (wave, space)
      }
      var (narrower, space) = narrow()
      if space.points.isEmpty, result.setAside(least: space.least) { (narrower, space) = narrow() }
      waves.append(narrower)
      result.parameters = result.keys.compactMap { parameters[$0] }
      result.waves.append(
        .init(points: self.points, share: space.share, met: met.count(where: result.isMet)))
      left = space.points
      if left.isEmpty { break }
      columns = Self.columns(left, result.keys)
    }
    let met = points.indices.filter { result.isMet(implausibilities([draws[$0]])) }
      .map { number in result.keys.map { points[number][$0] ?? 0 } }
    guard !met.isEmpty else { return result }
    var walk = PlausibleWalk(from: met, chains: self.points, left, waves)
    for number in 1...Self.walks where !left.isEmpty && walk.visited.count < Self.setsMax {
      let study = wave(Self.columns(walk.steps(), result.keys))
      guard let progress = try simulate("walk \(number)", study) else {
        return result.stopped(in: "walk \(number)")
      }
      let met = (0..<self.points).map {
        result.isMet(implausibilities([progress.draws[$0] ?? [:]]))
      }
      result.walks.append(.init(points: self.points, met: met.count(where: \.self)))
      walk.take(met)
    }
    let sets = Array(walk.visited.suffix(Self.setsMax))
    guard let progress = try simulate("sets", verification(Self.columns(sets, result.keys))) else {
      return result.stopped(in: "the verification of sets")
    }
    for (set, place) in sets.enumerated() {
      let seeds = (0..<Self.seeds).map { progress.draws[set * Self.seeds + $0] ?? [:] }
      result.verify(place, implausibilities(seeds))
    }
    return result
  }

  private static func columns(_ points: [[Double]], _ keys: [String]) -> [String: [Double]] {
    Dictionary(
      uniqueKeysWithValues: keys.enumerated().map { axis, key in (key, points.map { $0[axis] }) })
  }

  // MARK: Emulation

  private func cases(of claim: RegisteredClaim) -> Range<Int> {
    0..<(measures.first { $0.id == claim.id }?.cases.count ?? 0)
  }

  func target(_ claim: RegisteredClaim) -> MatchTarget {
    let scale = ObservedScale(claim.observation)
    let discrepancy =
      scale.isLogarithmic ? Self.discrepancy : Self.discrepancy * abs(claim.observation.value)
    let sense: MatchTarget.Sense =
      claim.observation.of != .bound
      ? .equal : claim.band.high == nil ? .atLeast : .atMost
    return MatchTarget(
      scale.place(of: claim.observation.value),
      variance: scale.sigma * scale.sigma + discrepancy * discrepancy, sense: sense)
  }

  /// Returns a wave with an emulator of each claim and case.
  ///
  /// - Parameters:
  ///   - points: the points of all waves so far, as positions of all parameters.
  ///   - draws: the simulated values at these points.
  ///   - candidates: for each claim, the parameters of its worlds.
  ///   - reached: the claims to emulate.
  ///   - keys: the parameters that move a claim, to which the wave adds those that it finds.
  ///   - earlier: the earlier waves. Points that they rule out are left out.
  func emulated(
    _ points: [[String: Double]], _ draws: [RangeStudy.Draws], _ candidates: [[String]],
    reached: [Int], keys: inout [String], after earlier: [MatchWave]
  ) -> MatchWave {
    let known = keys
    let kept = points.indices.filter { point in
      let place = known.map { points[point][$0] ?? 0 }
      return earlier.allSatisfy { $0.isPlausible(place) }
    }
    let targets = reached.map { number in
      let (claim, candidates) = (claims[number], candidates[number])
      let scale = ObservedScale(claim.observation)
      return cases(of: claim).map { ofCase in
        let summaries = kept.map { scale.summary(draws[$0][claim.id], ofCase) }
        let found = Emulator.inputs(
          of: candidates.map { key in kept.map { points[$0][key] ?? 0 } },
          summaries.map { $0?.mean }, most: Self.inputsMax
        ).map { candidates[$0] }
        keys += found.filter { !keys.contains($0) }
        let emulator = Emulator(
          kept.map { point in keys.map { points[point][$0] ?? 0 } }, summaries.map { $0?.mean },
          inputs: found.compactMap { keys.firstIndex(of: $0) })
        let spread = Sample.mean(summaries.compactMap { $0?.variance }) ?? 0
        return MatchWave.Output(target(claim), emulator, spread: spread)
      }
    }
    return MatchWave(targets)
  }

  // MARK: Simulated implausibility

  /// Returns the implausibility of each claim at a point, simulated with one or more seeds; nil
  /// without a value.
  func implausibilities(_ seeds: [RangeStudy.Draws]) -> [Double?] {
    claims.map { claim in
      let (scale, target) = (ObservedScale(claim.observation), target(claim))
      let byCase = cases(of: claim).compactMap { ofCase -> Double? in
        let all = seeds.compactMap { scale.summary($0[claim.id], ofCase) }
        guard let mean = Sample.mean(all.map(\.mean)),
          let spread = Sample.mean(all.map(\.variance))
        else { return nil }
        let between = all.reduce(0) { $0 + ($1.mean - mean) * ($1.mean - mean) }
        let count = Double(all.count)
        // The variance of the mean over seeds.
        let noise = count > 1 ? between / (count - 1) / count : 0
        return target.implausibility(of: mean, variance: spread + noise)
      }
      return byCase.min()
    }
  }
}

extension ObservedScale {
  /// Returns the mean and variance of a case's draws on this scale; nil without draws.
  fileprivate func summary(
    _ cases: [[Double]]?, _ ofCase: Int
  ) -> (mean: Double, variance: Double)? {
    guard let cases, cases.indices.contains(ofCase) else { return nil }
    let places = cases[ofCase].map(place).filter(\.isFinite)
    guard let mean = Sample.mean(places) else { return nil }
    let squares = places.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (mean, places.count > 1 ? squares / Double(places.count - 1) : 0)
  }
}
