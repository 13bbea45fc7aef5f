package import Mobility
internal import Scenarios
package import SimulationCore
package import Telemetry

extension Device {
  /// Something that happens to the phone.
  package enum Event: Sendable, BitwiseCopyable {
    // world
    case entered(Segment, wifi: Bool)
    case offline(Window)
    case airplane(Window)
    case switchedOff(Window)

    // owner
    case opened
    case left
    /// LC11: swiped away in the app switcher.
    case swipedAway
    /// The owner has changed the permission in Settings (AU6).
    case permissionChanged(Authorization)

    // system
    /// An entry of the system or the app on the calendar is due; it is off the calendar already.
    case due(DueSlot)
    /// A silent push has reached the phone.
    case pushArrived
    /// A push waits for the phone at its provider.
    case pushGateAwaited
    /// The system ends the process.
    case terminated
    /// LC15: A new version of the app is about to replace the one that runs.
    case updated(needsOpening: Bool)
    /// LC16: The owner deletes the app. It can be opened again once it is installed anew.
    case removed
    /// The owner answers `.recallsSegment` with the segment at that instant.
    case recalled(Segment, at: SimInstant)
    /// The event is over, so the system suspends the app if nothing keeps it running.
    case ended
    /// The owner reads the meter: the system reports the draw up to now.
    case meterRead

    // app
    /// An event for the app comes from outside the system; in a drain it reaches even a stopped
    /// app.
    case appEvent(OSEvent, evenIfStopped: Bool)
    /// NW1: The app hands the batch that is cut to a background session.
    case transferQueued
    /// The background session may be able to begin the upload now.
    case transferDue
    /// The upload of the background session has ended; the owner knows how.
    case transferAnswered
    /// The upload of the background session was cut short.
    case transferInterrupted
    /// The app has sent something.
    case sent(bytes: Int)
    /// The app gives the system a command; commands for its disk and its server are not among them.
    case command(OSCommand)
    /// The app has returned from a callback, and its commands have been performed.
    case returned
  }

  /// What the system hands to its owner, in order.
  package enum Effect: Sendable, BitwiseCopyable {
    /// The app runs a callback: the owner hands its commands back, then `.returned`.
    case notify(OSEvent)
    /// A position was made for the app, or handed to it again.
    case located(LocatedFix)
    /// What keeps the phone silent is about to change: its permission, or whether the standard
    /// service looks for a position and finds one.
    case silenceChanges
    case permission(Authorization)
    case launched
    /// The app gets time to run that it did not have: from suspension, or by a launch.
    case woken
    /// The app has stopped, suspended or dead, and its connections are gone (LC3).
    case stopped
    /// The answer to the upload that is under way reaches nobody any more.
    case uploadLost
    /// The app has made an error for which the system kills it.
    case crashed(CrashReason)
    /// The app's process has ended because of that error.
    case killed
    /// The app's process is about to end, through no doing of its owner and no error of its own.
    case ends(AppProcess.Ending)
    /// A silent push has taken a step on the phone.
    case push(PushStep)
    /// These parts drew power for a time, in which there were so many scans for significant
    /// changes.
    case drew(EnergyDraw, SimDuration, scans: Int64)
    /// The phone made one position from Wi-Fi.
    case scanned
    /// This went through the battery in the time that the last `.drew` reported.
    case charged(BatteryFlow)
    /// A full hour of the day has passed, at which the phone showed this charge.
    case hour(Int, percent: Int)
    /// Something happens to the phone because of its charge.
    case battery(BatteryStep)
    /// A phone that had left its charger full was this long without one.
    case discharged(SimDuration, ranEmpty: Bool)
    /// The system needs the segment at an earlier instant; the owner answers with `.recalled`.
    case recallsSegment(at: SimInstant)
    /// A crossing of a region's border is not told, or not yet; of a place, with its number.
    case region(RegionStep, place: UInt8?)
    /// The upload of a background session is about to take a step.
    case transfer(BackgroundTransfer.Step)
    /// Owner and system are about to take a step about location.
    case consent(ConsentStep)
  }

  /// The steps of a silent push on its phone.
  package enum PushStep: Equatable, Sendable, BitwiseCopyable {
    /// Every gate is open.
    case passed
    /// The gate that held the push has opened.
    case released
    /// The phone discards the push at this gate.
    case stopped(PushGate)
    /// The phone holds the push until this gate opens.
    case stored(PushGate)
    /// The phone no longer holds the push: the app was force-quit, or its user opened it.
    case discarded
    /// The app may not use location in the background.
    case withoutPermission
    /// The push may not wake the app; it reaches an app in the foreground only.
    case wakesNobody
    /// The app runs for the push.
    case woke
    /// The app could not run for the push.
    case failed(isSwitchedOff: Bool)
    /// The phone shows the push to its owner (AL1).
    case shown
  }
}
