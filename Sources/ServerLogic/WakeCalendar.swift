internal import SimulationCore
internal import Telemetry

/// Which phones may be due at which sweep: a wheel with a list of phones a sweep, linked through
/// their rows.
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
  /// The number of the last sweep that has been; nil until time begins.
  private var cursor: Int64?

  /// - Parameter horizon: how far ahead phones become due at most.
  init(sweep: SimDuration, horizon: SimDuration) {
    precondition(sweep > .zero, "the sweep must be longer than zero")
    self.sweep = sweep
    let slots = horizon.microseconds / sweep.microseconds + 2
    heads = [UInt32](repeating: Self.none, count: Int(min(slots, Int64(Self.mostSlots))))
  }

  /// The bytes of its own, beside the links in the rows.
  var bytes: Int { heads.count * MemoryLayout<UInt32>.stride }

  /// The phone has no entry yet.
  mutating func schedule(
    _ phone: PhoneID, due: SimInstant, now: SimInstant, in table: inout [LastSeen]
  ) {
    let past = cursor ?? Self.number(of: now, sweep)
    cursor = past
    let slot = min(
      max(Self.firstSweep(from: due, sweep), past + 1), past + Int64(heads.count))
    let index = Int(slot % Int64(heads.count))
    table[Int(phone.rawValue)].nextInCalendar = heads[index]
    table[Int(phone.rawValue)].isScheduled = true
    heads[index] = phone.rawValue
  }

  /// Takes out every phone whose entry has come up by the sweep at `now`, in no stated order.
  mutating func takeOut(
    until now: SimInstant, from table: inout [LastSeen], into phones: inout [PhoneID]
  ) {
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
        table[Int(phone)].isScheduled = false
        phone = table[Int(phone)].nextInCalendar
      }
    }
    cursor = current
  }

  static func number(of instant: SimInstant, _ sweep: SimDuration) -> Int64 {
    instant.microseconds / sweep.microseconds
  }

  /// The number of the first sweep at `instant` or later.
  static func firstSweep(from instant: SimInstant, _ sweep: SimDuration) -> Int64 {
    (instant.microseconds + sweep.microseconds - 1) / sweep.microseconds
  }
}
