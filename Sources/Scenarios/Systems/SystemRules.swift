package import Core

/// The rules of one generation of a system. What iOS has alone is off on Android.
package struct SystemRules: Equatable, Sendable, BitwiseCopyable {
  package var backgroundTaskBudget = SimDuration.zero
  package var wakeGrace = SimDuration.zero
  package var watchdog = SimDuration.zero
  package var relaunchesAfterForceQuit = false
  package var relaunchesMonitorAfterForceQuit = false
  package var refreshOffBlocksLocationWakes = false
  package var requiresRequest = false
  package var hasProvisionalAlways = false
  package var hasReducedAccuracy = false
  /// Whether the system suspends an app that shows no indicator if its standard service, beside
  /// significant changes, has a distance filter or an accuracy of 1 km or worse (iOS 16.4).
  package var suspendsHiddenStandard = false
  package var defersUpdates = false
  package var hasLocationPushExtension = false
  package var hasConditionMonitor = false
  /// Whether CLMonitor reports nothing in the background to an app without a service session (CM5).
  package var monitorNeedsSession = false
  package var pauseAfter = SimDuration.zero
  package var pauseTrap = PauseTrap.strict
  /// The mean share of an owner's sessions before which the app gets a background refresh (BR2).
  package var refreshShare = 0.0
  /// The longest time from a refresh to the session that the system expects (BR2).
  package var refreshLead = SimDuration.zero
  package var hasProcessingTasks = false
  /// The share of nights on which a requested processing task runs (BR5).
  package var processingShare = 0.0
  /// The longest run of a processing task (BR5).
  package var processingTime = SimDuration.zero
  package var hasLiveUpdates = false
  package var livePauseAfter = SimDuration.zero
  /// Paused live updates resume after this travel time or `liveResumeDistance` (LU1).
  package var liveResumeAfter = SimDuration.zero
  package var liveResumeDistance = Distance.meters(0)
  package var upgradesWhenInUse = false
  package var storedEventLife = SimDuration.zero
  package var onceLapse: SimDuration?
  /// The time from the first background use of Always to the map reminder (AU13); nil for none.
  package var reminderFirst: SimDuration?
  package var reminderEvery = SimDuration.zero
  package var settingsEndApp = false

  /// What ends an automatic pause of the standard service.
  package enum PauseTrap: String, CaseIterable, Sendable, BitwiseCopyable {
    /// Only a return to the foreground ends a pause (PT2, PT3).
    case strict
    /// A wake may also restart the service (PT3, in Apple's own words).
    case recoverable
  }

}

// MARK: - Keys

extension SystemRules {
  static var keys: [Field<SystemRules>] { limits + refresh + live + flags + permission }

  private static var refresh: [Field<SystemRules>] {
    [
      Field(
        "refreshShare", \.refreshShare, .share,
        "Mean share of uses of the app before which it gets a background refresh (BR2)."),
      Field(
        "refreshLead", \.refreshLead, .time(.zero, .hours(24)),
        "Longest time from a background refresh to the use that the system expects (BR2)."),
      Field(
        "processingShare", \.processingShare, .share,
        "Nights on which a requested processing task runs (BR5)."),
      Field(
        "processingTime", \.processingTime, .time(.seconds(1), .hours(1)),
        "Longest run of a processing task (BR5)."),
    ]
  }

  private static var live: [Field<SystemRules>] {
    [
      Field(
        "livePauseAfter", \.livePauseAfter, .time(.seconds(1), .hours(1)),
        "Time at rest after which live updates pause (LU1)."),
      Field(
        "liveResumeAfter", \.liveResumeAfter, .time(.zero, .hours(1)),
        "Time in motion after which live updates resume (LU1)."),
      Field(
        "liveResumeDistance", \.liveResumeDistance, .distance(1, 10_000),
        "Distance after which live updates resume if it comes before 'liveResumeAfter'."),
    ]
  }

