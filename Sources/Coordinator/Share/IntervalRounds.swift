/// Adds what the processes of a live run saw, second by second.
///
/// The seconds are those of the first process. One that another process skipped, since it was late,
/// is counted with that process's next; nothing is counted twice or left out. Pure.
package struct IntervalRounds: Sendable {
  /// Holds for each process the intervals that were not summed yet, in their order.
  private var waiting: [[ShareInterval]]
  /// Holds for each process the newest interval that was summed.
  private var newest: [ShareInterval?]
  /// Is true for a process that sends no more.
  private var isClosed: [Bool]

  /// Makes the sums of a number of processes, of which none has sent anything.
  package init(processes: Int) {
    waiting = Array(repeating: [], count: processes)
    newest = Array(repeating: nil, count: processes)
    isClosed = Array(repeating: false, count: processes)
  }

  /// Takes an interval of the process with a number; nil once there is no more.
  package mutating func add(_ interval: ShareInterval?, from number: Int) {
    guard let interval else {
      isClosed[number] = true
      return
    }
    waiting[number].append(interval)
  }

  /// Returns the sum of the first process's earliest second that was not summed yet; nil while
  /// another process may still send something of it.
  package mutating func next() -> ShareInterval? {
    guard let second = waiting.first?.first?.second, isComplete(second) else { return nil }
    var sum: ShareInterval?
    for number in waiting.indices {
      guard let part = take(number, through: second) else { continue }
      if sum == nil { sum = part } else { sum?.merge(part) }
    }
    return sum
  }

  private func isComplete(_ second: Int) -> Bool {
    waiting.indices.allSatisfy { isClosed[$0] || (waiting[$0].last?.second ?? -1) >= second }
  }

  /// Takes what a process saw up to a second; a process that sent nothing of it counts with the
  /// totals that it had, and without load.
  private mutating func take(_ number: Int, through second: Int) -> ShareInterval? {
    let parts = waiting[number].prefix { $0.second <= second }
    waiting[number].removeFirst(parts.count)
    guard var sum = parts.first else { return newest[number]?.idle }
    for part in parts.dropFirst() { sum.follow(with: part) }
    newest[number] = sum
    return sum
  }
}
