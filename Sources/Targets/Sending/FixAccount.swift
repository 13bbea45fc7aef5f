/// What has become of a fix that a phone has handed over to be sent to its target.
package enum FixState: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  /// It has not been sent yet.
  case waiting
  /// Its request is on its way.
  case inFlight
  /// The server said that it has it.
  case stored
  /// The server refused it, and the app threw it away.
  case refused
  /// The app threw it away by its own rule.
  case dropped
  /// The last answer did not say that it is stored; the phone keeps it.
  case failed
  /// It was sent and there was no answer; the phone keeps it, and the server may have it.
  case unknown
  /// Its app was deleted before it was stored.
  case removed
}

/// Where the fixes are that phones have handed over: each of them in exactly one state.
package struct FixAccount: Equatable, Sendable, Codable {
  /// Counts the fixes handed over.
  package private(set) var handed = 0
  /// Counts those that the server had before, of those stored.
  package internal(set) var duplicates = 0
  /// Counts those refused, by reason.
  package internal(set) var refusedBy: [String: Int] = [:]
  /// Counts those that apps threw away, by reason.
  package internal(set) var droppedBy: [String: Int] = [:]
  private var counts = [Int](repeating: 0, count: FixState.allCases.count)

  /// Makes an account of no fixes.
  package init() {}

  /// Counts the fixes in a state.
  package subscript(state: FixState) -> Int { counts[Int(state.rawValue)] }

  /// Takes fixes over from a phone; they wait.
  package mutating func hand(_ count: Int) {
    handed += count
    counts[Int(FixState.waiting.rawValue)] += count
  }

  /// Moves one fix from state to state.
  package mutating func move(_ state: inout FixState, to new: FixState) {
    counts[Int(state.rawValue)] -= 1
    counts[Int(new.rawValue)] += 1
    state = new
  }

  /// Adds the account of other phones.
  package mutating func merge(_ other: FixAccount) {
    handed += other.handed
    duplicates += other.duplicates
    refusedBy.merge(other.refusedBy, uniquingKeysWith: +)
    droppedBy.merge(other.droppedBy, uniquingKeysWith: +)
    for place in counts.indices { counts[place] += other.counts[place] }
  }

  /// Counts the fixes that have left their phones: stored, refused or thrown away.
  package var settled: Int { self[.stored] + self[.refused] + self[.dropped] }

  /// Lists what does not add up, as sentences; empty: every fix is in exactly one state, and each
  /// that was refused or thrown away has one reason.
  package func check() -> [String] {
    var violations: [String] = []
    let sum = counts.reduce(0, +)
    if sum != handed {
      violations.append("target: \(handed) fixes were handed over, but \(sum) are accounted for.")
    }
    for state in FixState.allCases where self[state] < 0 {
      violations.append("target: \(self[state]) fixes are \(state); a count cannot be negative.")
    }
    let reasons = [
      ("refused", self[.refused], refusedBy), ("dropped", self[.dropped], droppedBy),
    ]
    for (name, count, by) in reasons where by.values.reduce(0, +) != count {
      violations.append("target: \(count) fixes were \(name), but their reasons sum to another.")
    }
    return violations
  }
}
