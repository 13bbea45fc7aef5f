internal import Fleet
internal import Processes
internal import ServerLogic
internal import SimulationCore
internal import Transport
internal import Wire

/// Is what a live fleet sends to, seen from its run: Flotilla's own collectors, or a backend of the
/// user's own.
///
/// Used from the run's own thread, a few times a second: what a batch goes through lies in its
/// `UploadSender`.
protocol LiveServer: AnyObject {
  /// Is true where the run has started it, and may stall and kill it.
  var isOurs: Bool { get }
  /// Names it in figures: its address.
  var address: String { get }
  /// Names what it is beside the run's name on a screen; nil: nothing is to be said.
  var detail: String? { get }
  /// Is true where connections to it are encrypted.
  var isSecured: Bool { get }
  /// Is true where it was given what its phones sent before the live part.
  var isRestored: Bool { get }
  /// Lists where uploads go to.
  var endpoints: [Endpoint] { get }

  /// Makes sure that it serves, before the live part.
  ///
  /// - Parameter isResumed: an earlier life of the fleet was served.
  func prepare(_ warm: WarmStart, isResumed: Bool) throws(CollectorRunError)
  /// Makes what carries the fleet's uploads to it.
  func sender(
    _ parts: SenderParts, to endpoints: [Endpoint]
  ) throws(CollectorRunError) -> any UploadSender
  /// Begins the live part.
  ///
  /// - Parameters:
  ///   - start: the wall instant at which the scenario starts.
  ///   - onSweep: takes a sweep of the server's wake scheduler, where it has one.
  func goLive(
    at start: WallInstant, onSweep: @escaping @Sendable (PushSweep) -> Void
  ) throws(CollectorRunError)
  /// Hands over the provider's answers to its pushes.
  func report(_ statuses: [(id: UInt64, status: Int)])
  /// Does what is due; called every few milliseconds.
  func keepAlive()
  /// Looks for what does not add up on its side.
  ///
  /// - Parameter onViolation: takes a sentence; called on another thread.
  func checkLedger(onViolation: @escaping @Sendable (String) -> Void)

  /// Stalls one of its processes; returns its name.
  func stall() -> String
  /// Kills one of its processes; returns its name.
  func kill() -> String
  /// Lets what was stalled go on.
  func resume()

  /// Lists its processes on this machine; empty where they are unknown.
  var processIDs: [Int32] { get }
  /// Returns what they have used so far; nil where nobody knows.
  func metrics() -> CollectorGroup.Metrics?
  /// Counts what failed so far, by its name; nil: as the uploads' statuses say.
  var errors: [String: Int]? { get }
  /// Holds what of the run's control calls travelled compressed so far.
  var compressed: [CollectorMethod: CompressedMessages] { get }
  /// Returns what was used since the live part began.
  func use(_ uploads: [UploadCounters]) -> CollectorUse

  /// Compares what the fleet knows with what it holds, once nothing is in flight.
  ///
  /// - Parameters:
  ///   - account: what the fleet knows; the proof is added to it.
  ///   - mine: what this process leaves of the server's account.
  func settle(
    _ account: inout FleetAccount, _ mine: inout ServerAccount, _ session: LiveSession,
    _ journal: FleetJournal?
  ) -> SettledServer
  /// Ends what this run has started.
  func close()
}

/// What a run knows of its server in the end.
struct SettledServer: Sendable {
  /// Is the server's side of the ledger, or why there is none; nil: it was not asked.
  var account: Result<ServerAccount, CollectorRunError>?
  /// Is what a target of the user's own has said and was found to hold; nil: it was none.
  var target: TargetAccount?
}

/// What carries a live fleet's batches: to collectors over Flotilla's own calls, or to a target.
///
/// The fleet hands its batches to `uplink`, on its shards' queues; all else is asked of it a few
/// times a second.
protocol UploadSender: AnyObject, Sendable {
  /// Takes the fleet's batches.
  var uplink: any Uplink { get }
  /// Counts what it did so far.
  func counters() -> UploadCounters
  /// The same for each collector; empty where there is none.
  var countersByCollector: [UploadCounters] { get }
  /// Counts payloads in a general encoding, and their bytes before and after.
  var payloads: SendingAccount.Payloads { get }
  /// Counts uploads that failed by what they met; nil: as the recorder has them.
  var failures: [String: Int]? { get }
  /// Sends again what an earlier life of the fleet left.
  func resend(_ resender: Resender, now: WallInstant)
  /// Writes every upload message from now on to a file.
  func capture(to file: CaptureFile)
  /// Begins nothing new: what waits goes back to its phones.
  func drain()
  /// Ends every upload that has not ended, as timed out.
  func abort()
}

/// What a sender is made of: the run's clock, fleet and recorder.
struct SenderParts {
  let plan: RunPlan
  let loop: EventLoop
  let clock: PacedClock
  let fleet: PhoneFleet
  let versions: SettingsVersions
  let recorder: LiveRecorder
  let journal: FleetJournal?
  /// Takes what phones are to learn.
  let mailbox: FleetMailbox
}
