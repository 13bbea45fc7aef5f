package import SimulationCore

/// What owners do with their phones' batteries, and how old those are.
package struct BatteryHabits: Equatable, Sendable, BitwiseCopyable {
  /// The least health of a battery, as a share of its capacity when new; phones are spread
  /// evenly from it to 1.
  package var healthLeast = 0.0
  /// The least charge when a phone's history begins, as a share of its capacity; phones are
  /// spread evenly from it to 1.
  package var chargeLeast = 0.0
  package var chargesAtWork = 0.0
  package var chargesInCar = 0.0
  package var chargesWhenLow = 0.0
  package var lowPowerWhenLow = 0.0
  package var screenTime = SimDuration.zero
  package var screenTimeSigma = 0.0
  package var unlocksPerDay = 0.0
  package var restartsPerYear = 0.0
}
