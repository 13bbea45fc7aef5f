package import SimulationCore

/// The rules of one iOS generation (rule book, section 0).
package struct IOSRules: Equatable, Sendable, BitwiseCopyable {
  /// Time that a UIApplication background task buys (LC5).
  package var backgroundTaskBudget: SimDuration
  /// How long an app may run after a wake without any background task (LC3).
  package var wakeGrace: SimDuration
  /// Work on the main thread beyond this, across a change of state, is a crash (LC6).
  package var watchdog: SimDuration
  /// Significant changes, regions and visits relaunch an app that its user force-quit (LC10).
  package var relaunchesAfterForceQuit: Bool
  /// CLMonitor's conditions relaunch such an app, too (LC10).
  package var relaunchesMonitorAfterForceQuit: Bool
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
  /// CLMonitor is there (CM1): iOS 17.
  package var hasConditionMonitor: Bool
  /// Standing still pauses the standard service after this long (PT1).
  package var pauseAfter: SimDuration
  /// Says what ends a pause of the standard service (PT2, PT3).
  package var pauseTrap: PauseTrap
  /// `CLLocationUpdate.liveUpdates` and `CLBackgroundActivitySession` are there (iOS 17).
  package var hasLiveUpdates: Bool
  /// Standing still pauses live updates after this long (LU1).
  package var livePauseAfter: SimDuration
  /// Paused live updates resume after so long on the way, or earlier after `liveResumeDistance`
  /// (LU1).
  package var liveResumeAfter: SimDuration
  /// Paused live updates resume this far from where they paused (LU1).
  package var liveResumeDistance: Distance
  /// An app with When In Use may ask for Always once, and its owner decides at once (AU11).
  package var upgradesWhenInUse: Bool
  /// How long a background event waits for the second prompt (AU12).
  package var storedEventLife: SimDuration
  /// How long Allow Once outlasts the use of the app (AU14); nil: the prompt does not offer it.
  package var onceLapse: SimDuration?
  /// From the first use of Always in the background to the reminder with a map (AU13); nil: there
  /// is none.
  package var reminderFirst: SimDuration?
  /// The same from one reminder to the next.
  package var reminderEvery: SimDuration
  /// A change of the permission in Settings ends the app's process (AU16).
  package var settingsEndApp: Bool

  /// Says whether anything but the foreground ends an automatic pause of the standard service.
  package enum PauseTrap: String, CaseIterable, Sendable, BitwiseCopyable {
    /// Only the foreground ends a pause (PT2, PT3).
    case strict
    /// A wake may restart the service (PT3, Apple's own words).
    case recoverable
  }

  /// Is iOS 17, as `scenarios/profiles/os/ios17.yaml` spells it out.
  package static var standard: IOSRules {
    IOSRules(
      backgroundTaskBudget: .seconds(30), wakeGrace: .seconds(10), watchdog: .seconds(10),
      relaunchesAfterForceQuit: true, relaunchesMonitorAfterForceQuit: true,
      refreshOffBlocksLocationWakes: false, requiresRequest: true,
      hasProvisionalAlways: true, hasReducedAccuracy: true, suspendsHiddenStandard: true,
      defersUpdates: false, hasLocationPushExtension: true, hasConditionMonitor: true,
      pauseAfter: .minutes(15), pauseTrap: .strict, hasLiveUpdates: true,
      livePauseAfter: .minutes(2), liveResumeAfter: .minutes(1), liveResumeDistance: .meters(50),
      upgradesWhenInUse: true, storedEventLife: .minutes(30), onceLapse: .minutes(5),
      reminderFirst: .hours(72), reminderEvery: .hours(168), settingsEndApp: false)
  }
}

// MARK: - Keys

extension IOSRules {
  /// Are the keys of an OS profile that are iOS's own.
  static var keys: [Field<IOSRules>] { limits + live + flags + permission }

  private static var live: [Field<IOSRules>] {
    [
      Field(
        "livePauseAfter", \.livePauseAfter, .time(.seconds(1), .hours(1)),
        "Standing still pauses live updates (LU1).",
        .assumed(.seconds(30), .minutes(10), "WWDC23 10180 says that they pause, not when")),
      Field(
        "liveResumeAfter", \.liveResumeAfter, .time(.zero, .hours(1)),
        "Moving resumes live updates after this long (LU1) …",
        .assumed(.seconds(10), .minutes(5), "WWDC23 10180 says that they resume, not when")),
      Field(
        "liveResumeDistance", \.liveResumeDistance, .distance(1, 10_000),
        "… or after this far, whichever comes first.",
        .assumed(.meters(10), .meters(200), "WWDC23 10180 says that they resume, not where")),
    ]
  }

