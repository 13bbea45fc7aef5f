/// A first-in first-out queue of job slots; entries of jobs that have moved on are skipped.
struct JobQueue {
  private var items: [(slot: Int, generation: UInt32)] = []
  private var head = 0

  /// Those that wait, oldest first.
  var entries: ArraySlice<(slot: Int, generation: UInt32)> { items[head...] }

  var isEmpty: Bool { head == items.count }

  mutating func append(_ slot: Int, generation: UInt32) { items.append((slot, generation)) }

  mutating func popFirst() -> (slot: Int, generation: UInt32)? {
    guard head < items.count else { return nil }
    defer {
      head += 1
      if head == items.count {
        items.removeAll(keepingCapacity: true)
        head = 0
      } else if head > 4_096, head * 2 > items.count {
        items.removeFirst(head)
        head = 0
      }
    }
    return items[head]
  }
}
