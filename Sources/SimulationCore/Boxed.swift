/// Keeps a large value on the heap and is itself a reference: copied when it is changed while
/// another has it, like an array.
///
/// For a value of many members that stands in others, which stand in others: the code that copies,
/// assigns and destroys it is made for each of those anew, and was half of what some rooms compiled
/// to.
@propertyWrapper
public struct Boxed<Value: Sendable>: Sendable {
  /// `@unchecked Sendable`: changed by its only owner alone.
  @usableFromInline final class Box: @unchecked Sendable {
    @usableFromInline var value: Value

    @usableFromInline init(_ value: Value) { self.value = value }
  }

  @usableFromInline var box: Box

  /// Puts a value in a box.
  @inlinable public init(wrappedValue: Value) { box = Box(wrappedValue) }

  /// Is the value.
  @inlinable public var wrappedValue: Value {
    _read { yield box.value }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
      yield &box.value
    }
  }
}

extension Boxed: Equatable where Value: Equatable {
  /// Compares the values.
  public static func == (a: Self, b: Self) -> Bool {
    a.box === b.box || a.box.value == b.box.value
  }
}

/// Is written and read as the value alone.
extension Boxed: Codable where Value: Codable {
  /// Reads the value; throws what the value's own reading throws.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Value(from: decoder))
  }

  /// Writes the value; throws what the value's own writing throws.
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}
