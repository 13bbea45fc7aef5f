package import Scenarios
package import SimulationCore

/// Parts of a phone that draw power for as long as they are on.
package struct EnergyDraw: OptionSet, Equatable, Sendable, BitwiseCopyable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The phone itself, connected.
  package static let idle = EnergyDraw(rawValue: 1)
  /// The owner looks at the app.
  package static let screen = EnergyDraw(rawValue: 2)
  /// The app runs in the background, or hears locations in the foreground.
  package static let callbacks = EnergyDraw(rawValue: 4)
  /// The same behind a distance filter (AC4).
  package static let filteredCallbacks = EnergyDraw(rawValue: 8)
  package static let satellites = EnergyDraw(rawValue: 16)
  /// An accuracy of 100 m: Wi-Fi scans, and satellites now and then.
  package static let hundredMeters = EnergyDraw(rawValue: 32)
  package static let coarse = EnergyDraw(rawValue: 64)
  package static let motion = EnergyDraw(rawValue: 128)

  /// AC1: what is asked for decides, not what the surroundings let through: satellites that are
  /// looked for in vain cost as much as those that are found.
  package static func positioning(_ accuracy: DesiredAccuracy) -> EnergyDraw {
    switch accuracy {
    case .best, .tenMeters: .satellites
    case .hundredMeters: .hundredMeters
    case .kilometer, .threeKilometers: .coarse
    }
  }
}

/// What was used up, before it is priced: microseconds of each draw, and events counted.
///
/// Whole numbers of things that add, so that a sum is exact in any order and however time is cut;
/// power comes in once, at the end (`EnergyPrices`).
package struct EnergyMeter: Codable, Equatable, Sendable, BitwiseCopyable {
  /// Microseconds.
  package var idle: Int64 = 0
  package var screen: Int64 = 0
  package var callbacks: Int64 = 0
  package var filteredCallbacks: Int64 = 0
  package var satellites: Int64 = 0
  package var hundredMeters: Int64 = 0
  package var coarse: Int64 = 0
  package var motion: Int64 = 0
  /// Events.
  package var scans: Int64 = 0
  package var wakes: Int64 = 0
  package var cellular = RadioUse()
  package var wifi = RadioUse()

  package init() {}

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

/// What a radio did for the app's sends.
package struct RadioUse: Codable, Equatable, Sendable, BitwiseCopyable {
  package var sends: Int64 = 0
  /// Sends that found the radio asleep.
  package var promotions: Int64 = 0
  /// Microseconds in which it stayed awake after a send, and would have slept without it.
  package var tail: Int64 = 0
  package var bytes: Int64 = 0

  package init() {}

  /// One send of `bytes`; sends that begin within a running tail pay only for its extension.
  ///
  /// - Parameter tailUntil: when the radio falls asleep; moved by the send.
  package init(
    sending bytes: Int, at now: SimInstant, over radio: RadioProfile, tailUntil: inout SimInstant
  ) {
    let tail = SimDuration(seconds: radio.tailSeconds)
    let transfer = SimDuration(
      microseconds: Int64(Double(bytes) * 8 / radio.megabitsPerSecondUp))
    sends = 1
    self.bytes = Int64(bytes)
    if now < tailUntil {
      // The transfer stands in for a part of the tail that is paid already.
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
