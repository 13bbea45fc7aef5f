package import SimulationCore

/// What owners do with their phones' batteries, and how old those are.
package struct BatteryHabits: Equatable, Sendable, BitwiseCopyable {
  /// Is the least health of a battery, as a share of its capacity when new; phones are spread
  /// evenly from it to 1.
  package var healthLeast: Double
  /// Is the least charge when a phone's history begins, as a share of its capacity; phones are
  /// spread evenly from it to 1.
  package var chargeLeast: Double
  /// Is the share of owners who plug their phone in at work.
  package var chargesAtWork: Double
  /// Is the share of owners who plug their phone in when they go by car.
  package var chargesInCar: Double
  /// Is the share of stays at home or at work at which a phone that asks for it is plugged in.
  package var chargesWhenLow: Double
  /// Is the share of the phone's warnings at 20 % that its owner answers with Low Power Mode.
  package var lowPowerWhenLow: Double
  /// Is the median over owners of the time a day with the screen on, for all apps.
  package var screenTime: SimDuration
  /// Is the standard deviation of the logarithm of that time.
  package var screenTimeSigma: Double
  /// Is how often a day an owner unlocks the phone, in the hours in which they are awake.
  package var unlocksPerDay: Double
  /// Is how often a year a phone restarts, besides after it ran empty.
  package var restartsPerYear = 0.0
}
