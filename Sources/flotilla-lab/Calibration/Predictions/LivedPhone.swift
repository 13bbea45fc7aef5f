internal import Core
internal import Fleet
internal import Phone
internal import Scenarios

struct LivedPhone {
  let fleet: TracedFleet
  let number: Int
  let life: Life

  static func all(of fleet: TracedFleet) -> [LivedPhone] {
    (0..<fleet.scenario.fleet.phones).compactMap { number in
      let cohort = fleet.fleet.context.cohort(of: number)
      guard case .agenda(let kind) = fleet.scenario.fleet.cohorts[cohort].mobility else {
        return nil
      }
      let life = Life(town: fleet.fleet.context.town, phone: UInt32(number), kind: kind)
      return LivedPhone(fleet: fleet, number: number, life: life)
    }
  }

  /// The events of the measured part; empty if the fleet was not traced.
  var entries: [(at: SimInstant, what: TraceEvent)] {
    fleet.traces.isEmpty ? [] : fleet.measured(fleet.traces[number])
  }

  var start: SimInstant { fleet.scenario.measureStart }
  var end: SimInstant { fleet.scenario.measureEnd }
  var hours: Double { (end - start).seconds / 3_600 }

  var clock: CivilClock { fleet.scenario.clock }

  /// Returns the hour of the day in the city's local time, 0 ..< 24.
  func hour(_ t: SimInstant) -> Int { Int(clock.timeOfDay(at: t).seconds / 3_600) }

  var truth: Truth { Truth(life: life, segment: life.segment(at: start)) }

  struct Truth {
    let life: Life
    private(set) var segment: Segment

    fileprivate init(life: Life, segment: Segment) {
      self.life = life
      self.segment = segment
    }

    mutating func at(_ t: SimInstant) -> Segment {
      if t < segment.start { segment = life.segment(at: t) }
      while segment.end <= t { segment = life.segment(after: segment) }
      return segment
    }
  }

  /// The segments that cover the measured time; the first and the last may extend beyond it.
  var segments: [Segment] {
    var found: [Segment] = []
    var segment = life.segment(at: start)
    while segment.start < end {
      found.append(segment)
      segment = life.segment(after: segment)
    }
    return found
  }
}

struct SeenFix {
  let at: SimInstant
  let fix: Fix
  /// The location manager that delivered the fix; nil for a fix of a visit.
  let manager: Manager?
  /// The source of the fix, which only the simulation knows.
  let source: FixSource?
  let off: Double
  let isKept: Bool
  let segment: Segment

  var reported: Double { Double(fix.accuracyMeters) }
  var surroundings: Surroundings { segment.surroundings(at: at) }
  var isOutdoors: Bool { surroundings == .street || surroundings == .open }
  var isFromSatellites: Bool { source == .satellites }
  var isFromCells: Bool { source == .cell }
  var isFromWifi: Bool { source == .wifi }
  var isHit: Bool { off <= reported }
}

extension LivedPhone {
  private func forEachFix(every: Int, _ body: (SeenFix) -> Void) {
    guard !fleet.traces.isEmpty else { return }
    let trace = fleet.traces[number]
    var truth = truth
    var count = 0
    for (place, entry) in trace.entries.enumerated() {
      guard fleet.isMeasured(entry.at),
        case .fix(let fix, let manager, let off, let isKept) = entry.what
      else { continue }
      count += 1
      guard count % every == 0 else { continue }
      body(
        SeenFix(
          at: entry.at, fix: fix, manager: manager, source: trace.sources[place], off: off,
          isKept: isKept, segment: truth.at(entry.at)))
    }
  }

  func fixes(every: Int = 1, _ value: (SeenFix) -> Double?) -> PhoneFigures {
    var figures = PhoneFigures()
    forEachFix(every: every) { fix in
      if let value = value(fix) { figures.values.append(value) }
    }
    return figures
  }

  func share(every: Int = 1, of holds: (SeenFix) -> Bool?) -> PhoneFigures {
    var figures = PhoneFigures()
    forEachFix(every: every) { fix in
      guard let holds = holds(fix) else { return }
      figures.whole += 1
      if holds { figures.part += 1 }
    }
    return figures
  }
}

extension LivedPhone {
  enum Doing: Equatable {
    case resting, moving
    case riding(TravelMode)
  }

  /// Returns the tracker's mean power in watts, for each meter step spent entirely in the state.
  func watts(while doing: Doing) -> [Double] {
    guard let step = fleet.metersEvery else { return [] }
    var found: [Double] = []
    var truth = truth
    for number in 1..<max(1, fleet.meters.count) {
      let from = start + step * Int64(number - 1)
      guard isDoing(doing, from: from, to: from + step, &truth) else { continue }
      let used = fleet.meters[number][self.number] - fleet.meters[number - 1][self.number]
      found.append(Double(used) / 1e6 / step.seconds)
    }
    return found
  }

  private func isDoing(
    _ doing: Doing, from: SimInstant, to: SimInstant, _ truth: inout Truth
  ) -> Bool {
    var segment = truth.at(from)
    while true {
      switch doing {
      case .resting: if segment.isMoving { return false }
      // Accepts short stays, in which people change vehicles between two legs.
      case .moving: if !segment.isMoving, segment.duration > .minutes(2) { return false }
      case .riding(let mode): if !segment.isMoving || segment.mode != mode { return false }
      }
      if segment.end >= to { return true }
      segment = truth.at(segment.end)
    }
  }
}
