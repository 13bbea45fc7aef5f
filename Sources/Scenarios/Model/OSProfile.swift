package import SimulationCore

/// The rules of one iOS generation (rule book, section 0), read from
/// `scenarios/profiles/os/NAME.yaml`.
package struct OSProfile: Equatable, Sendable, BitwiseCopyable {
  /// Time that a UIApplication background task buys (LC5).
  package var backgroundTaskBudget: SimDuration
  /// How long an app may run after a wake without any background task (LC3).
  package var wakeGrace: SimDuration
  /// Work on the main thread beyond this, across a change of state, is a crash (LC6).
  package var watchdog: SimDuration
  /// Significant changes, regions and visits relaunch an app that its user force-quit (LC10).
  package var relaunchesAfterForceQuit: Bool
  /// Background App Refresh off also blocks location wakes (BR1).
  package var refreshOffBlocksLocationWakes: Bool
  /// Authorization must be asked for, and described in Info.plist (AU1–AU3): iOS 8.
  package var requiresRequest: Bool
  /// A first Always is provisional: the second prompt may take it back (iOS 13).
  package var hasProvisionalAlways: Bool
  /// The user can withhold precise locations (iOS 14).
  package var hasReducedAccuracy: Bool
  /// Standard service beside significant changes, with a distance filter or an accuracy of 1 km and
  /// worse and no indicator, is suspended in the background (iOS 16.4).
  package var suspendsHiddenStandard: Bool
  /// Deferred updates are there (DF1): until iOS 12.
  package var defersUpdates: Bool
  /// The location push extension is there (iOS 15).
  package var hasLocationPushExtension: Bool
  /// Standing still pauses the standard service after this long (PT1).
  package var pauseAfter: SimDuration
  package var pauseTrap: PauseTrap
  package var significantChange: SignificantChangeProfile
  package var regions = RegionProfile.standard
  package var visits = VisitProfile.standard
  package var firstFix = FirstFixProfile.standard
  package var motion = MotionProfile.standard

  package enum PauseTrap: String, CaseIterable, Sendable, BitwiseCopyable {
    /// Only the foreground ends a pause (PT2, PT3).
    case strict
    /// A wake may restart the service (PT3, Apple's own words).
    case recoverable
  }
}

/// How the significant-change service of a phone behaves (rule book 2.1), read from
/// `scenarios/profiles/significant-change/NAME.yaml`.
package struct SignificantChangeProfile: Equatable, Sendable, BitwiseCopyable {
  /// The trigger distance is log-normal with this median and σ (of the logarithm) …
  package var triggerMedian: Distance
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
  package var cachedAgeSigma: Double
  package var cachedAgeMax: SimDuration
  /// Without a SIM no cell changes, and Wi-Fi alone notices a movement so many times as late (NO5).
  package var withoutCells: Double
  /// Between two Wi-Fi scans of the service, in a vehicle and otherwise (SF3).
  package var scanEveryInVehicle: SimDuration
  package var scanEvery: SimDuration
}
