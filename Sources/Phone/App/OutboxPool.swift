package import Core

/// The position of one phone's outbox in the pool of its shard, in 12 bytes.
package struct OutboxHandle: Sendable, BitwiseCopyable {
  fileprivate var head: Int32 = -1
  fileprivate var tail: Int32 = -1
  fileprivate var headOffset: UInt16 = 0
  package fileprivate(set) var count: UInt16 = 0

  package init() {}
}

/// The outboxes of all phones of a shard, as queues in blocks of four fixes.
///
/// One growing array serves all phones, since most outboxes are short most of the time and a
/// released block serves another phone. Blocks are small, since in a fleet that starts at once all
/// phones take a block at the same time.
package struct OutboxPool {
  private static let blockFixes = 4
  /// The divisor of the pool's growth: a full pool grows by a sixteenth, where an array would
  /// double.
  private static let growth = 16

  private var fixes: [Fix] = []
  private var next: [Int32] = []
  private var free: Int32 = -1

  package init() {}

  package var bytes: Int { fixes.capacity * MemoryLayout<Fix>.stride + next.capacity * 4 }

  package mutating func append(_ fix: Fix, to box: inout OutboxHandle) {
    let end = Int(box.headOffset) + Int(box.count)
    if end % Self.blockFixes == 0 {
      let block = takeBlock(filling: fix)
      if box.head < 0 {
        box.head = block
        box.headOffset = 0
      } else {
        next[Int(box.tail)] = block
      }
      box.tail = block
      fixes[Int(block) * Self.blockFixes] = fix
    } else {
      fixes[Int(box.tail) * Self.blockFixes + end % Self.blockFixes] = fix
    }
    box.count += 1
  }

  /// Removes the `n` oldest fixes and releases empty blocks; traps if there are fewer fixes.
  package mutating func dropFirst(_ n: Int, from box: inout OutboxHandle) {
    precondition(n <= Int(box.count), "an outbox cannot forget more fixes than it holds")
    var left = n
    while left > 0 {
      let inBlock = min(left, Self.blockFixes - Int(box.headOffset))
      left -= inBlock
      box.headOffset += UInt16(inBlock)
      box.count -= UInt16(inBlock)
      if Int(box.headOffset) == Self.blockFixes || box.count == 0 { releaseHead(of: &box) }
    }
  }

  /// Removes the fix at `index` in O(index). Only a full outbox needs this, to evict a fix behind a
  /// batch in flight.
  package mutating func remove(at index: Int, from box: inout OutboxHandle) {
    precondition(index < Int(box.count), "no such fix")
    for i in stride(from: index, to: 0, by: -1) {
      let source = place(of: i - 1, in: box)
      fixes[place(of: i, in: box)] = fixes[source]
    }
    dropFirst(1, from: &box)
  }

  /// Calls `body` for the `n` oldest fixes, oldest first; `n` must not exceed `count`.
  package func forEach(first n: Int, of box: OutboxHandle, _ body: (Fix) -> Void) {
    var block = box.head
    var offset = Int(box.headOffset)
    for _ in 0..<n {
      body(fixes[Int(block) * Self.blockFixes + offset])
      offset += 1
      if offset == Self.blockFixes {
        offset = 0
        block = next[Int(block)]
      }
    }
  }

  private func place(of index: Int, in box: OutboxHandle) -> Int {
    let end = Int(box.headOffset) + index
    var block = box.head
    for _ in 0..<(end / Self.blockFixes) { block = next[Int(block)] }
    return Int(block) * Self.blockFixes + end % Self.blockFixes
  }

  private mutating func takeBlock(filling fix: Fix) -> Int32 {
    if free >= 0 {
      let block = free
      free = next[Int(block)]
      next[Int(block)] = -1
      return block
    }
    let block = Int32(next.count)
    if next.count == next.capacity {
      let blocks = next.count + max(64, next.count / Self.growth)
      next.reserveCapacity(blocks)
      fixes.reserveCapacity(blocks * Self.blockFixes)
    }
    next.append(-1)
    fixes.append(contentsOf: repeatElement(fix, count: Self.blockFixes))
    return block
  }

  private mutating func releaseHead(of box: inout OutboxHandle) {
    let block = box.head
    box.head = next[Int(block)]
    box.headOffset = 0
    if box.count == 0 {
      box.head = -1
      box.tail = -1
    }
    next[Int(block)] = free
    free = block
  }
}