  private static var limits: [Field<SystemRules>] {
    [
      Field(
        "backgroundTaskBudget", \.backgroundTaskBudget, .time(.seconds(1), .hours(1)),
        "Run time of a background task (LC5)."),
      Field(
        "wakeGrace", \.wakeGrace, .time(.seconds(1), .minutes(10)),
        "Run time after a wake without a background task (LC3)."),
      Field(
        "watchdog", \.watchdog, .time(.seconds(1), .minutes(10)),
        "Limit of main-thread work; the app crashes beyond it (LC6)."),
      Field(
        "pauseAfter", \.pauseAfter, .time(.minutes(1), .hours(24)),
        "Time at rest after which the standard service pauses (PT1)."),
      Field(
        "pauseTrap", \.pauseTrap, .word(PauseTrap.self),
        "strict: only the foreground ends a pause; recoverable: a wake may end it, too (PT2, PT3)."
      ),
    ]
  }

  private static var permission: [Field<SystemRules>] {
    [
      Field(
        "upgradesWhenInUse", \.upgradesWhenInUse, .flag,
        "The app can request Always after When In Use, with a prompt at once (AU11)."),
      Field(
        "storedEventLife", \.storedEventLife, .time(.zero, .hours(24)),
        "Time for which a background event waits for the second prompt (AU12)."),
      Field(
        "onceLapse", \.onceLapse, .optional(.time(.zero, .hours(24))),
        "Time that Allow Once lasts after use of the app (AU14); none: not offered."),
      Field(
        "reminderFirst", \.reminderFirst, .optional(.time(.hours(1), .hours(24 * 90))),
        "Time from the first use of Always to the reminder with a map (AU13); none: no reminder."),
      Field(
        "reminderEvery", \.reminderEvery, .time(.hours(1), .hours(24 * 90)),
        "Time between two reminders (AU13)."),
      Field(
        "settingsEndApp", \.settingsEndApp, .flag,
        "A permission change in Settings terminates the app (AU16)."),
    ]
  }

  private static var flags: [Field<SystemRules>] {
    [
      Field(
        "relaunchesAfterForceQuit", \.relaunchesAfterForceQuit, .flag,
        "Location wakes relaunch an app that its user force-quit (LC10)."),
      Field(
        "relaunchesMonitorAfterForceQuit", \.relaunchesMonitorAfterForceQuit, .flag,
        "Conditions of CLMonitor relaunch an app that its user force-quit (LC10)."),
      Field(
        "refreshOffBlocksLocationWakes", \.refreshOffBlocksLocationWakes, .flag,
        "Background App Refresh off also blocks location wakes (BR1)."),
      Field(
        "requiresRequest", \.requiresRequest, .flag,
        "The app must request authorization and describe its purpose (AU1, AU2, AU3)."),
      Field(
        "hasProvisionalAlways", \.hasProvisionalAlways, .flag,
        "A second prompt can revoke Always (iOS 13)."),
      Field(
        "hasReducedAccuracy", \.hasReducedAccuracy, .flag,
        "The user can turn Precise Location off (iOS 14)."),
      Field(
        "suspendsHiddenStandard", \.suspendsHiddenStandard, .flag,
        "Filtered or coarse standard service without an indicator is suspended (iOS 16.4)."),
      Field("defersUpdates", \.defersUpdates, .flag, "Deferred updates exist (DF1)."),
      Field(
        "hasProcessingTasks", \.hasProcessingTasks, .flag,
        "Background processing tasks exist (iOS 13; BR5)."),
      Field(
        "hasLocationPushExtension", \.hasLocationPushExtension, .flag,
        "The location push extension exists (iOS 15)."),
      Field(
        "hasLiveUpdates", \.hasLiveUpdates, .flag,
        "liveUpdates and background activity sessions exist (iOS 17)."),
      Field("hasConditionMonitor", \.hasConditionMonitor, .flag, "CLMonitor exists (iOS 17)."),
      Field(
        "monitorNeedsSession", \.monitorNeedsSession, .flag,
        "CLMonitor reports nothing in the background without a service session (iOS 18; CM5)."),
    ]
  }
}
