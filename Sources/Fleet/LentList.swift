/// Settings that every shard reads, of some hundred bytes each: its elements are lent where an
/// array's are copied.
///
/// `@unchecked Sendable`: filled in `init`, read only until `deinit` frees it.
final class LentList<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  private let elements: UnsafeMutableBufferPointer<Element>

  init(_ elements: [Element]) {
    self.elements = .allocate(capacity: elements.count)
    _ = self.elements.initialize(fromContentsOf: elements)
  }

  deinit { elements.deallocate() }

  subscript(i: Int) -> Element {
    @inline(__always) unsafeAddress {
      precondition(elements.indices.contains(i), "nobody has settings of this number")
      return UnsafePointer(elements.baseAddress! + i)
    }
  }
}
