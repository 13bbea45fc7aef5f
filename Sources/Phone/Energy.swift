/// Where a phone's energy goes, in whole microjoules, so that sums are exact in any order.
///
/// Powers and energies of the modern profile (12.41 Wh battery; rule book section 3).
package struct EnergyMeter: Sendable, BitwiseCopyable, Equatable {
  package var positioning: Int64 = 0
  package var wakes: Int64 = 0
  package var cellular: Int64 = 0
  package var wifi: Int64 = 0

  /// Satellites 150 mW, and 40 mW for the app that hears a callback each second.
  package static let satelliteMicrojoulesPerSecond: Int64 = 190_000
  package static let wifiScanMicrojoules: Int64 = 300_000
  package static let wakeMicrojoules: Int64 = 1_000_000
  /// A lone LTE send: promotion 0.26 s at 1.21 W, then a tail of 10 s at 0.5 W.
  package static let cellularSendMicrojoules: Int64 = 5_315_000
  package static let wifiSendMicrojoules: Int64 = 300_000
  package static let batteryJoules = 12.41 * 3_600

  package init() {}

  package var totalMicrojoules: Int64 { positioning + wakes + cellular + wifi }

  package static func += (a: inout Self, b: Self) {
    a.positioning += b.positioning
    a.wakes += b.wakes
    a.cellular += b.cellular
    a.wifi += b.wifi
  }
}
