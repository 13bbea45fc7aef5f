/// The state of a fix that a phone has submitted for its target.
package enum FixState: UInt8, CaseIterable, Sendable, BitwiseCopyable {
  case waiting
  case inFlight
  case stored
  /// The server refused the fix, and the app dropped it.
  case refused
  /// The app dropped the fix by a rule of the target.
  case dropped
  /// The last request with the fix failed; the phone keeps the fix.
  case failed
  /// The fix was sent without an answer. The phone keeps the fix, which the server may also have.
  case unknown
  /// The app was deleted before the server stored the fix.
  case removed
}

/// The numbers of submitted fixes by state. Each fix is in exactly one state.
package struct FixAccount: Equatable, Sendable, Codable {
  package private(set) var handed = 0
  package internal(set) var duplicates = 0
  package internal(set) var refusedBy: [String: Int] = [:]
  package internal(set) var droppedBy: [String: Int] = [:]
  private var counts = [Int](repeating: 0, count: FixState.allCases.count)

  package init() {}

  package subscript(state: FixState) -> Int { counts[Int(state.rawValue)] }

  package mutating func hand(_ count: Int) {
    handed += count
    counts[Int(FixState.waiting.rawValue)] += count
  }

  package mutating func move(_ state: inout FixState, to new: FixState) {
    counts[Int(state.rawValue)] -= 1
    counts[Int(new.rawValue)] += 1
    state = new
  }

  package mutating func merge(_ other: FixAccount) {
    handed += other.handed
    duplicates += other.duplicates
    refusedBy.merge(other.refusedBy, uniquingKeysWith: +)
    droppedBy.merge(other.droppedBy, uniquingKeysWith: +)
    for place in counts.indices { counts[place] += other.counts[place] }
  }

  package var settled: Int { self[.stored] + self[.refused] + self[.dropped] }

  /// Returns a sentence for each mismatch between the counts of fixes, of states and of reasons.
  package func check() -> [String] {
    var violations: [String] = []
    let sum = counts.reduce(0, +)
    if sum != handed {
      violations.append("target: \(handed) fixes were submitted, but \(sum) are accounted for.")
    }
    for state in FixState.allCases where self[state] < 0 {
      violations.append("target: \(self[state]) fixes are \(state); a count cannot be negative.")
    }
    let reasons = [
      ("refused", self[.refused], refusedBy), ("dropped", self[.dropped], droppedBy),
    ]
    for (name, count, by) in reasons where by.values.reduce(0, +) != count {
      violations.append("target: \(count) fixes were \(name), but the reasons do not sum to it.")
    }
    return violations
  }
}
