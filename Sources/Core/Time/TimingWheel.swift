/// A priority queue of millions of pending events, in their total order.
///
///     later   level 1: 8,192 slots, each as long as all of level 0, unsorted
///     soon    level 0: 8,192 slots of `slotWidth`, unsorted
///     now     one slot, sorted when its turn comes; a heap of what was filed for it since
///
/// Filing an event writes 16 bytes at the end of its slot. The event is not touched again before
/// its slot's turn, when some hundred events are sorted in the first-level cache. Events cannot be
/// removed: an owner that changes a due time files another event, and ignores the old one
/// (`DueWheel`). In steady state nothing is allocated.
///
/// With a million events pending, a binary heap costs twenty cache misses per event, and a calendar
/// of lists (two events per bucket) three or four.
public struct TimingWheel: ~Copyable {
  @usableFromInline static var turnShift: Int64 { 13 }
  @usableFromInline static var turn: Int64 { 1 << turnShift }

  /// log2 of a slot's width in microseconds.
  @usableFromInline let slotShift: Int64
  /// The number of the present slot; all earlier slots are empty.
  @usableFromInline var cursor: Int64
  @usableFromInline var soon: EventSlots
  @usableFromInline var later: EventSlots
  @usableFromInline var soonCount = 0
  @usableFromInline var laterCount = 0
  @usableFromInline var present = PresentEvents()
  /// Overdue events, and events filed for the present slot after it was sorted.
  @usableFromInline var late = EventHeap()

  /// - Parameter slotWidth: rounded up to a power of two microseconds. Best is the time in which
  ///   some hundred events fall due.
  public init(slotWidth: SimDuration, start: SimInstant) {
    precondition(slotWidth > .zero, "a slot must last")
    var shift: Int64 = 0
    while 1 << shift < slotWidth.microseconds { shift += 1 }
    slotShift = shift
    cursor = (start.microseconds >> shift) - 1
    soon = EventSlots(count: Int(Self.turn))
    later = EventSlots(count: Int(Self.turn))
  }

  @inlinable public var count: Int {
    soonCount + laterCount + present.count - present.taken + late.events.count
  }

  public var bytes: Int {
    soon.bytes + later.bytes + PresentEvents.parts * 4
      + (2 * present.capacity + late.events.capacity) * MemoryLayout<PendingEvent>.stride
  }

  /// Files an event in `distantPast` ..< `distantFuture`.
  @inlinable public mutating func insert(_ event: PendingEvent) {
    let slot = event.at.microseconds >> slotShift
    let ahead = slot &- cursor
    if ahead <= 0 {
      late.insert(event)
    } else if ahead <= Self.turn {
      soonCount &+= 1
      soon.append(event, to: Int(slot & (Self.turn - 1)))
    } else {
      laterCount &+= 1
      // Two turns of level 1 must not share a slot, so an event too far ahead is filed again later.
      let reach = (cursor >> Self.turnShift) + Self.turn - 1
      let coarse = min(slot >> Self.turnShift, reach)
      later.append(event, to: Int(coarse & (Self.turn - 1)))
    }
  }

  /// Removes the earliest event, if it is before `horizon`.
  @inlinable public mutating func next(
    before horizon: SimInstant = .distantFuture
  ) -> PendingEvent? {
    while present.taken == present.count {
      if let first = late.first {
        return first.at < horizon ? late.removeFirst() : nil
      }
      guard let slot = advance(to: horizon.microseconds >> slotShift) else { return nil }
      present.fill(from: soon, slot, slotShift: slotShift)
      soonCount &-= present.count
      soon.empty(slot)
    }
    let first = present.events[present.taken]
    if !late.isEmpty, late.events[0] < first {
      return late.events[0].at < horizon ? late.removeFirst() : nil
    }
    guard first.at < horizon else { return nil }
    present.taken &+= 1
    return first
  }

  /// Removes every event before `horizon`, in no order, for callers that sort differently.
  @inlinable public mutating func drain(
    before horizon: SimInstant, _ body: (PendingEvent) -> Void
  ) {
    var kept: [PendingEvent] = []
    for i in present.taken..<present.count {
      let event = present.events[i]
      if event.at < horizon { body(event) } else { kept.append(event) }
    }
    present.taken = present.count
    for event in late.events {
      if event.at < horizon { body(event) } else { kept.append(event) }
    }
    late.events.removeAll(keepingCapacity: true)
    while let slot = advance(to: horizon.microseconds >> slotShift) {
      soon.forEachBlock(of: slot) { block in
        soonCount &-= block.count
        for event in block {
          if event.at < horizon { body(event) } else { kept.append(event) }
        }
      }
      soon.empty(slot)
    }
    for event in kept { late.insert(event) }
  }
}

extension TimingWheel {
  /// Moves to the next non-empty slot of level 0 up to `last`; returns nil without one.
  @inlinable mutating func advance(to last: Int64) -> Int? {
    while cursor < last {
      let first = cursor + 1
      if first & (Self.turn - 1) == 0 { spread(first >> Self.turnShift) }
      if soonCount == 0 {
        // Level 0 is empty: skip to the next turn with events in level 1, if one exists.
        guard laterCount > 0 else { return nil }
        cursor = min((nextTurn(after: first >> Self.turnShift) << Self.turnShift) - 1, last)
        continue
      }
      // The search ends with this turn, since level 1 has the events of later turns.
      let turnStart = first & ~(Self.turn - 1)
      let end = min(turnStart + Self.turn - 1, last)
      let slot = soon.nextOccupied(from: Int(first - turnStart), through: Int(end - turnStart))
      if slot >= 0 {
        cursor = turnStart + Int64(slot)
        return slot
      }
      cursor = end
    }
    return nil
  }

  /// Returns the next turn with events in level 1, which must exist.
  @inlinable func nextTurn(after turn: Int64) -> Int64 {
    let mask = Int(Self.turn - 1)
    let begin = Int(turn + 1) & mask
    var slot = later.nextOccupied(from: begin, through: mask)
    if slot < 0 { slot = later.nextOccupied(from: 0, through: mask) }
    return turn + 1 + Int64((slot - begin) & mask)
  }

  /// Files the events of a level 1 slot again: in level 0, or in level 1 if still too far ahead.
  @inlinable mutating func spread(_ coarse: Int64) {
    let slot = Int(coarse & (Self.turn - 1))
    guard later.ends[slot] != 0 else { return }
    var falling: [PendingEvent] = []
    falling.reserveCapacity(later.size(of: slot))
    later.forEachBlock(of: slot) { falling.append(contentsOf: $0) }
    laterCount &-= falling.count
    later.empty(slot)
    for event in falling { insert(event) }
  }
}
