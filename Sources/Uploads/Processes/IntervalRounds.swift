internal import Figures

/// Adds what the processes of a live run saw, second by second.
///
/// The seconds are those of the first process. One that another process skipped, since it was late,
/// is counted with that process's next; nothing is counted twice or left out. Pure.
package struct IntervalRounds: Sendable {
  /// For each process, the intervals that were not summed yet, in their order.
  private var waiting: [[PackedInterval]]
  /// For each process, the newest interval that was summed.
  private var newest: [PackedInterval?]
  /// Whether a process sends no more.
  private var isClosed: [Bool]
  /// The sum of a second's load, whose memory the next second's takes.
  private var load = ShareInterval.empty.load

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
    guard let head = waiting.first?.first?.head, isComplete(head.second) else { return nil }
    load.reset()
    var sum = ShareInterval.empty
    (sum.second, sum.moment) = (head.second, head.moment)
    for number in waiting.indices { take(number, into: &sum) }
    sum.load = load
    return sum
  }

  private func isComplete(_ second: Int) -> Bool {
    waiting.indices.allSatisfy { isClosed[$0] || (waiting[$0].last?.head.second ?? -1) >= second }
  }

  /// Adds the load that a process saw up to a second, and what it had counted then; a process that
  /// sent nothing of it counts with what it had counted before, and without load.
  private mutating func take(_ number: Int, into sum: inout ShareInterval) {
    let parts = waiting[number].prefix { $0.head.second <= sum.second }
    waiting[number].removeFirst(parts.count)
    for part in parts { part.addLoad(to: &load) }
    guard let last = parts.last ?? newest[number] else { return }
    newest[number] = last
    sum.phones += last.head.phones
    sum.senders += last.head.senders.enumerated().map { place, sender in
      var sender = sender
      guard !parts.isEmpty else {
        sender.cores = 0
        if sender.sending != nil {
          sender.sending = .init(batchesPerSecond: 0, lagMaxMicroseconds: nil)
        }
        return sender
      }
      // Its lag is the greatest of all parts.
      let senders = parts.compactMap { $0.head.senders.dropFirst(place).first }
      sender.sending?.lagMaxMicroseconds = senders.compactMap(\.sending?.lagMaxMicroseconds).max()
      return sender
    }
    last.addCounts(to: &sum)
  }
}
