internal import Core
package import Scenarios

package enum EnergyComponent: String, CaseIterable, Sendable, BitwiseCopyable {
  case satellites, scans, coarse, callbacks, wakes, cellular, wifi, motion, screen, idle
}

/// Energy in microjoules by component, stored inline, since each change of the draw makes a bill.
package struct EnergyBill: Equatable, Sendable, BitwiseCopyable {
  package static let capacity = 10
  private var amounts = InlineArray<10, Int64>(repeating: 0)

  package init() {}

  package subscript(component: EnergyComponent) -> Int64 {
    get { amounts[Self.place(component)] }
    set { amounts[Self.place(component)] = newValue }
  }

  private static func place(_ component: EnergyComponent) -> Int {
    switch component {
    case .satellites: 0
    case .scans: 1
    case .coarse: 2
    case .callbacks: 3
    case .wakes: 4
    case .cellular: 5
    case .wifi: 6
    case .motion: 7
    case .screen: 8
    case .idle: 9
    }
  }

  /// BT6: Returns the app's share (0 to 1) of the phone's energy, with `others` in microjoules.
  package func screenShare(others: Int64) -> Double {
    let whole = total + others
    return whole > 0 ? Double(app) / Double(whole) : 0
  }

  package var total: Int64 { app + self[.idle] }
  package var tracking: Int64 {
    self[.satellites] + self[.scans] + self[.coarse] + self[.callbacks] + self[.wakes]
      + transmission + self[.motion]
  }
  /// The energy that the system's battery screen attributes to the app: that of the tracker, and
  /// that of the display while the app is in the foreground.
  package var app: Int64 { tracking + self[.screen] }
  package var transmission: Int64 { self[.cellular] + self[.wifi] }

  package static func += (a: inout Self, b: Self) {
    for place in a.amounts.indices { a.amounts[place] += b.amounts[place] }
  }

  package static func == (a: Self, b: Self) -> Bool {
    a.amounts.indices.allSatisfy { a.amounts[$0] == b.amounts[$0] }
  }
}

/// An energy profile in whole microwatts and microjoules, so that rounding does not depend on the
/// order in which a meter was filled.
package struct EnergyPrices: Equatable, Sendable, BitwiseCopyable {
  package let profile: EnergyProfile
  private let idle, screen, callbacks, filteredCallbacks, satellites, coarse, motion, search: Int64
  /// The power of satellites and of Wi-Fi scans at a requested accuracy of 100 m, in microwatts.
  private let hundredMeterSatellites, hundredMeterScans: Int64
  private let scan, wake, fix: Int64
  private let cellular, newRadio, wifi: RadioPrices

  package init(_ profile: EnergyProfile) {
    self.profile = profile
    func micro(_ milli: Double) -> Int64 { Int64((milli * 1_000).rounded()) }
    idle = micro(profile.idleMilliwatts)
    screen = micro(profile.screenMilliwatts)
    callbacks = micro(profile.callbacksMilliwatts)
    filteredCallbacks = micro(profile.filteredCallbacksMilliwatts)
    satellites = micro(profile.satelliteMilliwatts)
    coarse = micro(profile.coarseMilliwatts)
    motion = micro(profile.motionMilliwatts)
    search = micro(profile.searchMilliwatts)
    hundredMeterSatellites = micro(
      profile.satelliteMilliwatts * profile.hundredMeterSatelliteShare)
    hundredMeterScans = micro(profile.wifiScanMillijoules / profile.hundredMeterScanSeconds)
    scan = micro(profile.wifiScanMillijoules)
    wake = micro(profile.wakeMillijoules)
    fix = micro(profile.fixMillijoules)
    let connection = micro(profile.connection.millijoules)
    cellular = RadioPrices(profile.cellular, connection: connection)
    newRadio = RadioPrices(profile.newRadio, connection: connection)
    wifi = RadioPrices(profile.wifi, connection: connection)
  }

  package var batteryJoules: Double { profile.batteryWattHours * 3_600 }

  package func microwatts(_ draw: EnergyDraw) -> Int64 {
    var second = EnergyMeter()
    second.add(draw, for: .seconds(1))
    return bill(second).total
  }

  package func bill(_ meter: EnergyMeter) -> EnergyBill {
    var bill = EnergyBill()
    bill[.idle] = Self.energy(meter.idle, idle) + Self.energy(meter.search, search)
    bill[.screen] = Self.energy(meter.screen, screen)
    bill[.callbacks] =
      Self.energy(meter.callbacks, callbacks)
      + Self.energy(meter.filteredCallbacks, filteredCallbacks) + meter.fixes * fix
    bill[.satellites] =
      Self.energy(meter.satellites, satellites)
      + Self.energy(meter.hundredMeters, hundredMeterSatellites)
    bill[.coarse] = Self.energy(meter.coarse, coarse)
    bill[.motion] = Self.energy(meter.motion, motion)
    bill[.scans] = meter.scans * scan + Self.energy(meter.hundredMeters, hundredMeterScans)
    bill[.wakes] = meter.wakes * wake
    bill[.cellular] =
      cellular.microjoules(meter.cellular) + newRadio.microjoules(meter.newRadio)
    bill[.wifi] = wifi.microjoules(meter.wifi)
    return bill
  }

  /// Returns microjoules. Multiplies whole seconds separately, since the product of a fleet's
  /// microseconds and microwatts exceeds 64 bits.
  fileprivate static func energy(_ microseconds: Int64, _ microwatts: Int64) -> Int64 {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return seconds * microwatts + rest * microwatts / 1_000_000
  }
}

private struct RadioPrices: Equatable, Sendable, BitwiseCopyable {
  /// `promotion`, `tail` and `sending` are in microwatts; `send` and `connection` in microjoules.
  let promotion, tail, sending, send, connection: Int64

  init(_ radio: RadioProfile, connection: Int64) {
    promotion = Int64((radio.promotionMilliwatts * 1_000).rounded())
    tail = Int64((radio.tailMilliwatts * 1_000).rounded())
    let power = radio.baseMilliwatts + radio.perMegabitUpMilliwatts * radio.megabitsPerSecondUp
    sending = Int64((power * 1_000).rounded())
    send = Int64((radio.sendMillijoules * 1_000).rounded())
    self.connection = connection
  }

  @inline(__always) func microjoules(_ use: RadioUse) -> Int64 {
    if use.sends | use.connections | use.promotion | use.tail | use.airtime == 0 { return 0 }
    return EnergyPrices.energy(use.promotion, promotion) + EnergyPrices.energy(use.tail, tail)
      + EnergyPrices.energy(use.airtime, sending) + use.sends * send
      + use.connections * connection
  }
}
