/// The clock of the simulated world.
@frozen public enum ScenarioTime: Sendable {}

/// The clock of this machine: monotonic, never scaled.
@frozen public enum WallTime: Sendable {}

/// An instant on one timeline, in whole microseconds.
///
/// The timeline is part of the type, so that a deadline (wall) can never be compared with a
/// region exit (scenario). Scenario instants count from 1970-01-01T00:00Z; wall instants count
/// from an arbitrary origin of the machine's monotonic clock.
@frozen public struct TimePoint<Timeline>: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Counts the microseconds since the timeline's origin; negative before it.
  public var microseconds: Int64

  /// Makes an instant from microseconds since the timeline's origin.
  @inlinable public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Is earlier than any instant of a run, and so far from overflow that spans can be added.
  @inlinable public static var distantPast: Self { Self(microseconds: .min / 4) }
  /// Is later than any instant of a run; as a due time it means never.
  @inlinable public static var distantFuture: Self { Self(microseconds: .max / 4) }

  /// Whether the instant lies from `distantPast` to `distantFuture`: only such instants are taken
  /// from messages and files of others.
  @inlinable public var isWithinReach: Bool {
    Self.distantPast <= self && self <= Self.distantFuture
  }

  /// Compares two instants of one timeline; the earlier one is less.
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }
  /// Is the instant that lies a length of time after `a`.
  @inlinable public static func + (a: Self, b: TimeSpan<Timeline>) -> Self {
    Self(microseconds: a.microseconds + b.microseconds)
  }
  /// Is the instant that lies a length of time before `a`.
  @inlinable public static func - (a: Self, b: TimeSpan<Timeline>) -> Self {
    Self(microseconds: a.microseconds - b.microseconds)
  }
  /// Is the length of time from `b` to `a`; negative where `b` is later.
  @inlinable public static func - (a: Self, b: Self) -> TimeSpan<Timeline> {
    TimeSpan(microseconds: a.microseconds - b.microseconds)
  }
  /// Moves an instant on by a length of time.
  @inlinable public static func += (a: inout Self, b: TimeSpan<Timeline>) { a = a + b }
}

/// A length of time on one timeline, in whole microseconds.
@frozen public struct TimeSpan<Timeline>: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Counts the microseconds, which may be negative.
  public var microseconds: Int64

  /// Makes a length of time from microseconds.
  @inlinable public init(microseconds: Int64) { self.microseconds = microseconds }
  /// Rounds to the nearest microsecond.
  @inlinable public init(seconds: Double) {
    microseconds = Int64((seconds * 1_000_000).rounded())
  }

  /// Is no time at all.
  @inlinable public static var zero: Self { Self(microseconds: 0) }
  /// Makes a length of time from whole microseconds.
  @inlinable public static func microseconds(_ n: Int64) -> Self { Self(microseconds: n) }
  /// Makes a length of time from whole milliseconds.
  @inlinable public static func milliseconds(_ n: Int64) -> Self { Self(microseconds: n * 1_000) }
  /// Makes a length of time from whole seconds.
  @inlinable public static func seconds(_ n: Int64) -> Self { Self(microseconds: n * 1_000_000) }
  /// Makes a length of time from whole minutes.
  @inlinable public static func minutes(_ n: Int64) -> Self { Self(microseconds: n * 60_000_000) }
  /// Makes a length of time from whole hours.
  @inlinable public static func hours(_ n: Int64) -> Self { Self(microseconds: n * 3_600_000_000) }

  /// Is the length of time in seconds, fractions included.
  @inlinable public var seconds: Double { Double(microseconds) / 1_000_000 }

  /// Compares two lengths of time; a negative one is less than none.
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }
  /// Is the sum of two lengths of time.
  @inlinable public static func + (a: Self, b: Self) -> Self {
    Self(microseconds: a.microseconds + b.microseconds)
  }
  /// Is the first length of time less the second; it may be negative.
  @inlinable public static func - (a: Self, b: Self) -> Self {
    Self(microseconds: a.microseconds - b.microseconds)
  }
  /// Is `n` times a length of time.
  @inlinable public static func * (a: Self, n: Int64) -> Self {
    Self(microseconds: a.microseconds * n)
  }
  /// Lengthens a time by another.
  @inlinable public static func += (a: inout Self, b: Self) { a = a + b }
}

extension TimePoint: Codable {
  /// Reads an instant as its microseconds.
  public init(from decoder: any Decoder) throws {
    self.init(microseconds: try decoder.singleValueContainer().decode(Int64.self))
  }

  /// Writes the instant as its microseconds.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.singleValueContainer()
    try box.encode(microseconds)
  }
}

extension TimeSpan: Codable {
  /// Reads a length of time as its microseconds.
  public init(from decoder: any Decoder) throws {
    self.init(microseconds: try decoder.singleValueContainer().decode(Int64.self))
  }

  /// Writes the length of time as its microseconds.
  public func encode(to encoder: any Encoder) throws {
    var box = encoder.singleValueContainer()
    try box.encode(microseconds)
  }
}

/// An instant of the simulated world.
public typealias SimInstant = TimePoint<ScenarioTime>
/// A length of simulated time.
public typealias SimDuration = TimeSpan<ScenarioTime>
/// An instant of this machine's monotonic clock.
public typealias WallInstant = TimePoint<WallTime>
/// A length of real time.
public typealias WallDuration = TimeSpan<WallTime>
