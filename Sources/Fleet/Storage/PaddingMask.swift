/// The bits of a plain value's words that carry data: all but the padding between members.
///
/// Optimised code leaves garbage in padding, so the padding of equal records may differ, and a
/// packer of words would have to pack the garbage, too.
enum PaddingMask {
  /// Returns the mask. Members are in declaration order, each at the next aligned offset (Swift's
  /// `docs/ABI/TypeLayout.rst`, "Fragile struct and tuple layout"). In an enum, an optional, a type
  /// without visible members, and a struct longer than its members, all bytes count.
  static func words<T: BitwiseCopyable>(of value: T) -> [UInt64] {
    var bytes = [Bool](repeating: false, count: MemoryLayout<T>.size)
    mark(value, at: 0, in: &bytes)
    var words = [UInt64](repeating: 0, count: (bytes.count + 7) / 8)
    for (n, counts) in bytes.enumerated() where counts {
      words[n / 8] |= 0xFF << UInt64(n % 8 * 8)
    }
    return words
  }

  static func offsets<T: BitwiseCopyable>(ofMembersOf value: T) -> [Int] {
    var end = 0
    return Mirror(reflecting: value).children.map { member in
      func place<M>(_ member: M) -> Int {
        let alignment = MemoryLayout<M>.alignment
        let offset = (end + alignment - 1) / alignment * alignment
        end = offset + MemoryLayout<M>.size
        return offset
      }
      return _openExistential(member.value, do: place)
    }
  }

  private static func mark<T>(_ value: T, at offset: Int, in bytes: inout [Bool]) {
    let mirror = Mirror(reflecting: value)
    let end = offset + MemoryLayout<T>.size
    if mirror.displayStyle == .struct, !mirror.children.isEmpty {
      var inside = bytes
      if mark(mirror.children, from: offset, in: &inside) == end {
        bytes = inside
        return
      }
    }
    for n in offset..<end { bytes[n] = true }
  }

  /// - Returns: the offset at which the last member ends.
  private static func mark(
    _ members: Mirror.Children, from start: Int, in bytes: inout [Bool]
  ) -> Int {
    var end = start
    func place<T>(_ member: T) {
      let alignment = MemoryLayout<T>.alignment
      let offset = (end + alignment - 1) / alignment * alignment
      end = offset + MemoryLayout<T>.size
      if end <= bytes.count { mark(member, at: offset, in: &bytes) }
    }
    for member in members { _openExistential(member.value, do: place) }
    return end
  }
}
