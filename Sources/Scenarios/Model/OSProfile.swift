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
  /// Says what ends a pause of the standard service (PT2, PT3).
  package var pauseTrap: PauseTrap
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

  /// Says whether anything but the foreground ends an automatic pause of the standard service.
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
  /// Is the share of the changes after which the system scans for Wi-Fi before it reports; the others
  /// bring the cell's position (SL10).
  package var wifiShare: Double
  /// Without a SIM no cell changes, and Wi-Fi alone notices a movement so many times as late (NO5).
  package var withoutCells: Double
  /// Between two Wi-Fi scans of the service, in a vehicle and otherwise (SF3).
  package var scanEveryInVehicle: SimDuration
  /// Is the time between two Wi-Fi scans of the service outside a vehicle (SF3).
  package var scanEvery: SimDuration
}
