/// Who is due when: one entry an owner (a phone's next event), two levels of slots.
///
/// A phone keeps its own few pending instants and puts only the earliest here, so the wheel costs
/// 16 bytes a phone, allocates nothing, and re-scheduling is a list operation. Events of
/// different phones meet only at the server, where they are merged in (instant, phone) order;
/// inside a window the order in which phones are taken out does not matter.
///
/// Level 0 has 4,096 slots of `slotWidth`; level 1 has 4,096 slots of one whole turn of level 0;
/// what is later than both waits in the last slot of level 1 and is filed again when that comes.
public struct DueWheel {
  @usableFromInline static let slots = 4_096

  @usableFromInline let slotMicroseconds: Int64
  /// The first level-0 slot that has not been emptied.
  @usableFromInline var cursor: Int64
  @usableFromInline var due: [Int64]
  @usableFromInline var next: [Int32]
  @usableFromInline var previous: [Int32]
  /// Heads of the lists: level 0, then level 1. -1: empty.
  @usableFromInline var heads: [Int32]
  /// The list an owner is in, -1: none.
  @usableFromInline var list: [Int32]

  public init(owners: Int, slotWidth: SimDuration, start: SimInstant) {
    precondition(slotWidth > .zero, "a slot must last")
    slotMicroseconds = slotWidth.microseconds
    cursor = start.microseconds / slotWidth.microseconds
    due = Array(repeating: .max, count: owners)
    next = Array(repeating: -1, count: owners)
    previous = Array(repeating: -1, count: owners)
    list = Array(repeating: -1, count: owners)
    heads = Array(repeating: -1, count: 2 * Self.slots)
  }

  /// Files or moves `owner`. `.distantFuture` and later: the owner is taken out.
  @inlinable public mutating func schedule(_ owner: Int, at instant: SimInstant) {
    if list[owner] >= 0 { unlink(owner) }
    guard instant < .distantFuture else { return }
    due[owner] = instant.microseconds
    link(owner)
  }

  /// Takes out every owner that is due before `horizon` and appends it to `taken`.
  @inlinable public mutating func drain(before horizon: SimInstant, into taken: inout [Int32]) {
    let last = horizon.microseconds / slotMicroseconds
    while true {
      take(Int(cursor % Int64(Self.slots)), before: horizon.microseconds, into: &taken)
      guard cursor < last else { return }
      cursor += 1
      if cursor % Int64(Self.slots) == 0 { refill() }
    }
  }

  @usableFromInline mutating func take(
    _ slot: Int, before horizon: Int64, into taken: inout [Int32]
  ) {
    var owner = heads[slot]
    while owner >= 0 {
      let following = next[Int(owner)]
      if due[Int(owner)] < horizon {
        unlink(Int(owner))
        taken.append(owner)
      }
      owner = following
    }
  }

  /// A turn of level 0 begins: its owners come down from level 1.
  @usableFromInline mutating func refill() {
    let slot = Self.slots + Int((cursor / Int64(Self.slots)) % Int64(Self.slots))
    var owner = heads[slot]
    while owner >= 0 {
      let following = next[Int(owner)]
      unlink(Int(owner))
      link(Int(owner))
      owner = following
    }
  }

  @usableFromInline mutating func link(_ owner: Int) {
    let size = Int64(Self.slots)
    // What is overdue goes into the slot that is emptied next.
    let at = max(due[owner] / slotMicroseconds, cursor)
    let turn = at / size - cursor / size
    let slot: Int
    if turn == 0 {
      slot = Int(at % size)
    } else {
      // Two turns of level 1 must not share a slot, so the far future stops short of one turn.
      slot = Self.slots + Int((cursor / size + min(turn, size - 1)) % size)
    }
    let head = heads[slot]
    next[owner] = head
    previous[owner] = -1
    if head >= 0 { previous[Int(head)] = Int32(owner) }
    heads[slot] = Int32(owner)
    list[owner] = Int32(slot)
  }

  @usableFromInline mutating func unlink(_ owner: Int) {
    let before = previous[owner]
    let after = next[owner]
    if before >= 0 { next[Int(before)] = after } else { heads[Int(list[owner])] = after }
    if after >= 0 { previous[Int(after)] = before }
    list[owner] = -1
  }
}
