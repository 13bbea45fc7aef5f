package import SimulationCore

/// What owners do with their phones' batteries, and how old those are.
package struct BatteryHabits: Equatable, Sendable, BitwiseCopyable {
  /// The least health of a battery, as a share of its capacity when new; phones are spread
  /// evenly from it to 1.
  package var healthLeast = 0.0
  /// The least charge when a phone's history begins, as a share of its capacity; phones are
  /// spread evenly from it to 1.
  package var chargeLeast = 0.0
  /// The share of owners who plug their phone in at work.
  package var chargesAtWork = 0.0
  /// The share of owners who plug their phone in when they go by car.
  package var chargesInCar = 0.0
  /// The share of stays at home or at work at which a phone that asks for it is plugged in.
  package var chargesWhenLow = 0.0
  /// The share of the phone's warnings at 20 % that its owner answers with Low Power Mode.
  package var lowPowerWhenLow = 0.0
  /// The median over owners of the time a day with the screen on, for all apps.
  package var screenTime = SimDuration.zero
  /// The standard deviation of the logarithm of that time.
  package var screenTimeSigma = 0.0
  /// How often a day an owner unlocks the phone, in the hours in which they are awake.
  package var unlocksPerDay = 0.0
  /// How often a year a phone restarts, besides after it ran empty.
  package var restartsPerYear = 0.0
}
