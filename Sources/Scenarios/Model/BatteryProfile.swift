/// A phone's battery and charger. Charges are shares of the present capacity, 0 ... 1.
package struct BatteryProfile: Equatable, Sendable, BitwiseCopyable {
  package var chargerMilliwatts = 0.0
  package var reserve = 0.0
  package var bootsAt = 0.0
  package var warnsAt = 0.0
  package var lowPowerEndsAt = 0.0
  package var lowPowerSaves = 0.0
}
