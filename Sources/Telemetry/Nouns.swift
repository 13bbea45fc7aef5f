public import SimulationCore

/// One simulated device, 0 ..< fleet size.
@frozen
public struct PhoneID: RawRepresentable, Hashable, Comparable, Codable, Sendable,
  BitwiseCopyable
{
  /// Is the number of the phone in its fleet, from 0.
  public let rawValue: UInt32
  /// Makes the identity of the phone with this number.
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Orders phones by their numbers.
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
  /// Is the coordinate that the app was given, in 1e-6 degrees.
  public var coordinate: Coordinate
  /// Is the fix's own timestamp, from which its age is computed.
  public var time: FixTime
  /// Is the horizontal accuracy in metres; 65,535 stands for that or worse.
  public var accuracyMeters: UInt16
  /// Is the speed in 0.1 m/s; −1: the fix has none.
  public var speedDecimetersPerSecond: Int16
  /// Is the course in whole degrees clockwise from north, 0 ..< 360; −1: the fix has none.
  public var courseDegrees: Int16

  /// Makes a fix from fields that are already in the units in which they travel.
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

  /// Makes a timestamp from hundredths of a second since 1970-01-01T00:00Z.
  @inlinable public init(centiseconds: Int64) { self.centiseconds = centiseconds }
  /// Makes the timestamp of an instant, cut to hundredths of a second.
  @inlinable public init(_ instant: SimInstant) {
    centiseconds = instant.microseconds / 10_000
  }
  /// Whether `instant` is within reach: only such stamps are taken from messages and files of
  /// others.
  @inlinable public var isWithinReach: Bool {
    FixTime(.distantPast) <= self && self <= FixTime(.distantFuture)
  }
  /// Is the timestamp as an instant.
  @inlinable public var instant: SimInstant { SimInstant(microseconds: centiseconds * 10_000) }
  /// Orders timestamps by time.
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.centiseconds < b.centiseconds }
}

/// What names a batch for ever: the phone, its installation and a number that grows by one.
@frozen public struct BatchID: Hashable, Codable, Sendable, BitwiseCopyable {
  /// Is the phone that sent the batch.
  public var phone: PhoneID
  /// The installation: a reinstalled app begins a new epoch.
  public var epoch: UInt32
  /// 1, 2, 3 … within an epoch.
  public var sequence: UInt32

  /// Orders the batches of one phone: by installation, then by number.
  @inlinable public var order: UInt64 { UInt64(epoch) << 32 | UInt64(sequence) }

  /// Makes an identity from the phone, its epoch and the batch's number within it.
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
  /// Is the phone that the push is for.
  public var phone: PhoneID
  /// The scenario instant of the sweep that asked for it.
  public var requestedAt: SimInstant
  /// `apns-expiration`: after this instant the provider gives up.
  public var expiration: SimInstant
  /// Says what it is for, where that is not as the scenario has it.
  public var manner: PushManner

  /// Makes a push from its fields.
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

  /// Makes a push that asks for one position, which the provider stores until the deadline.
  @inlinable public init(onRequest phone: PhoneID, at now: SimInstant, within deadline: SimDuration)
  {
    self.init(
      id: Self.onRequest(phone, second: now.microseconds / 1_000_000), phone: phone,
      requestedAt: now, expiration: now + deadline)
  }

  /// Returns the identity of a push for one position on request.
  ///
  /// Its highest bit is set. A sweep's push has the number of its sweep there, which counts periods
  /// of at least a second since 1970 and reaches that bit in 2038.
  ///
  /// - Parameter second: tells the requests of one phone apart; of it 31 bits count.
  @inlinable public static func onRequest(_ phone: PhoneID, second: Int64) -> UInt64 {
    1 << 63 | UInt64(truncatingIfNeeded: second & 0x7FFF_FFFF) << 32 | UInt64(phone.rawValue)
  }

  /// Is true for the identity of a push that asks for one position and belongs to no sweep.
  @inlinable public static func isOnRequest(_ id: UInt64) -> Bool { id >> 63 == 1 }
}

/// What the app may do with location, as it told the server.
@frozen public enum Authorization: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case notDetermined, denied, whenInUse, always
}
