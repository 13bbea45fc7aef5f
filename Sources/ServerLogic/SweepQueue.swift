internal import Core

struct SweepQueue: Sendable {
  /// A heap of keys, each with the sweep number in the upper and the phone in the lower 32 bits.
  private var keys: [UInt64] = []

  var count: Int { keys.count }
  var bytes: Int { keys.capacity * MemoryLayout<UInt64>.stride }

  static func key(_ phone: PhoneID, sweep number: Int64) -> UInt64 {
    UInt64(UInt32(clamping: number)) << 32 | UInt64(phone.rawValue)
  }

  mutating func add(_ phone: PhoneID, sweep number: Int64) {
    keys.append(Self.key(phone, sweep: number))
    var child = keys.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard keys[child] < keys[parent] else { return }
      keys.swapAt(child, parent)
      child = parent
    }
  }

  mutating func pop(until limit: Int64) -> (phone: PhoneID, sweep: Int64)? {
    pop(through: Self.key(PhoneID(rawValue: .max), sweep: limit))
  }

  mutating func pop(through last: UInt64 = .max) -> (phone: PhoneID, sweep: Int64)? {
    guard let first = keys.first, first <= last else { return nil }
    let moved = keys.removeLast()
    if !keys.isEmpty { sink(moved) }
    return (PhoneID(rawValue: UInt32(truncatingIfNeeded: first)), Int64(first >> 32))
  }

  private mutating func sink(_ key: UInt64) {
    var place = 0
    while 2 * place + 1 < keys.count {
      var child = 2 * place + 1
      if child + 1 < keys.count, keys[child + 1] < keys[child] { child += 1 }
      guard keys[child] < key else { break }
      keys[place] = keys[child]
      place = child
    }
    keys[place] = key
  }
}
