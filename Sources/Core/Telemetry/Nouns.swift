/// The number of one simulated device, 0 ..< fleet size.
@frozen
public struct PhoneID: RawRepresentable, Hashable, Comparable, Codable, Sendable,
  BitwiseCopyable
{
  public let rawValue: UInt32
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// One location delivered to the app. The values are in wire units, so that phone and collector
/// hash the same integers. A fix takes 24 bytes.
///
/// | field | unit | absent |
/// |---|---|---|
/// | time | 10 ms since 1970 | – |
/// | coordinate | 1e-6 degree | – |
/// | accuracy | metres, horizontal, saturating at 65,535 | – |
/// | speed | 0.1 m/s | -1 |
/// | course | whole degrees clockwise from north, 0 ..< 360 | -1 |
@frozen public struct Fix: Hashable, Sendable, BitwiseCopyable {
  public var coordinate: Coordinate
  public var time: FixTime
  public var accuracyMeters: UInt16
  public var speedDecimetersPerSecond: Int16
  public var courseDegrees: Int16

  @inlinable public init(
    coordinate: Coordinate, time: FixTime, accuracyMeters: UInt16,
    speedDecimetersPerSecond: Int16, courseDegrees: Int16
  ) {
    self.coordinate = coordinate
    self.time = time
    self.accuracyMeters = accuracyMeters
    self.speedDecimetersPerSecond = speedDecimetersPerSecond
    self.courseDegrees = courseDegrees
  }
}

extension Fix {
  /// The accuracy of a fix from a log that does not have it.
  public static var unknownAccuracy: UInt16 { .max }
}

@frozen public struct FixTime: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Hundredths of a second since 1970-01-01T00:00Z.
  public var centiseconds: Int64

  @inlinable public init(centiseconds: Int64) { self.centiseconds = centiseconds }
  /// Truncates to hundredths of a second.
  @inlinable public init(_ instant: SimInstant) {
    centiseconds = instant.microseconds / 10_000
  }
  /// Whether `instant` is representable. Fixes with other times are rejected.
  @inlinable public var isWithinReach: Bool {
    FixTime(.distantPast) <= self && self <= FixTime(.distantFuture)
  }
  @inlinable public var instant: SimInstant { SimInstant(microseconds: centiseconds * 10_000) }
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.centiseconds < b.centiseconds }
}

/// The permanent name of a batch: the phone, its installation and a number that grows by one.
@frozen public struct BatchID: Hashable, Codable, Sendable, BitwiseCopyable {
  public var phone: PhoneID
  public var epoch: UInt32
  public var sequence: UInt32

  /// Orders the batches of one phone: by installation, then by number.
  @inlinable public var order: UInt64 { UInt64(epoch) << 32 | UInt64(sequence) }

  @inlinable public init(phone: PhoneID, epoch: UInt32, sequence: UInt32) {
    self.phone = phone
    self.epoch = epoch
    self.sequence = sequence
  }
}

@frozen public struct SilentPush: Hashable, Sendable, BitwiseCopyable {
  /// The sweep's number and the phone, unique within a run.
  public var id: UInt64
  public var phone: PhoneID
  /// The scenario instant of the sweep that requested the push.
  public var requestedAt: SimInstant
  /// `apns-expiration`: after this instant the provider gives up.
  public var expiration: SimInstant
  public var manner: PushManner

  @inlinable public init(
    id: UInt64, phone: PhoneID, requestedAt: SimInstant, expiration: SimInstant,
    manner: PushManner = .ofScenario
  ) {
    self.manner = manner
    self.id = id
    self.phone = phone
    self.requestedAt = requestedAt
    self.expiration = expiration
  }

  /// Creates a push for one position, which the provider stores until the deadline.
  @inlinable public init(onRequest phone: PhoneID, at now: SimInstant, within deadline: SimDuration)
  {
    self.init(
      id: Self.onRequest(phone, second: now.microseconds / 1_000_000), phone: phone,
      requestedAt: now, expiration: now + deadline)
  }

  /// Returns the id of a push for one position on request. The highest bit marks such an id, and no
  /// sweep's number reaches that bit before 2038. The id has the low 31 bits of `second`.
  @inlinable public static func onRequest(_ phone: PhoneID, second: Int64) -> UInt64 {
    1 << 63 | UInt64(truncatingIfNeeded: second & 0x7FFF_FFFF) << 32 | UInt64(phone.rawValue)
  }

  /// Whether the push asks for one position and belongs to no sweep.
  @inlinable public static func isOnRequest(_ id: UInt64) -> Bool { id >> 63 == 1 }
}

@frozen public enum Authorization: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case notDetermined, denied, whenInUse, always
}
