package import Core
package import Scenarios

package struct EnergyDraw: OptionSet, Equatable, Sendable, BitwiseCopyable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

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
  /// BT9: The phone searches for a better cell.
  package static let search = EnergyDraw(rawValue: 256)

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
  /// The time with a weak cellular signal, in microseconds.
  package var search: Int64 = 0
  package var scans: Int64 = 0
  package var wakes: Int64 = 0
  /// The number of fixes that the app has kept.
  package var fixes: Int64 = 0
  package var cellular = RadioUse()
  package var newRadio = RadioUse()
  package var wifi = RadioUse()

  package init() {}

  package init(_ draw: EnergyDraw, for time: SimDuration, scans: Int64, fixes: Int64) {
    add(draw, for: time)
    self.scans = scans
    self.fixes = fixes
  }

  package init(_ use: RadioUse, over radio: DataRadio) {
    switch radio {
    case .cellular: cellular = use
    case .newRadio: newRadio = use
    case .wifi: wifi = use
    }
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
    if draw.contains(.search) { search += time }
  }

  package var negated: EnergyMeter {
    var meter = EnergyMeter()
    (meter.idle, meter.screen, meter.callbacks) = (-idle, -screen, -callbacks)
    (meter.filteredCallbacks, meter.satellites) = (-filteredCallbacks, -satellites)
    (meter.hundredMeters, meter.coarse, meter.motion) = (-hundredMeters, -coarse, -motion)
    (meter.search, meter.scans, meter.wakes, meter.fixes) = (-search, -scans, -wakes, -fixes)
    (meter.cellular, meter.newRadio) = (cellular.negated, newRadio.negated)
    meter.wifi = wifi.negated
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
    a.search += b.search
    a.scans += b.scans
    a.wakes += b.wakes
    a.fixes += b.fixes
    a.cellular += b.cellular
    a.newRadio += b.newRadio
    a.wifi += b.wifi
  }
}

package enum DataRadio: UInt8, Sendable, BitwiseCopyable {
  case cellular, newRadio, wifi
}

/// The data path of a stay or trip, and its cells.
package struct Link: OptionSet, Sendable, BitwiseCopyable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let wifi = Link(rawValue: 1)
  /// BT9: The cellular signal is weak.
  package static let weakSignal = Link(rawValue: 2)
  /// BT10: 5G is available to phones with a 5G radio.
  package static let newRadio = Link(rawValue: 4)
}

package struct RadioUse: Codable, Equatable, Sendable, BitwiseCopyable {
  package var sends: Int64 = 0
  /// The number of new connections (BT11).
  package var connections: Int64 = 0
  /// The time of the radio's promotions from idle to connected, in microseconds.
  package var promotion: Int64 = 0
  /// The time in microseconds for which sends kept the radio awake after their transfers.
  package var tail: Int64 = 0
  /// The time of sending, handshakes included, in microseconds.
  package var airtime: Int64 = 0

  var negated: RadioUse {
    var use = RadioUse()
    (use.sends, use.connections, use.promotion) = (-sends, -connections, -promotion)
    (use.tail, use.airtime) = (-tail, -airtime)
    return use
  }

  package init() {}

  /// Creates the use of one send. A send within the tail of the previous send adds only the
  /// extension of the tail.
  ///
  /// - Parameter factor: the factor on the times of promotion, handshake and transfer (BT9).
  /// - Parameter handshake: the seconds of a new connection's handshakes; nil if one is open.
  package init(
    sending bytes: Int, at now: SimInstant, over radio: RadioProfile, slowed factor: Double = 1,
    handshake: Double? = nil, tailUntil: inout SimInstant
  ) {
    let tail = SimDuration(seconds: radio.tailSeconds)
    let sending = Double(bytes) * 8 / radio.megabitsPerSecondUp + (handshake ?? 0) * 1_000_000
    let transfer = SimDuration(microseconds: Int64(factor * sending))
    sends = 1
    connections = handshake == nil ? 0 : 1
    airtime = transfer.microseconds
    if now < tailUntil {
      // The transfer is priced as airtime, so its time is not counted as tail.
      self.tail = max(0, (now + tail - tailUntil).microseconds)
      tailUntil = max(tailUntil, now + transfer + tail)
    } else {
      let promotion = SimDuration(seconds: factor * radio.promotionSeconds)
      self.promotion = promotion.microseconds
      self.tail = tail.microseconds
      tailUntil = now + promotion + transfer + tail
    }
  }

  package static func += (a: inout Self, b: Self) {
    a.sends += b.sends
    a.connections += b.connections
    a.promotion += b.promotion
    a.tail += b.tail
    a.airtime += b.airtime
  }
}

package struct EnergyAccount: Sendable, BitwiseCopyable {
  package var tailUntil = SimInstant.distantPast
  /// The energy that the tracker used since `begin`, in microjoules. `tracking` includes
  /// `transmission`, the energy of sends.
  package private(set) var tracking: Int64 = 0
  package private(set) var transmission: Int64 = 0
  /// The number of fixes kept since the meter was last read (BT11).
  package var fixes: UInt32 = 0

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

  /// - Parameter connects: whether the send needs a new connection (BT11).
  package mutating func send(
    bytes: Int, over radio: DataRadio, isWeak: Bool, connects: Bool, _ profile: EnergyProfile,
    now: SimInstant
  ) -> RadioUse {
    let handshake = connects ? profile.connection.seconds : nil
    let cells: RadioProfile
    switch radio {
    case .cellular: cells = profile.cellular
    case .newRadio: cells = profile.newRadio
    case .wifi:
      // Assumes that the tail of a send over Wi-Fi ends before the next send begins.
      var tail = SimInstant.distantPast
      return RadioUse(
        sending: bytes, at: now, over: profile.wifi, handshake: handshake, tailUntil: &tail)
    }
    return RadioUse(
      sending: bytes, at: now, over: cells, slowed: isWeak ? profile.weakSignalFactor : 1,
      handshake: handshake, tailUntil: &tailUntil)
  }
}
