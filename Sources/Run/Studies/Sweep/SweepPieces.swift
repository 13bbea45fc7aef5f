internal import Core
internal import Figures

extension SweepRecord {
  mutating func measure(
    _ jobs: [Sweep.Job], _ finishedRuns: [Int: Sweep.FinishedRun], _ grid: SweepGrid
  ) {
    planned = grid.count
    axes = grid.axes
    freshWithinSeconds =
      finishedRuns.values.compactMap(\.record.freshness.withinSeconds).max() ?? 0
    var byPoint: [Int: Sweep.FinishedRun] = [:]
    var byGroup: [Int: Sweep.FinishedRun] = [:]
    for (number, one) in finishedRuns {
      if let point = jobs[number].point { byPoint[point] = one }
      if let group = jobs[number].baselineOf { byGroup[group] = one }
    }
    let groups = grid.groups().enumerated().map { number, members in
      Group(
        points: members.filter { byPoint[$0] != nil }, baseline: byGroup[number], byPoint,
        seed: seed)
    }
    for (number, group) in groups.enumerated() where group.baseline != nil {
      let values = zip(grid.axes, grid.values(of: grid.groups()[number][0])).map {
        $0.isOfPushes ? nil : Optional($1)
      }
      if let baseline = group.record(values: values) { baselines.append(baseline) }
    }
    var baselinesBefore = 0
    for group in groups {
      for (place, number) in group.points.enumerated() {
        guard let one = byPoint[number] else { continue }
        var point = Point(
          number: number, values: grid.values(of: number), verdict: one.record.verdict,
          world: one.record.digest.world ?? "", behaviour: one.record.digest.behaviour ?? "")
        point.phones = one.phones
        point.requested = one.record.wake.requested
        point.answered = one.record.wake.answered
        point.uplift = one.record.wake.uplift
        point.figures = group.figures(place)
        point.figures.updateValue(
          one.record.wake.answeredOfSilent, forKey: StudyFigure.answeredOfSilent.key)
        point.baseline = group.baseline == nil ? nil : baselinesBefore
        points.append(point)
      }
      if group.baseline != nil { baselinesBefore += 1 }
    }
    points.sort { $0.number < $1.number }
    setFreshest(groups)
    judge()
  }

  private mutating func setFreshest(_ groups: [Group]) {
    freshest = nil
    for (i, point) in points.enumerated() {
      guard let fresh = point[.freshness]?.value else { continue }
      let leader = freshest.flatMap { points[$0][.freshness]?.value }
      if leader.map({ fresh > $0 }) ?? true { freshest = i }
    }
    guard let freshest, let most = points[freshest][.freshness] else { return }
    let leader = points[freshest].number
    for i in points.indices {
      let number = points[i].number
      if i == freshest {
        points[i].isFreshest = true
      } else if let group = groups.first(where: { $0.holds(number, leader) }) {
        points[i].lessFreshest = group.lessFresh(number, than: leader)
        points[i].isFreshest = points[i].lessFreshest?.mayBeZero ?? false
      } else {
        // Points of different groups are not paired, so their intervals are compared.
        points[i].isFreshest = points[i][.freshness].map { $0.high >= most.low } ?? false
      }
    }
  }
}

private struct Group {
  let points: [Int]
  let baseline: Sweep.FinishedRun?
  private let bootstrap: PairedBootstrap

  init(
    points: [Int], baseline: Sweep.FinishedRun?, _ finishedRuns: [Int: Sweep.FinishedRun],
    seed: UInt64
  ) {
    self.points = points
    self.baseline = baseline
    var tables = points.compactMap { finishedRuns[$0]?.tally }.map { tally in
      (baseline.map { tally.beside($0.tally) } ?? tally).rows
    }
    if let baseline { tables.append(baseline.tally.beside(baseline.tally).rows) }
    bootstrap = PairedBootstrap(tables: tables, columns: SweepTally.columns, seed: seed)
  }

  func record(values: [String?]) -> SweepRecord.Baseline? {
    guard let baseline else { return nil }
    var record = SweepRecord.Baseline(
      values: values, verdict: baseline.record.verdict,
      world: baseline.record.digest.world ?? "", behaviour: baseline.record.digest.behaviour ?? "")
    record.fresh = ratio(points.count, .freshness)
    record.battery = ratio(points.count, .battery)
    return record
  }

  func figures(_ place: Int) -> [String: Ratio?] {
    var figures: [String: Ratio?] = [:]
    // Without a baseline there is no comparison.
    let against: [StudyFigure] = [.removed, .extraJoules, .removedPerPush, .removedPerJoule]
    // A cost whose interval includes zero cannot be a divisor.
    let isCostly = (ratio(place, .extraJoules)?.low ?? 0) > 0
    for figure in StudyFigure.swept where figure != .answered && figure != .uplift {
      let isSaid =
        (baseline != nil || !against.contains(figure)) && (isCostly || figure != .removedPerJoule)
      figures.updateValue(isSaid ? ratio(place, figure) : nil, forKey: figure.key)
    }
    return figures
  }

  func holds(_ a: Int, _ b: Int) -> Bool { points.contains(a) && points.contains(b) }

  func lessFresh(_ point: Int, than leader: Int) -> Ratio? {
    guard let a = points.firstIndex(of: point), let b = points.firstIndex(of: leader) else {
      return nil
    }
    return bootstrap.difference(a, from: b) { SweepTally.value(.freshness, of: $0) }
  }

  private func ratio(_ place: Int, _ figure: StudyFigure) -> Ratio? {
    bootstrap.ratio(place) { SweepTally.value(figure, of: $0) }
  }
}
