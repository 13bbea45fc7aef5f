internal import Figures

/// Adds what the processes of a live run saw, second by second.
///
/// The seconds are those of the first process. One that another process skipped, since it was late,
/// is counted with that process's next; nothing is counted twice or left out. Pure.
package struct IntervalRounds: Sendable {
  /// Holds for each process the intervals that were not summed yet, in their order.
  private var waiting: [[PackedInterval]]
  /// Holds for each process the newest interval that was summed.
  private var newest: [PackedInterval?]
  /// Is true for a process that sends no more.
  private var isClosed: [Bool]
  /// Is the sum of a second's load, whose memory the next second's takes.
  private var load = Interval()

  /// Makes the sums of a number of processes, of which none has sent anything.
  package init(processes: Int) {
    waiting = Array(repeating: [], count: processes)
    newest = Array(repeating: nil, count: processes)
    isClosed = Array(repeating: false, count: processes)
  }

  /// Takes an interval of the process with a number; nil once there is no more.
  package mutating func add(_ interval: PackedInterval?, from number: Int) {
    guard let interval else {
      isClosed[number] = true
      return
    }
    waiting[number].append(interval)
  }

  /// Returns the sum of the first process's earliest second that was not summed yet; nil while
  /// another process may still send something of it.
  package mutating func next() -> ShareInterval? {
    guard let second = waiting.first?.first?.totals.second, isComplete(second) else { return nil }
    load.reset()
    var totals: ShareTotals?
    var figures = LiveFigures(FreshnessTerms())
    for number in waiting.indices {
      guard let part = take(number, through: second) else { continue }
      if totals == nil { totals = part } else { totals?.merge(part) }
      newest[number]?.add(to: &figures)
    }
    return totals.map { ShareInterval(totals: $0, load: load, metrics: figures) }
  }

  private func isComplete(_ second: Int) -> Bool {
    waiting.indices.allSatisfy { isClosed[$0] || (waiting[$0].last?.totals.second ?? -1) >= second }
  }

  /// Adds the load that a process saw up to a second, and takes what is so of it then; a process
  /// that sent nothing of it counts with the totals that it had, and without load.
  private mutating func take(_ number: Int, through second: Int) -> ShareTotals? {
    let parts = waiting[number].prefix { $0.totals.second <= second }
    waiting[number].removeFirst(parts.count)
    guard var totals = parts.first?.totals else { return newest[number]?.totals.idle }
    for part in parts.dropFirst() { totals.follow(with: part.totals) }
    for part in parts { part.add(to: &load) }
    newest[number] = parts.last
    newest[number]?.totals = totals
    return totals
  }
}
