package import Core
package import Scenarios

package struct EnergyDraw: OptionSet, Equatable, Sendable, BitwiseCopyable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let idle = EnergyDraw(rawValue: 1)
  package static let screen = EnergyDraw(rawValue: 2)
  package static let callbacks = EnergyDraw(rawValue: 4)
  /// The draw of callbacks while a distance filter is set (AC4).
  package static let filteredCallbacks = EnergyDraw(rawValue: 8)
  /// The draw of the satellite receiver, for a requested accuracy of 10 m or better.
  package static let satellites = EnergyDraw(rawValue: 16)
  /// The draw at a requested accuracy of 100 m: Wi-Fi scans and, occasionally, satellites.
  package static let hundredMeters = EnergyDraw(rawValue: 32)
  package static let coarse = EnergyDraw(rawValue: 64)
  package static let motion = EnergyDraw(rawValue: 128)

  /// AC1: Returns the draw for a requested accuracy. The surroundings have no effect, because a
  /// vain search for satellites costs as much as a successful one.
  package static func positioning(_ accuracy: DesiredAccuracy) -> EnergyDraw {
    switch accuracy {
    case .best, .tenMeters: .satellites
    case .hundredMeters: .hundredMeters
    case .kilometer, .threeKilometers: .coarse
    }
  }
}

/// The energy use of a phone as microseconds of each draw and as counts, which `EnergyPrices`
/// converts to microjoules. All numbers are integers, so that a sum is exact in any order.
package struct EnergyMeter: Codable, Equatable, Sendable, BitwiseCopyable {
  /// The time with the phone switched on, in microseconds.
  package var idle: Int64 = 0
  /// The time with the owner using the app, in microseconds.
  package var screen: Int64 = 0
  /// The time with the app running in the background or receiving locations in the foreground, in
  /// microseconds.
  package var callbacks: Int64 = 0
  /// The running time with a distance filter set (AC4), in microseconds; not part of `callbacks`.
  package var filteredCallbacks: Int64 = 0
  /// The time with the satellite receiver on, in microseconds.
  package var satellites: Int64 = 0
  /// The time at a requested accuracy of 100 m, in microseconds.
  package var hundredMeters: Int64 = 0
  /// The time at a requested accuracy of 1 km or 3 km, in microseconds.
  package var coarse: Int64 = 0
  /// The time with motion activity updates on, in microseconds.
  package var motion: Int64 = 0
  package var scans: Int64 = 0
  package var wakes: Int64 = 0
  package var cellular = RadioUse()
  package var wifi = RadioUse()

  package init() {}

  package init(_ draw: EnergyDraw, for time: SimDuration, scans: Int64) {
    add(draw, for: time)
    self.scans = scans
  }

  package init(_ use: RadioUse, wifi: Bool) {
    if wifi { self.wifi = use } else { cellular = use }
  }

  package static var scan: EnergyMeter {
    var use = EnergyMeter()
    use.scans = 1
    return use
  }

  package static var wake: EnergyMeter {
    var use = EnergyMeter()
    use.wakes = 1
    return use
  }

  package mutating func add(_ draw: EnergyDraw, for time: SimDuration) {
    let time = time.microseconds
    if draw.contains(.idle) { idle += time }
    if draw.contains(.screen) { screen += time }
    if draw.contains(.callbacks) { callbacks += time }
    if draw.contains(.filteredCallbacks) { filteredCallbacks += time }
    if draw.contains(.satellites) { satellites += time }
    if draw.contains(.hundredMeters) { hundredMeters += time }
    if draw.contains(.coarse) { coarse += time }
    if draw.contains(.motion) { motion += time }
  }

  package var negated: EnergyMeter {
    var meter = EnergyMeter()
    (meter.idle, meter.screen, meter.callbacks) = (-idle, -screen, -callbacks)
    (meter.filteredCallbacks, meter.satellites) = (-filteredCallbacks, -satellites)
    (meter.hundredMeters, meter.coarse, meter.motion) = (-hundredMeters, -coarse, -motion)
    (meter.scans, meter.wakes) = (-scans, -wakes)
    (meter.cellular, meter.wifi) = (cellular.negated, wifi.negated)
    return meter
  }

  package static func += (a: inout Self, b: Self) {
    a.idle += b.idle
    a.screen += b.screen
    a.callbacks += b.callbacks
    a.filteredCallbacks += b.filteredCallbacks
    a.satellites += b.satellites
    a.hundredMeters += b.hundredMeters
    a.coarse += b.coarse
    a.motion += b.motion
    a.scans += b.scans
    a.wakes += b.wakes
    a.cellular += b.cellular
    a.wifi += b.wifi
  }
}

package struct RadioUse: Codable, Equatable, Sendable, BitwiseCopyable {
  package var sends: Int64 = 0
  package var promotions: Int64 = 0
  /// The time in microseconds for which sends kept the radio awake after their transfers.
  package var tail: Int64 = 0
  package var bytes: Int64 = 0

  var negated: RadioUse {
    var use = RadioUse()
    (use.sends, use.promotions, use.tail, use.bytes) = (-sends, -promotions, -tail, -bytes)
    return use
  }

  package init() {}

  /// Creates the use of one send. A send within the tail of the previous send adds only the
  /// extension of the tail.
  package init(
    sending bytes: Int, at now: SimInstant, over radio: RadioProfile, tailUntil: inout SimInstant
  ) {
    let tail = SimDuration(seconds: radio.tailSeconds)
    let transfer = SimDuration(
      microseconds: Int64(Double(bytes) * 8 / radio.megabitsPerSecondUp))
    sends = 1
    self.bytes = Int64(bytes)
    if now < tailUntil {
      // The transfer is priced by its bytes, so its time is not counted as tail.
      self.tail = max(0, (now + tail - tailUntil).microseconds)
      tailUntil = max(tailUntil, now + transfer + tail)
    } else {
      promotions = 1
      self.tail = tail.microseconds
      tailUntil = now + SimDuration(seconds: radio.promotionSeconds) + transfer + tail
    }
  }

  package static func += (a: inout Self, b: Self) {
    a.sends += b.sends
    a.promotions += b.promotions
    a.tail += b.tail
    a.bytes += b.bytes
  }
}

package struct EnergyAccount: Sendable, BitwiseCopyable {
  package var tailUntil = SimInstant.distantPast
  /// The energy that the tracker used since `begin`, in microjoules. `tracking` includes
  /// `transmission`, the energy of sends.
  package private(set) var tracking: Int64 = 0
  package private(set) var transmission: Int64 = 0

  package mutating func begin() {
    tracking = 0
    transmission = 0
  }

  package mutating func leaveOut(_ other: EnergyAccount) {
    tracking -= other.tracking
    transmission -= other.transmission
  }

  package mutating func add(_ bill: EnergyBill) {
    tracking += bill.tracking
    transmission += bill.transmission
  }

  package mutating func send(
    bytes: Int, wifi: Bool, over profile: EnergyProfile, now: SimInstant
  ) -> RadioUse {
    guard wifi else {
      return RadioUse(sending: bytes, at: now, over: profile.cellular, tailUntil: &tailUntil)
    }
    // Assumes that on Wi-Fi the tail of one exchange ends before the next exchange begins.
    var tail = SimInstant.distantPast
    return RadioUse(sending: bytes, at: now, over: profile.wifi, tailUntil: &tail)
  }
}
