/// Requests that wait, first in, first out: by slot and number, since a slot is used again.
struct SlotQueue {
  private var items: [(slot: Int, number: UInt32)] = []
  private var head = 0

  mutating func append(_ slot: Int, _ number: UInt32) { items.append((slot, number)) }

  /// The slot of the oldest that is still meant; those before it are dropped.
  mutating func first(where isMeant: (Int, UInt32) -> Bool) -> Int? {
    while head < items.count {
      let (slot, number) = items[head]
      if isMeant(slot, number) { return slot }
      dropFirst()
    }
    return nil
  }

  mutating func dropFirst() {
    head += 1
    guard head == items.count || head > 4_096 else { return }
    items.removeFirst(head)
    head = 0
  }

  var all: ArraySlice<(slot: Int, number: UInt32)> { items[head...] }
}
