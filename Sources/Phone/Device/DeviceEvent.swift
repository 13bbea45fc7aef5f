package import Core

extension Device {
  package enum Event: Sendable, BitwiseCopyable {
    // world
    case entered(Segment, Link)
    case offline(Window)
    case airplane(Window)
    case switchedOff(Window)

    // owner
    case opened
    case left
    case swipedAway
    /// AU6: The owner has chosen this permission in Settings.
    case permissionChanged(Authorization)

    // system
    /// A calendar entry of the system or app is due; the caller has removed the entry.
    case due(DueSlot)
    case pushArrived
    case pushGateAwaited
    /// AFC5: The phone learns that the provider has discarded its messages.
    case messagesDiscarded
    case terminated
    /// LC15: A new version of the app is about to replace the running one.
    case updated(needsOpening: Bool)
    /// LC16: The owner deletes the app, which can be opened again once it is reinstalled.
    case removed
    /// The previous event has ended, so the system suspends the app if nothing keeps it running.
    case ended
    case meterRead

    // app
    /// An event for the app from outside the system. `evenIfStopped` is true in the drain.
    case appEvent(OSEvent, evenIfStopped: Bool)
    case transferDue
    case transferAnswered
    case transferInterrupted
  }

  package enum Effect: Sendable, BitwiseCopyable {
    // system
    case permission(Authorization)
    case launched
    /// The app gets new run time, by a launch or after a suspension.
    case woken
    /// The app is suspended or has ended, and its connections are lost (LC3).
    case stopped
    case crashed(CrashReason)
    case killed
    /// The app's process is about to end for lack of memory, an update or a reinstallation.
    case ends(AppProcess.Ending)
    /// A step of a push. `lastReport` is the time of the newest fix at the server.
    case push(PushStep, lastReport: SimInstant)
    case drew(EnergyDraw, SimDuration, scans: Int64, fixes: UInt32)
    case scanned
    case charged(BatteryFlow)
    /// A full hour of the day begins, with this charge displayed.
    case hour(Int, percent: Int)
    case battery(BatteryStep)
    /// The battery runs empty for the first time in the counted part of the run.
    case firstEmpty
    /// The time without a charger of a phone that was unplugged when full.
    case discharged(SimDuration, ranEmpty: Bool)
    case region(RegionStep, place: UInt8?)
    case consent(ConsentStep)

    // app
    case kept(FixSource, offMeters: Double)
    case evicted
    /// A callback with a position made the app keep a fix while a push was unanswered.
    case fixTaken(Fix)
    /// Emitted only for a traced phone, like `commanded`.
    case delivered(OSEvent, FixSource, isKept: Bool)
    case commanded(OSCommand)
    case batchCut
    case uploadOffline
    /// An upload begins, and its order is in `Effects.orders`. If the server is down there is no
    /// order, and `reachesServer` is `distantFuture`.
    case uploadStarted(reachesServer: SimInstant)
    case sent(RadioUse, over: DataRadio)
    case uploadLost
    /// The app removes this number of fixes from its outbox. `hash` is the hash of their batch.
    case forgot(UInt16, UploadResult, hash: UInt64)
    case stored(SimInstant)
    case settingsCame
    case event(EventStep)

    // accounts
    case passed(Stretch)
  }

  /// A period without a change in anything that freshness depends on.
  package struct Stretch: Sendable, BitwiseCopyable {
    package let from: SimInstant
    package let to: SimInstant
    package let staleFrom: SimInstant
    package let stored: StoredFix
    package let cause: StaleCause
    package let isReachable: Bool
  }

  package enum PushStep: Equatable, Sendable, BitwiseCopyable {
    case passed
    case released
    case stopped(PushGate)
    case stored(PushGate)
    /// The held push was discarded because the app was force-quit, opened or deleted.
    case discarded
    case withoutPermission
    /// The push may not wake the app, so only an app in the foreground receives it.
    case wakesNobody
    case woke
    case failed(isSwitchedOff: Bool)
    case shown
  }
}
