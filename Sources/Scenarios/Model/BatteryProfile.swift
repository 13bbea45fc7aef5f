/// A phone's battery and charger, and what its system does at which charge.
///
/// Charges are shares of the battery's present capacity, 0 ... 1.
package struct BatteryProfile: Equatable, Sendable, BitwiseCopyable {
  /// The power that a charger puts into the battery, in milliwatts: the mean from empty to full.
  package var chargerMilliwatts = 0.0
  /// What remains in a phone that has switched itself off, of which its system shows nothing.
  package var reserve = 0.0
  /// The charge at which an empty phone on a charger switches itself on.
  package var bootsAt = 0.0
  /// The charge at which the system warns and offers Low Power Mode.
  package var warnsAt = 0.0
  /// The charge at which a phone on a charger leaves Low Power Mode.
  package var lowPowerEndsAt = 0.0
  /// The part of the use by screen and other apps that Low Power Mode saves.
  package var lowPowerSaves = 0.0
}
