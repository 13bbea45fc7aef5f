package import Core

/// A queue of entries by due time, first in, first out on ties. Entries pushed in due order wait in
/// a line, and other entries in a binary heap. The owner ignores stale entries when they are due.
package struct DueHeap<Entry: BitwiseCopyable> {
  private typealias Item = (at: Int64, order: UInt64, entry: Entry)

  /// The entries pushed in due order, from index `head` on.
  private var line: [Item] = []
  private var head = 0
  private var heap: [Item] = []
  private var pushed: UInt64 = 0

  package init() {}

  var isEmpty: Bool { count == 0 }
  var count: Int { line.count - head + heap.count }
  package var next: WallInstant? { firstItem.map { WallInstant(microseconds: $0.at) } }

  var first: Entry? { firstItem?.entry }

  private var firstItem: Item? { isLineFirst ? line[head] : heap.first }

  private var isLineFirst: Bool {
    guard head < line.count else { return false }
    guard let other = heap.first else { return true }
    return Self.isBefore(line[head], other)
  }

  package mutating func push(_ entry: Entry, at instant: WallInstant) {
    let item = (at: instant.microseconds, order: pushed, entry: entry)
    pushed += 1
    if head == line.count || item.at >= line[line.count - 1].at {
      line.append(item)
    } else {
      file(item)
    }
  }

  private mutating func file(_ item: Item) {
    heap.append(item)
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard Self.isBefore(heap[child], heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  package mutating func pop(at now: WallInstant) -> Entry? {
    guard let first = firstItem, first.at <= now.microseconds else { return nil }
    dropFirst()
    return first.entry
  }

  mutating func dropFirst() {
    guard isLineFirst else { return dropFirstOfHeap() }
    head += 1
    // Removed entries are dropped once they are half of the line, so an entry moves about once.
    guard 2 * head >= line.count, head >= Self.goneMin || head == line.count else { return }
    line.removeFirst(head)
    head = 0
  }

  private static var goneMin: Int { 32 }

  private mutating func dropFirstOfHeap() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      let left = 2 * parent + 1
      if left < heap.count, Self.isBefore(heap[left], heap[least]) { least = left }
      if left + 1 < heap.count, Self.isBefore(heap[left + 1], heap[least]) { least = left + 1 }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private static func isBefore(_ a: Item, _ b: Item) -> Bool {
    a.at != b.at ? a.at < b.at : a.order < b.order
  }
}
