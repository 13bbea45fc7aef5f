/// The output memory of a loop's connections. A connection holds a block from its first output of a
/// turn until the output is sent or handed to libuv. An idle connection holds no block.
final class OutputPool {
  /// The size of a block: room for an upload with its frames, or a few acks.
  private static let blockBytes = 512
  /// The limit of free blocks kept for later turns: 2 MiB.
  private static let blocksMax = 4_096
  private var free: [UnsafeMutableRawBufferPointer] = []

  deinit { for block in free { block.deallocate() } }

  func take() -> UnsafeMutableRawBufferPointer {
    free.popLast() ?? .allocate(byteCount: Self.blockBytes, alignment: 16)
  }

  func give(_ block: UnsafeMutableRawBufferPointer) {
    // A block that has grown is rare and is not kept.
    if block.count == Self.blockBytes, free.count < Self.blocksMax {
      free.append(block)
    } else {
      block.deallocate()
    }
  }
}
