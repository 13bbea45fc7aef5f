internal import Core
internal import Figures
internal import Transport
internal import Uploads

/// Reports a phase second by second. The collector process is read at the end of each second. A
/// second is reported once nearly all of its responses have arrived.
final class TimelineWatch {
  private struct Look {
    var at: WallInstant
    var figures: ProcessMetrics
  }

  private(set) var rows: [OverloadRecord.Second] = []
  private let session: OverloadSession
  private let phase: OverloadRecord.Phase
  private let progress: (OverloadBench.Progress) -> Void
  private let earlier: Int
  /// The phase's first second, counted from the start of the session.
  private let first: Int
  private var looks: [Look?] = []

  init(
    _ session: OverloadSession, _ phase: OverloadRecord.Phase, from earlier: Int,
    _ progress: @escaping (OverloadBench.Progress) -> Void
  ) {
    self.session = session
    self.phase = phase
    self.earlier = earlier
    self.progress = progress
    first = session.secondsPassed + 1
  }

  func look() {
    let passed = session.secondsPassed
    guard passed >= first + looks.count else { return }
    looks.append(session.collector.metrics().map { Look(at: MonotonicClock.now, figures: $0) })
    // Nearly all responses arrive within one second; `finish` counts the rest.
    if looks.count > 2 { progress(.second(row(looks.count - 3))) }
  }

  /// Counts every second again with its late responses, but drops seconds that a stop cut short.
  func finish(_ offered: Range<Int>) {
    looks.append(session.collector.metrics().map { Look(at: MonotonicClock.now, figures: $0) })
    let whole = offered.prefix { $0 < session.secondsPassed }.count
    let reported = max(0, looks.count - 3)
    rows = (0..<whole).map(row)
    for place in rows.indices.dropFirst(reported) { progress(.second(rows[place])) }
  }

  private func row(_ place: Int) -> OverloadRecord.Second {
    var row = OverloadRecord.Second(second: earlier + place, phase: phase)
    let second = first + place
    row.fill(session.tally.tally(second..<second + 1))
    if place + 1 < looks.count, let before = looks[place], let after = looks[place + 1] {
      let cpu = after.figures.cpuMicroseconds - before.figures.cpuMicroseconds
      row.collectorCores = Double(cpu) / Double(max(1, (after.at - before.at).microseconds))
      row.collectorBytes = after.figures.residentBytes
    }
    return row
  }
}

extension OverloadRecord.Second {
  fileprivate mutating func fill(_ tally: OfferTally.Tally) {
    offered = tally.offered
    acknowledged = tally.acknowledged
    shed = tally.shed
    failed = tally.failed
    p50Microseconds = tally.response.percentile(0.5).microseconds.map(Double.init)
    p99Microseconds = tally.response.percentile(0.99).microseconds.map(Double.init)
    lagP99Microseconds = tally.lag.percentile(0.99).microseconds.map(Double.init)
  }
}
