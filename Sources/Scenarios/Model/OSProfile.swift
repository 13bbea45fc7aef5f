package import SimulationCore

/// The operating system of a cohort's phones: its rules, and how its location services behave. Read
/// from `scenarios/profiles/os/NAME.yaml`.
package struct OSProfile: Equatable, Sendable, BitwiseCopyable {
  /// Is the system with the rules that are its own.
  package var system: PhoneSystem
  /// Says how the significant-change service behaves; a cohort may replace it.
  package var significantChange: SignificantChangeProfile
  /// Says how region monitoring behaves.
  package var regions = RegionProfile.standard
  /// Says how visit monitoring behaves.
  package var visits = VisitProfile.standard
  /// Says how long the standard service takes to its first fix.
  package var firstFix = FirstFixProfile.standard
  /// Says how late and how reliably the motion coprocessor reports an activity.
  package var motion = MotionProfile.standard
  /// Says when the system sends what an app has handed to a background URLSession.
  package var backgroundSession = BackgroundSessionProfile.standard
}

/// How the significant-change service of a phone behaves (rule book 2.1), read from
/// `scenarios/profiles/significant-change/NAME.yaml`.
package struct SignificantChangeProfile: Equatable, Sendable, BitwiseCopyable {
  /// The trigger distance is log-normal with this median and σ (of the logarithm) …
  package var triggerMedian: Distance
  /// Is the σ of the trigger distance, of its logarithm.
  package var triggerSigma: Double
  /// … and never below this (SL1, C9).
  package var triggerFloor: Distance
  /// Exponential latency after the trigger (SL2, C3).
  package var latencyMean: SimDuration
  /// Never two within this (SL3).
  package var gapMin: SimDuration
  /// Changes of cell without movement, events an hour (SL4).
  package var spuriousPerHour: Double
  /// A wake without movement every this long; nil: none (rule book section 8).
  package var unmovedEvery: SimDuration?
  /// Age of the cached location that starting the service brings: log-normal (SL5).
  package var cachedAgeMedian: SimDuration
  /// Is the σ of the cached location's age, of its logarithm.
  package var cachedAgeSigma: Double
  /// Is the greatest age of the cached location.
  package var cachedAgeMax: SimDuration
  /// Is the share of the changes after which the system scans for Wi-Fi before it reports; the
  /// others bring the cell's position (SL10).
  package var wifiShare: Double
  /// Without a SIM no cell changes, and Wi-Fi alone notices a movement so many times as late (NO5).
  package var withoutCells: Double
  /// Between two Wi-Fi scans of the service, in a vehicle and otherwise (SF3).
  package var scanEveryInVehicle: SimDuration
  /// Is the time between two Wi-Fi scans of the service outside a vehicle (SF3).
  package var scanEvery: SimDuration
}
