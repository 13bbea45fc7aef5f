internal import Core
internal import Fleet
internal import Transport
internal import Uploads
internal import Wire

/// The server of a live fleet: Flotilla's collectors, or a user's backend. Used from the run's own
/// thread, a few times a second. Batches go through the server's `UploadSender`.
protocol LiveServer: AnyObject {
  /// Whether the run started the server, and may stall and kill it.
  var isOurs: Bool { get }
  var address: String { get }
  var detail: String? { get }
  var isSecured: Bool { get }
  var isRestored: Bool { get }
  var endpoints: [Endpoint] { get }

  /// Waits until the server is ready. If `isResumed`, the fleet used the server before a restart.
  func prepare(_ warm: WarmStart, isResumed: Bool) throws(CollectorRunError)
  func sender(
    _ parts: SenderParts, to endpoints: [Endpoint]
  ) throws(CollectorRunError) -> any UploadSender
  /// Begins the live part; `onSweep` takes each sweep of the server's wake scheduler, if any.
  func goLive(
    at start: WallInstant, onSweep: @escaping @Sendable (PushSweep) -> Void
  ) throws(CollectorRunError)
  func report(_ statuses: [(id: UInt64, status: Int)])
  /// Checks and repairs the server. Called at `nextLook` or earlier.
  func keepAlive()
  var nextLook: WallInstant { get }
  /// - Parameter onViolation: takes a message for each violation, on another thread.
  func checkLedger(onViolation: @escaping @Sendable (String) -> Void)

  func stall() -> String
  func kill() -> String
  func resume()

  var processIDs: [Int32] { get }
  /// Returns the resource usage so far; nil if unknown.
  func metrics() -> CollectorGroup.Metrics?
  var compressed: [CollectorMethod: CompressedMessages] { get }
  func use(_ uploads: [Sheet]) -> CollectorUse

  /// Compares the fleet's batches with the server's, once nothing is in flight. Adds the proof to
  /// `account`, and this process's part of the server's account to `mine`.
  func settle(
    _ account: inout FleetAccount, _ mine: inout ServerAccount, _ session: LiveSession,
    _ journal: FleetJournal?
  ) -> SettledServer
  func close()
}

struct SettledServer: Sendable {
  /// The server's side of the ledger, or an error; nil if no proof was requested.
  var account: Result<ServerAccount, CollectorRunError>?
  /// The answers of a user's backend; nil for collectors.
  var target: TargetAccount?
}
