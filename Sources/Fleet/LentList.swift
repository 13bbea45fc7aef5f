/// Settings of some hundred bytes each that every shard reads. Elements are lent, while an array's
/// would be copied; readers count no reference.
///
/// Owned by one `FleetContext`, which frees it; every copy of the list refers to the same elements.
/// `@unchecked Sendable`, because it is filled in `init` and only read until then.
struct LentList<Element: ~Copyable & Sendable>: BitwiseCopyable, @unchecked Sendable {
  private let elements: UnsafeMutableBufferPointer<Element>

  init(count: Int, _ element: (Int) -> Element) {
    elements = .allocate(capacity: count)
    for n in 0..<count { elements.initializeElement(at: n, to: element(n)) }
  }

  /// Frees the elements: no copy of the list may be read afterwards.
  func free() {
    elements.deinitialize()
    elements.deallocate()
  }

  var count: Int { elements.count }

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
