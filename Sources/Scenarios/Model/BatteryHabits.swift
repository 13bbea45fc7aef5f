package import Core

package struct BatteryHabits: Equatable, Sendable, BitwiseCopyable {
  /// The minimum battery health as a share of new capacity; health is uniform up to 1.
  package var healthLeast = 0.0
  /// The minimum charge at the start of a phone's history, 0 ... 1; charge is uniform up to 1.
  package var chargeLeast = 0.0
  package var chargesAtWork = 0.0
  package var chargesInCar = 0.0
  package var chargesWhenLow = 0.0
  package var lowPowerWhenLow = 0.0
  /// The share of phones that turn on Low Power Mode by themselves at the warning (BT12).
  package var adaptivePower = 0.0
  package var screenTime = SimDuration.zero
  package var screenTimeSigma = 0.0
  /// The mean share of screen time in games and the camera; an owner has up to twice this share.
  package var demanding = 0.0
  package var unlocksPerDay = 0.0
  package var restartsPerYear = 0.0
}
