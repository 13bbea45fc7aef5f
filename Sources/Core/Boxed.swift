/// Keeps a large value on the heap, with copy-on-write. For an inline value, the compiler generates
/// code to copy it in each enclosing type, which was half of the code of some modules.
@propertyWrapper
public struct Boxed<Value: Sendable>: Sendable {
  /// The box is `@unchecked Sendable`, since only its single owner changes the value.
  @usableFromInline final class Box: @unchecked Sendable {
    @usableFromInline var value: Value

    @usableFromInline init(_ value: Value) { self.value = value }
  }

  @usableFromInline var box: Box

  @inlinable public init(wrappedValue: Value) { box = Box(wrappedValue) }

  @inlinable public var wrappedValue: Value {
    _read { yield box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
      yield &box.value
    }
  }
}

extension Boxed: Equatable where Value: Equatable {
  public static func == (a: Self, b: Self) -> Bool {
    a.box === b.box || a.box.value == b.box.value
  }
}

extension Boxed: Codable where Value: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Value(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}
