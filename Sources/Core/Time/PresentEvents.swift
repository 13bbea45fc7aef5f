/// The events of the present slot, sorted. A counting sort by instant, into 256 parts, almost sorts
/// them, and an insertion sort finishes.
@usableFromInline struct PresentEvents: ~Copyable {
  @usableFromInline static var parts: Int { 256 }
  /// The number of events in one part above which an insertion sort is too slow.
  @usableFromInline static var crowdMin: Int32 { 64 }

  /// This value alone owns its three buffers, and frees them in `deinit`.
  @usableFromInline var events: UnsafeMutablePointer<PendingEvent>
  /// The slot's events as filed, before the counting sort; as large as `events`.
  @usableFromInline var unsorted: UnsafeMutablePointer<PendingEvent>
  @usableFromInline let ends: UnsafeMutablePointer<Int32>
  @usableFromInline var capacity = 256
  @usableFromInline var count = 0
  /// The number of events already removed from the front.
  @usableFromInline var taken = 0

  @usableFromInline init() {
    events = .allocate(capacity: capacity)
    unsorted = .allocate(capacity: capacity)
    ends = .allocate(capacity: Self.parts)
  }

  @inlinable deinit {
    events.deallocate()
    unsorted.deallocate()
    ends.deallocate()
  }

  @inlinable mutating func fill(from slots: borrowing EventSlots, _ slot: Int, slotShift: Int64) {
    taken = 0
    count = 0
    guard slots.hasSeveralBlocks(slot) else {
      slots.forEachBlock(of: slot) { block in
        for event in block {
          events[count] = event
          count &+= 1
        }
      }
      return insertionSort()
    }
    spread(slots, slot, max(0, slotShift - 8))
    if isCrowded {
      var crowd = UnsafeMutableBufferPointer(start: events, count: count)
      crowd.sort()
    } else {
      insertionSort()
    }
  }

  @usableFromInline mutating func grow() {
    let larger = UnsafeMutablePointer<PendingEvent>.allocate(capacity: 2 * capacity)
    larger.initialize(from: unsorted, count: count)
    unsorted.deallocate()
    unsorted = larger
    events.deallocate()
    capacity *= 2
    events = .allocate(capacity: capacity)
  }

  /// Copies each event in the pass that counts, since a slot's blocks are seldom in the cache.
  @inlinable mutating func spread(
    _ slots: borrowing EventSlots, _ slot: Int, _ shift: Int64
  ) {
    let mask = Int64(Self.parts - 1)
    ends.update(repeating: 0, count: Self.parts)
    slots.forEachBlock(of: slot) { block in
      if count &+ block.count > capacity { grow() }
      var next = unsorted + count
      for event in block {
        ends[Int((event.at.microseconds >> shift) & mask)] &+= 1
        next.pointee = event
        next += 1
      }
      count &+= block.count
    }
    var sum: Int32 = 0
    for part in 0..<Self.parts {
      let size = ends[part]
      ends[part] = sum
      sum &+= size
    }
    for n in 0..<count {
      let event = unsorted[n]
      let part = Int((event.at.microseconds >> shift) & mask)
      events[Int(ends[part])] = event
      ends[part] &+= 1
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
