internal import Wire

/// A list of header fields in order, with names in lower case. The list's memory is reused, so
/// later requests do not allocate. Pointers into the list are valid until the list changes.
package struct HTTPFields: ~Copyable {
  private var bytes = ByteBuffer(capacity: 0)
  /// The end offsets of each name and value in `bytes`.
  private var ends: [(name: Int, value: Int)] = []

  package init() {}

  package var count: Int { ends.count }

  package mutating func removeAll() {
    bytes.removeAll()
    ends.removeAll(keepingCapacity: true)
  }

  package mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    bytes.append(name)
    let end = bytes.count
    bytes.append(value)
    ends.append((end, bytes.count))
  }

  package mutating func add(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
    add(name.bytes, value)
  }

  package mutating func add(_ name: StaticString, _ value: String) {
    var value = value
    value.withUTF8 { add(name, UnsafeRawBufferPointer($0)) }
  }

  package func value(of name: StaticString) -> UnsafeRawBufferPointer? {
    var start = 0
    for end in ends {
      defer { start = end.value }
      guard end.name - start == name.utf8CodeUnitCount else { continue }
      let own = UnsafeRawBufferPointer(rebasing: bytes.readable[start..<end.name])
      if own.equals(name) { return .init(rebasing: bytes.readable[end.name..<end.value]) }
    }
    return nil
  }

  package func forEach(_ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void) {
    var start = 0
    for end in ends {
      body(
        UnsafeRawBufferPointer(rebasing: bytes.readable[start..<end.name]),
        UnsafeRawBufferPointer(rebasing: bytes.readable[end.name..<end.value]))
      start = end.value
    }
  }
}
