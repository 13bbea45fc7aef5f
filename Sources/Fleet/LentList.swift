/// Settings that every shard reads, without copies or reference counts. One `FleetContext` owns and
/// frees the list. The list is `@unchecked Sendable`, since only `init` writes it.
struct LentList<Element: ~Copyable & Sendable>: BitwiseCopyable, @unchecked Sendable {
  private let elements: UnsafeMutableBufferPointer<Element>

  init(count: Int, _ element: (Int) -> Element) {
    elements = .allocate(capacity: count)
    for n in 0..<count { elements.initializeElement(at: n, to: element(n)) }
  }

  /// Frees the elements; afterwards no copy of the list may be read.
  func free() {
    elements.deinitialize()
    elements.deallocate()
  }

  subscript(i: Int) -> Element {
    @inline(__always) unsafeAddress {
      precondition(elements.indices.contains(i), "no settings have this number")
      return UnsafePointer(elements.baseAddress! + i)
    }
  }
}

extension LentList where Element: Copyable {
  init(_ elements: [Element]) { self.init(count: elements.count) { elements[$0] } }
}
