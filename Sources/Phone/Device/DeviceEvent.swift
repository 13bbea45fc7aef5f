package import Core
internal import Scenarios

extension Device {
  package enum Event: Sendable, BitwiseCopyable {
    // world
    case entered(Segment, wifi: Bool)
    case offline(Window)
    case airplane(Window)
    case switchedOff(Window)

    // owner
    case opened
    case left
    case swipedAway
    /// AU6.
    case permissionChanged(Authorization)

    // system
    /// A calendar entry of the system or the app is due; it is already removed.
    case due(DueSlot)
    case pushArrived
    case pushGateAwaited
    case terminated
    /// LC15: A new version of the app is about to replace the running one.
    case updated(needsOpening: Bool)
    /// LC16: The owner deletes the app. It can be opened again once it is installed anew.
    case removed
    case recalled(Segment, at: SimInstant)
    /// The event is over, so the system suspends the app if nothing keeps it running.
    case ended
    case meterRead

    // app
    /// An event for the app from outside the system; in a drain it reaches even a stopped app.
    case appEvent(OSEvent, evenIfStopped: Bool)
    case transferQueued
    case transferDue
    case transferAnswered
    case transferInterrupted
    case sent(bytes: Int)
    /// Commands for the app's disk and server are not among them.
    case command(OSCommand)
    /// The app has returned from a callback, and its commands have been performed.
    case returned
  }

  package enum Effect: Sendable, BitwiseCopyable {
    /// The app runs a callback: the owner returns its commands, then `.returned`.
    case notify(OSEvent)
    case located(LocatedFix)
    /// The cause of the phone's silence is about to change: its permission, or whether the standard
    /// service searches for a position and finds one.
    case silenceChanges
    case permission(Authorization)
    case launched
    /// The app gets new run time: from suspension, or by a launch.
    case woken
    /// The app is suspended or dead, and its connections are gone (LC3).
    case stopped
    case uploadLost
    case crashed(CrashReason)
    case killed
    /// The app's process is about to end, neither by its owner nor by an error.
    case ends(AppProcess.Ending)
    case push(PushStep)
    case drew(EnergyDraw, SimDuration, scans: Int64)
    case scanned
    case charged(BatteryFlow)
    /// A full hour of the day has passed, with this charge on display.
    case hour(Int, percent: Int)
    case battery(BatteryStep)
    /// The time without a charger of a phone that had left it full.
    case discharged(SimDuration, ranEmpty: Bool)
    /// The system needs the segment at an earlier instant; the owner answers with `.recalled`.
    case recallsSegment(at: SimInstant)
    case region(RegionStep, place: UInt8?)
    case transfer(BackgroundTransfer.Step)
    case consent(ConsentStep)
  }

  package enum PushStep: Equatable, Sendable, BitwiseCopyable {
    case passed
    case released
    case stopped(PushGate)
    case stored(PushGate)
    /// The push is no longer held: the app was force-quit, or its user opened it.
    case discarded
    case withoutPermission
    /// The push may not wake the app; it reaches an app in the foreground only.
    case wakesNobody
    case woke
    case failed(isSwitchedOff: Bool)
    case shown
  }
}
