@frozen public enum ScenarioTime: Sendable {}

/// The clock of this machine: monotonic, never scaled.
@frozen public enum WallTime: Sendable {}

/// An instant in whole microseconds. The timeline is part of the type, so that wall-clock time and
/// scenario time cannot be compared. Scenario instants count from 1970-01-01T00:00Z, wall-clock
/// instants from an arbitrary origin of the machine's monotonic clock.
@frozen public struct TimePoint<Timeline>: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var microseconds: Int64

  @inlinable public init(microseconds: Int64) { self.microseconds = microseconds }

  /// An instant before any of a run, and so far from overflow that spans can be added.
  @inlinable public static var distantPast: Self { Self(microseconds: .min / 4) }
  /// An instant after any of a run; as a due time, it means never.
  @inlinable public static var distantFuture: Self { Self(microseconds: .max / 4) }

  /// Whether the instant is in `distantPast ... distantFuture`, as messages and files require.
  @inlinable public var isWithinReach: Bool {
    Self.distantPast <= self && self <= Self.distantFuture
  }

  @inlinable public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }
  @inlinable public static func + (a: Self, b: TimeSpan<Timeline>) -> Self {
    Self(microseconds: a.microseconds + b.microseconds)
  }
  @inlinable public static func - (a: Self, b: TimeSpan<Timeline>) -> Self {
    Self(microseconds: a.microseconds - b.microseconds)
  }
  @inlinable public static func - (a: Self, b: Self) -> TimeSpan<Timeline> {
    TimeSpan(microseconds: a.microseconds - b.microseconds)
  }
  @inlinable public static func += (a: inout Self, b: TimeSpan<Timeline>) { a = a + b }
}

/// A length of time on one timeline, in whole microseconds.
@frozen public struct TimeSpan<Timeline>: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var microseconds: Int64

  @inlinable public init(microseconds: Int64) { self.microseconds = microseconds }
  /// Rounds to the nearest microsecond.
  @inlinable public init(seconds: Double) {
    microseconds = Int64((seconds * 1_000_000).rounded())
  }

  @inlinable public static var zero: Self { Self(microseconds: 0) }
  @inlinable public static func microseconds(_ n: Int64) -> Self { Self(microseconds: n) }
  @inlinable public static func milliseconds(_ n: Int64) -> Self { Self(microseconds: n * 1_000) }
  @inlinable public static func seconds(_ n: Int64) -> Self { Self(microseconds: n * 1_000_000) }
  @inlinable public static func minutes(_ n: Int64) -> Self { Self(microseconds: n * 60_000_000) }
  @inlinable public static func hours(_ n: Int64) -> Self { Self(microseconds: n * 3_600_000_000) }

  @inlinable public var seconds: Double { Double(microseconds) / 1_000_000 }

  @inlinable public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }
  @inlinable public static func + (a: Self, b: Self) -> Self {
    Self(microseconds: a.microseconds + b.microseconds)
  }
  @inlinable public static func - (a: Self, b: Self) -> Self {
    Self(microseconds: a.microseconds - b.microseconds)
  }
  @inlinable public static func * (a: Self, n: Int64) -> Self {
    Self(microseconds: a.microseconds * n)
  }
  @inlinable public static func += (a: inout Self, b: Self) { a = a + b }
}

extension TimePoint: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(microseconds: try Int64(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws { try microseconds.encode(to: encoder) }
}

extension TimeSpan: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(microseconds: try Int64(from: decoder))
  }

  public func encode(to encoder: any Encoder) throws { try microseconds.encode(to: encoder) }
}

public typealias SimInstant = TimePoint<ScenarioTime>
public typealias SimDuration = TimeSpan<ScenarioTime>
public typealias WallInstant = TimePoint<WallTime>
public typealias WallDuration = TimeSpan<WallTime>
