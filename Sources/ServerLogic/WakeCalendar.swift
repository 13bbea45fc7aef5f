internal import Core

/// A timer wheel of the phones that may be due at each sweep. A sweep's list of phones has blocks
/// of 256 bytes. A phone has one entry, which a report does not move. When the wheel reaches the
/// entry, the owner computes the phone's true due time and adds a new entry. A report costs
/// nothing, and the cost of a sweep depends only on the entries that the wheel reaches.
struct WakeCalendar: Sendable {
  private static let none = UInt32.max
  /// The most sweeps ahead. An entry for a later sweep is reached early and added again.
  private static let mostSlots = 65_536
  private static let blockWords = 64

  private struct Slot {
    var block = WakeCalendar.none
    var count: UInt32 = 0
  }

  private let sweep: SimDuration
  private var slots: [Slot]
  private var words: [UInt32] = []
  private var free = Self.none
  /// The number of the last sweep that was taken out, or nil before the first entry.
  private var cursor: Int64?

  /// - Parameter phones: the maximum number of entries. All blocks are allocated here, since a
  ///   growing list would be copied.
  /// - Parameter horizon: the maximum time ahead at which phones become due.
  init(phones: Int, sweep: SimDuration, horizon: SimDuration) {
    precondition(sweep > .zero, "the sweep must be longer than zero")
    self.sweep = sweep
    let wanted = horizon.microseconds / sweep.microseconds + 2
    slots = [Slot](repeating: Slot(), count: Int(min(wanted, Int64(Self.mostSlots))))
    let blocks = phones / (Self.blockWords - 1) + min(phones, slots.count)
    words.reserveCapacity(blocks * Self.blockWords)
  }

  var bytes: Int {
    slots.count * MemoryLayout<Slot>.stride + words.capacity * MemoryLayout<UInt32>.stride
  }

  /// Adds an entry for the phone, which must not have an entry yet.
  mutating func schedule(
    _ phone: PhoneID, due: SimInstant, now: SimInstant, in table: inout [LastSeen]
  ) {
    let past = cursor ?? Self.number(of: now, sweep)
    cursor = past
    let sweepNumber = min(
      max(Self.firstSweep(from: due, sweep), past + 1), past + Int64(slots.count))
    let index = place(of: sweepNumber)
    table[Int(phone.rawValue)][.isScheduled] = true
    if slots[index].block == Self.none || slots[index].count == Self.blockWords {
      slots[index] = Slot(block: takeBlock(after: slots[index].block), count: 1)
    }
    words[Int(slots[index].block) * Self.blockWords + Int(slots[index].count)] = phone.rawValue
    slots[index].count += 1
  }

  /// Removes the entries of all sweeps up to `now` and appends their phones in any order. The
  /// phones stay marked as scheduled until the caller clears the marks.
  mutating func takeOut(until now: SimInstant, into phones: inout [PhoneID]) {
    guard let past = cursor else { return }
    let current = Self.number(of: now, sweep)
    guard current > past else { return }
    let first = max(past + 1, current - Int64(slots.count) + 1)
    for sweepNumber in first...current {
      let index = place(of: sweepNumber)
      empty(slots[index], into: &phones)
      slots[index] = Slot()
    }
    cursor = current
  }

  private mutating func empty(_ slot: Slot, into phones: inout [PhoneID]) {
    var (block, count) = (slot.block, Int(slot.count))
    while block != Self.none {
      let start = Int(block) * Self.blockWords
      for word in words[(start + 1)..<(start + count)] { phones.append(PhoneID(rawValue: word)) }
      let before = words[start]
      words[start] = free
      free = block
      (block, count) = (before, Self.blockWords)
    }
  }

  private mutating func takeBlock(after before: UInt32) -> UInt32 {
    guard free == Self.none else {
      let block = free
      free = words[Int(block) * Self.blockWords]
      words[Int(block) * Self.blockWords] = before
      return block
    }
    let block = UInt32(words.count / Self.blockWords)
    words.append(before)
    words.append(contentsOf: repeatElement(0, count: Self.blockWords - 1))
    return block
  }

  private func place(of number: Int64) -> Int {
    let rest = Int(number % Int64(slots.count))
    return rest < 0 ? rest + slots.count : rest
  }

  static func number(of instant: SimInstant, _ sweep: SimDuration) -> Int64 {
    let (number, rest) = instant.microseconds.quotientAndRemainder(dividingBy: sweep.microseconds)
    return rest < 0 ? number - 1 : number
  }

  static func firstSweep(from instant: SimInstant, _ sweep: SimDuration) -> Int64 {
    number(of: instant - .microseconds(1), sweep) + 1
  }
}
