internal import Figures
internal import Fleet
internal import ServerLogic
internal import SimulationCore
internal import Transport
internal import Uploads
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
  /// Holds what of the run's control calls travelled compressed so far.
  var compressed: [CollectorMethod: CompressedMessages] { get }
  /// Returns what was used since the live part began.
  func use(_ uploads: [Sheet]) -> CollectorUse

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
