internal import SimulationCore
internal import Telemetry

/// Which phones may be due at which sweep: a wheel with a list of phones a sweep, and a backlog.
///
/// A phone has at most one entry. When it reports, its entry stays where it is; when the wheel
/// comes to it, its owner says when it is due really, and it moves there. So a report costs
/// nothing here, and a sweep costs the phones whose entry has come up, never all phones.
struct WakeCalendar: Sendable {
  private static let none = UInt32.max
  /// Beyond that an entry is looked at early and moved on, which is only a little work.
  private static let mostSlots = 65_536

  private let sweep: SimDuration
  private var heads: [UInt32]
  private var next: [UInt32]
  /// The number of the last sweep that has been; nil until time begins.
  private var cursor: Int64?
  /// Due phones that wait for the rate limit: a heap, the longest due first, then by phone.
  private var backlog: [Due] = []

  struct Due: Equatable, Sendable, BitwiseCopyable {
    var since: SimInstant
    var phone: PhoneID

    static func comesFirst(_ a: Due, _ b: Due) -> Bool {
      a.since != b.since ? a.since < b.since : a.phone < b.phone
    }
  }

  /// - Parameter horizon: how far ahead phones become due at most.
  init(phones: Int, sweep: SimDuration, horizon: SimDuration) {
    precondition(sweep > .zero, "the sweep must be longer than zero")
    self.sweep = sweep
    let slots = horizon.microseconds / sweep.microseconds + 2
    heads = [UInt32](repeating: Self.none, count: Int(min(slots, Int64(Self.mostSlots))))
    next = [UInt32](repeating: Self.none, count: phones)
  }

  /// The phone has no entry yet.
  mutating func schedule(_ phone: PhoneID, due: SimInstant, now: SimInstant) {
    let past = cursor ?? Self.number(of: now, sweep)
    cursor = past
    let wanted = (due.microseconds + sweep.microseconds - 1) / sweep.microseconds
    let slot = min(max(wanted, past + 1), past + Int64(heads.count))
    let index = Int(slot % Int64(heads.count))
    next[Int(phone.rawValue)] = heads[index]
    heads[index] = phone.rawValue
  }

  /// Takes out every phone whose entry has come up by the sweep at `now`, in no stated order.
  mutating func takeOut(until now: SimInstant, into phones: inout [PhoneID]) {
    guard let past = cursor else { return }
    let current = Self.number(of: now, sweep)
    guard current > past else { return }
    let first = max(past + 1, current - Int64(heads.count) + 1)
    for slot in first...current {
      let index = Int(slot % Int64(heads.count))
      var phone = heads[index]
      heads[index] = Self.none
      while phone != Self.none {
        phones.append(PhoneID(rawValue: phone))
        phone = next[Int(phone)]
      }
    }
    cursor = current
  }

  static func number(of instant: SimInstant, _ sweep: SimDuration) -> Int64 {
    instant.microseconds / sweep.microseconds
  }

  // MARK: The backlog

  var waiting: Int { backlog.count }

  mutating func wait(_ due: Due) {
    backlog.append(due)
    var child = backlog.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard Due.comesFirst(backlog[child], backlog[parent]) else { return }
      backlog.swapAt(child, parent)
      child = parent
    }
  }

  mutating func popLongestDue() -> Due? {
    guard let first = backlog.first else { return nil }
    let last = backlog.removeLast()
    guard !backlog.isEmpty else { return first }
    backlog[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < backlog.count && Due.comesFirst(backlog[child], backlog[least]) {
        least = child
      }
      guard least != parent else { return first }
      backlog.swapAt(parent, least)
      parent = least
    }
  }
}
