internal import Core
internal import Figures

/// Sums the intervals of a live run's processes by the seconds of the first process. If another
/// process skips a second, its next interval contains that second.
package struct IntervalRounds: Sendable {
  /// The intervals of each process that are not summed yet, in order.
  private var waiting: [[PackedInterval]]
  private var newest: [PackedInterval?]
  private var isClosed: [Bool]
  /// The sum of a second's load, whose memory the next second reuses.
  private var load = ShareInterval.empty.load

  package init(processes: Int) {
    waiting = Array(repeating: [], count: processes)
    newest = Array(repeating: nil, count: processes)
    isClosed = Array(repeating: false, count: processes)
  }

  package mutating func add(_ interval: PackedInterval?, from number: Int) {
    guard let interval else {
      isClosed[number] = true
      return
    }
    waiting[number].append(interval)
  }

  /// Returns the sum of the next second; nil while another process may still contribute.
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

  /// Adds a process's load up to a second, and its newest counts even without a new interval.
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
      // The sender's lag is the maximum over all parts.
      let senders = parts.compactMap { $0.head.senders.dropFirst(place).first }
      sender.sending?.lagMaxMicroseconds = senders.compactMap(\.sending?.lagMaxMicroseconds).max()
      return sender
    }
    last.addCounts(to: &sum)
  }
}
