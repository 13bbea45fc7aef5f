internal import Core

/// The effect of the end of an outage on a backend, from a run's timeline.
///
///     rate │            ┌┐ peak                 normal: median of the minutes before
///          │            │└┐                     peak: highest step in the quarter of an hour after
///      1.1 ├ ─ ─ ─ ─ ─ ─│─└──┬─ ─ ─ ─           drained: the first minute from the peak on whose
///   normal ├────┐       │    └────────          mean rate and mean outbox are at most 110 % of
///          │    └───────┘                       what they were before
///          └────┴───────┴────┴────────▶
///             from    until  drained
///
/// A step is ten scenario seconds, or a longer row. The watch ends when the next outage begins.
package struct StormWatch {
  /// The scenario seconds after an outage within which the peak is searched.
  package static let peakWithin = 900.0
  /// The factor up to which a rate is back to normal.
  package static let tolerance = 1.1
  /// The scenario seconds over which a rate is taken, unless rows are longer.
  package static let step = 10.0
  private static let minute = 60.0

  private let rates: StepCurve
  private let acknowledged: StepCurve
  private let failed: StepCurve
  private let outbox: StepCurve
  /// The factor from scenario seconds to seconds of the rows' rates: 1 in a simulation.
  private let scale: Double
  private let step: Double
  private let pushes: [Double]

  /// - Parameter rows: A run's timeline, without the final drain.
  /// - Parameter speed: The scenario seconds in a second of the rows' rates: 1 in a simulation.
  /// - Parameter pushes: For each push, the scenario second of the sweep that requested it.
  package init(_ rows: [TimelineRow], from start: Double, speed: Double, pushes: [Double]) {
    let rows = rows.filter { $0.phase != "drain" }
    let edges = [start] + rows.map(\.scenarioSeconds)
    rates = StepCurve(edges, rows.map { $0.attemptsPerSecond ?? $0.offeredPerSecond })
    acknowledged = StepCurve(edges, rows.map(\.acknowledgedPerSecond))
    failed = StepCurve(edges, rows.map(\.failedPerSecond))
    outbox = StepCurve(edges, rows.map { Double($0.outboxFixes) })
    scale = speed > 0 ? 1 / speed : 1
    // Takes the median width of a row, since the first row of a run may be short.
    let widths = zip(edges.dropFirst(), edges).map(-)
    step = max(Self.step, widths.median(.upperInverse)?.rounded() ?? 0)
    self.pushes = pushes
  }

  /// Returns the outages that began and ended within the timeline, in order, with their figures.
  package func storms(after outages: [StormFigures]) -> [StormFigures] {
    let ordered = outages.sorted { ($0.endsAt, $0.beginsAt) < ($1.endsAt, $1.beginsAt) }
    return ordered.filter { $0.endsAt < rates.end && $0.beginsAt > rates.start }.map { outage in
      let next = ordered.map(\.beginsAt).filter { $0 >= outage.endsAt }.min() ?? rates.end
      return storm(after: outage, watchedUntil: min(next, rates.end))
    }
  }

  private func storm(after outage: StormFigures, watchedUntil end: Double) -> StormFigures {
    var storm = outage
    let (from, until) = (storm.beginsAt, storm.endsAt)
    storm.stepSeconds = step
    storm.normalPerSecond = normal(before: from)
    storm.outboxBefore = outbox.mean(max(rates.start, from - Self.minute), from)
    let outboxes = steps(from: from, to: end).compactMap { outbox.mean($0, $0 + step) }
    storm.outboxMax = outboxes.max()
    let peak = peak(from: until, to: min(end, until + Self.peakWithin))
    storm.peakPerSecond = peak?.rate
    storm.peakAfterSeconds = peak.map { $0.at - until }
    if let peak, let normal = storm.normalPerSecond, normal > 0 {
      storm.amplification = peak.rate / normal
    }
    let drained = drained(storm, from: until, peakAt: peak?.at, to: end)
    storm.drainSeconds = drained.map { $0 - until }
    count(&storm, until: drained ?? end)
    return storm
  }

  private func count(_ storm: inout StormFigures, until end: Double) {
    func sum(_ curve: StepCurve, from: Double) -> Int {
      Int((curve.integral(from, end) * scale).rounded())
    }
    storm.attempts = sum(rates, from: storm.beginsAt)
    storm.acknowledged = sum(acknowledged, from: storm.beginsAt)
    if storm.acknowledged > 0 {
      storm.attemptsPerBatch = Double(storm.attempts) / Double(storm.acknowledged)
    }
    storm.rejected = sum(failed, from: storm.endsAt)
    var sweeps: [Double: Int] = [:]
    for push in pushes where push >= storm.endsAt && push <= end { sweeps[push, default: 0] += 1 }
    storm.pushesInSweepMax = sweeps.values.max() ?? 0
  }

  /// Returns the median rate of the whole minutes before `from`, or else the mean rate before it.
  private func normal(before from: Double) -> Double? {
    var minutes: [Double] = []
    var at = from - Self.minute
    while at >= rates.start - 1e-6 {
      if let mean = rates.mean(at, at + Self.minute) { minutes.append(mean) }
      at -= Self.minute
    }
    guard !minutes.isEmpty else { return rates.mean(rates.start, from) }
    minutes.sort()
    let middle = minutes.count / 2
    return minutes.count % 2 == 1 ? minutes[middle] : (minutes[middle - 1] + minutes[middle]) / 2
  }

  private func peak(from: Double, to: Double) -> (at: Double, rate: Double)? {
    var best: (at: Double, rate: Double)?
    for at in steps(from: from, to: to) {
      if let rate = rates.mean(at, at + step), rate > best?.rate ?? -1 { best = (at, rate) }
    }
    return best
  }

  /// Returns the start of the first minute below both limits, from a peak above the limit on.
  private func drained(
    _ storm: StormFigures, from: Double, peakAt: Double?, to end: Double
  ) -> Double? {
    guard let normal = storm.normalPerSecond, let before = storm.outboxBefore else { return nil }
    let width = max(Self.minute, step)
    func isBelowLimit(_ at: Double) -> Bool {
      guard at + width <= end + 1e-6, let rate = rates.mean(at, at + width),
        let waiting = outbox.mean(at, at + width)
      else { return false }
      return rate <= Self.tolerance * normal && waiting <= Self.tolerance * before
    }
    var first = from
    if let peakAt, let rate = rates.mean(peakAt, min(peakAt + width, end)),
      rate > Self.tolerance * normal
    {
      first = peakAt
    }
    return steps(from: first, to: end).first(where: isBelowLimit)
  }

  private func steps(from: Double, to: Double) -> [Double] {
    Array(stride(from: from, to: to - step + 1e-6, by: step))
  }
}

private struct StepCurve {
  private var edges: [Double]
  /// The integral of the curve from the first edge to each edge.
  private var sums: [Double]

  init(_ edges: [Double], _ values: [Double]) {
    var sums = [0.0]
    for (i, value) in values.enumerated() {
      sums.append(sums[i] + value * max(0, edges[i + 1] - edges[i]))
    }
    self.edges = edges
    self.sums = sums
  }

  var start: Double { edges[0] }
  var end: Double { edges[edges.count - 1] }

  func integral(_ from: Double, _ to: Double) -> Double { sum(to) - sum(from) }

  func mean(_ from: Double, _ to: Double) -> Double? {
    let (low, high) = (max(from, start), min(to, end))
    return low < high ? integral(low, high) / (high - low) : nil
  }

  private func sum(_ at: Double) -> Double {
    if at <= start { return 0 }
    if at >= end { return sums[sums.count - 1] }
    var (low, high) = (0, edges.count - 1)
    while high - low > 1 {
      let middle = (low + high) / 2
      if edges[middle] <= at { low = middle } else { high = middle }
    }
    let width = edges[high] - edges[low]
    return sums[low] + (width > 0 ? (sums[high] - sums[low]) * (at - edges[low]) / width : 0)
  }
}
