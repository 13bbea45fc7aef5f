public import SimulationCore

/// One simulated device, 0 ..< fleet size.
@frozen
public struct PhoneID: RawRepresentable, Hashable, Comparable, Codable, Sendable,
  BitwiseCopyable
{
  public let rawValue: UInt32
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// One location delivered to the app, in the units in which it travels, so that what the phone
/// hashed and what the collector decoded are the same integers. 24 bytes.
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

/// A fix's timestamp at the precision in which it travels.
@frozen public struct FixTime: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Hundredths of a second since 1970-01-01T00:00Z.
  public var centiseconds: Int64

  @inlinable public init(centiseconds: Int64) { self.centiseconds = centiseconds }
  @inlinable public init(_ instant: SimInstant) {
    centiseconds = instant.microseconds / 10_000
  }
  @inlinable public var instant: SimInstant { SimInstant(microseconds: centiseconds * 10_000) }
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.centiseconds < b.centiseconds }
}

/// What names a batch for ever: the phone, its installation and a number that grows by one.
@frozen public struct BatchID: Hashable, Codable, Sendable, BitwiseCopyable {
  public var phone: PhoneID
  /// The installation: a reinstalled app begins a new epoch.
  public var epoch: UInt32
  /// 1, 2, 3 … within an epoch.
  public var sequence: UInt32

  @inlinable public init(phone: PhoneID, epoch: UInt32, sequence: UInt32) {
    self.phone = phone
    self.epoch = epoch
    self.sequence = sequence
  }
}

/// A silent push on its way from the server to a phone.
@frozen public struct SilentPush: Hashable, Sendable, BitwiseCopyable {
  /// Unique within a run: sweep number and phone.
  public var id: UInt64
  public var phone: PhoneID
  /// The scenario instant of the sweep that asked for it.
  public var requestedAt: SimInstant
  /// `apns-expiration`: after this instant the provider gives up.
  public var expiration: SimInstant

  @inlinable public init(
    id: UInt64, phone: PhoneID, requestedAt: SimInstant, expiration: SimInstant
  ) {
    self.id = id
    self.phone = phone
    self.requestedAt = requestedAt
    self.expiration = expiration
  }
}

/// What the app may do with location, as it told the server.
@frozen public enum Authorization: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case notDetermined, denied, whenInUse, always
}
