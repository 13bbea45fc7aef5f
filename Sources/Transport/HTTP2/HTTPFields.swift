internal import Wire

/// Header fields in the order in which they came, or in which they are to go, names in lower case.
///
/// Their memory is kept for the next ones: a request costs no allocation once its fields have been
/// as long before. Pointers that it gives are valid until it changes.
package struct HTTPFields: ~Copyable {
  private var bytes = ByteBuffer(capacity: 0)
  /// Where each name and each value ends in `bytes`.
  private var ends: [(name: Int, value: Int)] = []

  /// Makes an empty list without memory.
  package init() {}

  /// The number of fields.
  package var count: Int { ends.count }

  /// Drops all fields and keeps their memory.
  package mutating func removeAll() {
    bytes.removeAll()
    ends.removeAll(keepingCapacity: true)
  }

  /// Adds copies of a name, in lower case, and of a value.
  package mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    bytes.append(name)
    let end = bytes.count
    bytes.append(value)
    ends.append((end, bytes.count))
  }

  /// Adds a field whose name, in lower case, is a literal, and a copy of its value.
  package mutating func add(_ name: StaticString, _ value: UnsafeRawBufferPointer) {
    add(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), value)
  }

  /// Adds a field whose name, in lower case, is a literal.
  package mutating func add(_ name: StaticString, _ value: String) {
    var value = value
    value.withUTF8 { add(name, UnsafeRawBufferPointer($0)) }
  }

  /// Returns the value of the first field of this name; nil: there is none.
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

  /// Gives name and value of each field, in their order.
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
