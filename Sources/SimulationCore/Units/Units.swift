/// A distance along the ground.
@frozen public struct Distance: Hashable, Comparable, Codable, Sendable, BitwiseCopyable {
  /// Is the length in metres.
  public var meters: Double
  /// Makes a distance from metres.
  @inlinable public init(meters: Double) { self.meters = meters }
  /// Makes a distance from metres.
  @inlinable public static func meters(_ m: Double) -> Self { Self(meters: m) }
  /// Makes a distance from kilometres.
  @inlinable public static func kilometers(_ km: Double) -> Self { Self(meters: km * 1_000) }
  /// Compares two distances; the shorter one is less.
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.meters < b.meters }
}

/// Is how fast something moves along the ground.
@frozen public struct Speed: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Is the speed in metres a second.
  public var metersPerSecond: Double
  /// Makes a speed from metres a second.
  @inlinable public init(metersPerSecond: Double) { self.metersPerSecond = metersPerSecond }
  /// Compares two speeds; the slower one is less.
  @inlinable public static func < (a: Self, b: Self) -> Bool {
    a.metersPerSecond < b.metersPerSecond
  }
}

/// Is an amount of data.
@frozen public struct ByteCount: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Counts the bytes.
  public var bytes: Int64
  /// Makes an amount from a number of bytes.
  @inlinable public init(bytes: Int64) { self.bytes = bytes }
  /// Compares two amounts; the smaller one is less.
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.bytes < b.bytes }
}

/// How often something happens, in scenario or wall time as its owner says.
@frozen public struct Rate: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Is how often it happens in a second of that time.
  public var perSecond: Double
  /// Makes a rate from occurrences a second.
  @inlinable public init(perSecond: Double) { self.perSecond = perSecond }
  /// Compares two rates; the rarer one is less.
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.perSecond < b.perSecond }
}