  private static var limits: [Field<IOSRules>] {
    [
      Field(
        "backgroundTaskBudget", \.backgroundTaskBudget, .time(.seconds(1), .hours(1)),
        "What a background task buys (LC5).",
        .read(
          .seconds(25), .minutes(3),
          "Badoo 2017: 3 min; transistorsoft's changelog: 180 s to 30 s with iOS 13")),
      Field(
        "wakeGrace", \.wakeGrace, .time(.seconds(1), .minutes(10)),
        "Time to run after a wake without one (LC3).",
        .read(.seconds(5), .seconds(15), "Apple, Handling location events: about 10 s")),
      Field(
        "watchdog", \.watchdog, .time(.seconds(1), .minutes(10)),
        "Main-thread work beyond it is a crash (LC6).",
        .read(.seconds(5), .seconds(20), "article on energy-saving tracking (LC6): 10 s")),
      Field(
        "pauseAfter", \.pauseAfter, .time(.minutes(1), .hours(24)),
        "Standing still pauses the standard service (PT1).",
        .read(
          .minutes(5), .minutes(20),
          "transistorsoft's Config: exactly 15 minutes; Overland's README: about 10")),
      Field(
        "pauseTrap", \.pauseTrap, .word(PauseTrap.self),
        "strict: only the foreground ends a pause; recoverable: a wake may (PT2, PT3)."),
    ]
  }

  private static var permission: [Field<IOSRules>] {
    [
      Field(
        "upgradesWhenInUse", \.upgradesWhenInUse, .flag,
        "Always may be asked for after When In Use, and is decided at once (AU11)."),
      Field(
        "storedEventLife", \.storedEventLife, .time(.zero, .hours(24)),
        "How long a background event waits for the second prompt (AU12).",
        .assumed(.minutes(5), .hours(6), "notes on WWDC 2019, 705: for a limited time")),
      Field(
        "onceLapse", \.onceLapse, .optional(.time(.zero, .hours(24))),
        "How long Allow Once outlasts the use of the app (AU14); none: it is not offered.",
        .noneOr(.hours(1), .assumed, "q42.nl, zonneveld.dev: after a longer inactivity")),
      Field(
        "reminderFirst", \.reminderFirst, .optional(.time(.hours(1), .hours(24 * 90))),
        "From the first use of Always to the reminder with a map (AU13); none: there is none.",
        .noneOr(.hours(96), .excerpt, "owntracks/ios 609: a few days; klaviyo-swift-sdk 462: 3")),
      Field(
        "reminderEvery", \.reminderEvery, .time(.hours(1), .hours(24 * 90)),
        "From one reminder to the next (AU13).",
        .excerpt(
          .hours(72), .hours(24 * 30),
          "e-mission-docs 1018: about a week; klaviyo-swift-sdk 462: 3 days; rnbg 177: a month")),
      Field(
        "settingsEndApp", \.settingsEndApp, .flag,
        "A change of the permission in Settings ends the app (AU16).",
        .choice(
          false, true, .assumed, "openradar 17945133 for other switches; none names location")),
    ]
  }

  private static var flags: [Field<IOSRules>] {
    [
      Field(
        "relaunchesAfterForceQuit", \.relaunchesAfterForceQuit, .flag,
        "Location wakes relaunch an app that its user force-quit (LC10)."),
      Field(
        "relaunchesMonitorAfterForceQuit", \.relaunchesMonitorAfterForceQuit, .flag,
        "Conditions of CLMonitor relaunch such an app (LC10)."),
      Field(
        "refreshOffBlocksLocationWakes", \.refreshOffBlocksLocationWakes, .flag,
        "Background App Refresh off also blocks location wakes (BR1)."),
      Field(
        "requiresRequest", \.requiresRequest, .flag,
        "Authorization must be asked for and described (AU1, AU2, AU3)."),
      Field(
        "hasProvisionalAlways", \.hasProvisionalAlways, .flag,
        "A second prompt may take a first Always back (iOS 13)."),
      Field(
        "hasReducedAccuracy", \.hasReducedAccuracy, .flag,
        "The user can withhold precise locations (iOS 14)."),
      Field(
        "suspendsHiddenStandard", \.suspendsHiddenStandard, .flag,
        "Filtered or coarse standard service without an indicator is suspended (iOS 16.4)."),
      Field("defersUpdates", \.defersUpdates, .flag, "Deferred updates exist (DF1)."),
      Field(
        "hasLocationPushExtension", \.hasLocationPushExtension, .flag,
        "The location push extension exists (iOS 15)."),
      Field(
        "hasLiveUpdates", \.hasLiveUpdates, .flag,
        "liveUpdates and background activity sessions exist (iOS 17)."),
      Field("hasConditionMonitor", \.hasConditionMonitor, .flag, "CLMonitor exists (iOS 17)."),
    ]
  }
}
