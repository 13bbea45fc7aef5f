package import Figures

/// What is so of one share of a live fleet at the end of an interval: what is neither a counter nor
/// a histogram of the interval, nor an integral over its phones.
package struct ShareTotals: Codable, Equatable, Sendable {
  /// Numbers the interval by the last whole second of the live part in it.
  package var second: Int
  /// Counts the phones of the share.
  package var phones: Int
  /// What the sender counted so far, and the states of the phones as last inspected.
  package var counts = Sheet()
  /// Counts the pushes so far, by how they ended.
  package var pushes = Snapshot.PushFunnel()
  /// Lists the processes that send, in the order of their phones.
  package var senders: [Snapshot.ProcessLoad] = []

  /// Makes the totals of a share that has done nothing yet.
  package init(second: Int, phones: Int) { (self.second, self.phones) = (second, phones) }

  /// Adds what is so of the share with the next phones.
  mutating func merge(_ other: ShareTotals) {
    phones += other.phones
    counts += other.counts
    pushes.merge(other.pushes)
    senders += other.senders
  }

  /// Takes what is so of the same share at the end of its next interval; its lag is the greater of
  /// both.
  mutating func follow(with next: ShareTotals) {
    let before = senders
    self = next
    for (number, sender) in before.enumerated() where number < senders.count {
      guard let lag = sender.sending?.lagMaxMicroseconds else { continue }
      let later = senders[number].sending?.lagMaxMicroseconds ?? lag
      senders[number].sending?.lagMaxMicroseconds = max(lag, later)
    }
  }

  /// Is what is so of the share at the end of a later interval of which it saw nothing.
  var idle: ShareTotals {
    var idle = self
    for number in idle.senders.indices {
      idle.senders[number].cores = 0
      guard idle.senders[number].sending != nil else { continue }
      idle.senders[number].sending = .init(batchesPerSecond: 0, lagMaxMicroseconds: nil)
    }
    return idle
  }
}

extension Snapshot.PushFunnel {
  fileprivate mutating func merge(_ other: Self) {
    requested += other.requested
    withheld += other.withheld
    eligible += other.eligible
    answered += other.answered
    guard let more = other.outcomes else { return }
    outcomes = (outcomes ?? [:]).merging(more, uniquingKeysWith: +)
  }
}
