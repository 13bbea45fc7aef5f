@frozen public struct Distance: Hashable, Comparable, Codable, Sendable, BitwiseCopyable {
  public var meters: Double
  @inlinable public init(meters: Double) { self.meters = meters }
  @inlinable public static func meters(_ m: Double) -> Self { Self(meters: m) }
  @inlinable public static func kilometers(_ km: Double) -> Self { Self(meters: km * 1_000) }
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.meters < b.meters }
}

@frozen public struct Speed: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var metersPerSecond: Double
  @inlinable public init(metersPerSecond: Double) { self.metersPerSecond = metersPerSecond }
  @inlinable public static func < (a: Self, b: Self) -> Bool {
    a.metersPerSecond < b.metersPerSecond
  }
}

@frozen public struct ByteCount: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var bytes: Int64
  @inlinable public init(bytes: Int64) { self.bytes = bytes }
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.bytes < b.bytes }
}

/// A number per second of scenario time or wall-clock time, as the property that has it defines.
@frozen public struct Rate: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var perSecond: Double
  @inlinable public init(perSecond: Double) { self.perSecond = perSecond }
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.perSecond < b.perSecond }
}
