package import SimulationCore

/// A binary heap of things that are due, earliest first; ties in the order of their numbers.
///
/// Entries are never removed early: the owner checks the number when it comes up.
package struct DueHeap<Entry: BitwiseCopyable> {
  private var items: [(at: Int64, order: UInt64, entry: Entry)] = []
  private var pushed: UInt64 = 0

  /// Makes an empty heap.
  package init() {}

  var isEmpty: Bool { items.isEmpty }
  var count: Int { items.count }
  /// Is when the earliest entry is due; nil: there is none.
  package var next: WallInstant? { items.first.map { WallInstant(microseconds: $0.at) } }

  /// Adds an entry.
  package mutating func push(_ entry: Entry, at instant: WallInstant) {
    items.append((instant.microseconds, pushed, entry))
    pushed += 1
    var child = items.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard Self.isBefore(items[child], items[parent]) else { return }
      items.swapAt(child, parent)
      child = parent
    }
  }

  /// The earliest entry that is due at `now`.
  package mutating func pop(at now: WallInstant) -> Entry? {
    guard let first = items.first, first.at <= now.microseconds else { return nil }
    dropFirst()
    return first.entry
  }

  /// The earliest entry, due or not.
  var first: Entry? { items.first?.entry }

  mutating func dropFirst() {
    let last = items.removeLast()
    guard !items.isEmpty else { return }
    items[0] = last
    var parent = 0
    while true {
      var least = parent
      let left = 2 * parent + 1
      if left < items.count, Self.isBefore(items[left], items[least]) { least = left }
      if left + 1 < items.count, Self.isBefore(items[left + 1], items[least]) { least = left + 1 }
      guard least != parent else { return }
      items.swapAt(parent, least)
      parent = least
    }
  }

  private static func isBefore(
    _ a: (at: Int64, order: UInt64, entry: Entry), _ b: (at: Int64, order: UInt64, entry: Entry)
  ) -> Bool {
    a.at != b.at ? a.at < b.at : a.order < b.order
  }
}
