package import SimulationCore

/// The operating system of a cohort's phones: its rules, and how its location services behave. Read
/// from `scenarios/profiles/os/NAME.yaml`.
package struct OSProfile: Equatable, Sendable, BitwiseCopyable {
  /// The system with the rules that are its own.
  package var system = PhoneSystem.blank
  /// How the significant-change service behaves; a cohort may replace it.
  package var significantChange = SignificantChangeProfile()
  /// How region monitoring behaves.
  package var regions = RegionProfile()
  /// How visit monitoring behaves.
  package var visits = VisitProfile()
  /// How long the standard service takes to its first fix.
  package var firstFix = FirstFixProfile()
  /// How late and how reliably the motion coprocessor reports an activity.
  package var motion = MotionProfile()
  /// When the system sends what an app has handed to a background URLSession.
  package var backgroundSession = BackgroundSessionProfile()
}

/// How the significant-change service of a phone behaves (rule book 2.1), read from
/// `scenarios/profiles/significant-change/NAME.yaml`.
package struct SignificantChangeProfile: Equatable, Sendable, BitwiseCopyable {
  /// The trigger distance is log-normal with this median and σ (of the logarithm) …
  package var triggerMedian = Distance.meters(0)
  /// The σ of the trigger distance, of its logarithm.
  package var triggerSigma = 0.0
  /// … and never below this (SL1, C9).
  package var triggerFloor = Distance.meters(0)
  /// Exponential latency after the trigger (SL2, C3).
  package var latencyMean = SimDuration.zero
  /// Never two within this (SL3).
  package var gapMin = SimDuration.zero
  /// Changes of cell without movement, events an hour (SL4).
  package var spuriousPerHour = 0.0
  /// A wake without movement every this long; nil: none (rule book section 8).
  package var unmovedEvery: SimDuration?
  /// Age of the cached location that starting the service brings: log-normal (SL5).
  package var cachedAgeMedian = SimDuration.zero
  /// The σ of the cached location's age, of its logarithm.
  package var cachedAgeSigma = 0.0
  /// The greatest age of the cached location.
  package var cachedAgeMax = SimDuration.zero
  /// The share of the changes after which the system scans for Wi-Fi before it reports; the
  /// others bring the cell's position (SL10).
  package var wifiShare = 0.0
  /// Without a SIM no cell changes, and Wi-Fi alone notices a movement so many times as late (NO5).
  package var withoutCells = 0.0
  /// Between two Wi-Fi scans of the service, in a vehicle and otherwise (SF3).
  package var scanEveryInVehicle = SimDuration.zero
  /// The time between two Wi-Fi scans of the service outside a vehicle (SF3).
  package var scanEvery = SimDuration.zero
}
