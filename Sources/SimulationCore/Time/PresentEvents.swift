/// The events of the slot whose turn it is, sorted: spread by a counting sort over 256 parts by
/// their instant, then by insertion, which finds them all but in order.
@usableFromInline struct PresentEvents: ~Copyable {
  @usableFromInline static var parts: Int { 256 }
  /// So few are sorted by insertion at once.
  @usableFromInline static var fewMax: Int { 24 }
  /// Where more than these have nearly the same instant, insertion would take too long.
  @usableFromInline static var crowdMin: Int32 { 64 }

  /// Owned, both: allocated here, freed in `deinit`, reached only through this value.
  @usableFromInline var events: UnsafeMutablePointer<PendingEvent>
  @usableFromInline let ends: UnsafeMutablePointer<Int32>
  @usableFromInline var capacity = 256
  @usableFromInline var count = 0
  /// Those before it are gone.
  @usableFromInline var taken = 0

  @usableFromInline init() {
    events = .allocate(capacity: capacity)
    ends = .allocate(capacity: Self.parts)
  }

  @inlinable deinit {
    events.deallocate()
    ends.deallocate()
  }

  /// Takes over a slot's events.
  @inlinable mutating func fill(from slots: borrowing EventSlots, _ slot: Int, slotShift: Int64) {
    taken = 0
    count = slots.size(of: slot)
    if count > capacity { grow() }
    let isFew = count <= Self.fewMax
    if isFew { copy(slots, slot) } else { spread(slots, slot, max(0, slotShift - 8)) }
    if !isFew, isCrowded {
      var crowd = UnsafeMutableBufferPointer(start: events, count: count)
      crowd.sort()
    } else {
      insertionSort()
    }
  }

  @usableFromInline mutating func grow() {
    events.deallocate()
    while capacity < count { capacity *= 2 }
    events = .allocate(capacity: capacity)
  }

  @inlinable func copy(_ slots: borrowing EventSlots, _ slot: Int) {
    var next = events
    slots.forEachBlock(of: slot) { block in
      for event in block {
        next.pointee = event
        next += 1
      }
    }
  }

  @inlinable func spread(_ slots: borrowing EventSlots, _ slot: Int, _ shift: Int64) {
    let mask = Int64(Self.parts - 1)
    ends.update(repeating: 0, count: Self.parts)
    slots.forEachBlock(of: slot) { block in
      for event in block { ends[Int((event.at.microseconds >> shift) & mask)] &+= 1 }
    }
    var sum: Int32 = 0
    for part in 0..<Self.parts {
      sum &+= ends[part]
      ends[part] = sum &- ends[part]
    }
    slots.forEachBlock(of: slot) { block in
      for event in block {
        let part = Int((event.at.microseconds >> shift) & mask)
        events[Int(ends[part])] = event
        ends[part] &+= 1
      }
    }
  }

  @inlinable var isCrowded: Bool {
    var begin: Int32 = 0
    var most: Int32 = 0
    for part in 0..<Self.parts {
      most = max(most, ends[part] &- begin)
      begin = ends[part]
    }
    return most > Self.crowdMin
  }

  @inlinable func insertionSort() {
    guard count > 1 else { return }
    for i in 1..<count {
      let event = events[i]
      var j = i
      while j > 0, event < events[j - 1] {
        events[j] = events[j - 1]
        j -= 1
      }
      events[j] = event
    }
  }
}
