internal import ServerLogic
internal import SimulationCore
internal import Telemetry
internal import Transport
internal import Wire

/// Holds what waits for the store, and the calls to answer when it has reported.
///
/// A resend of a batch whose first copy is in the commit queue waits for that same commit: it is
/// neither stored twice nor answered before the batch is durable.
struct PendingCommits {
  struct Upload {
    var digest: BatchDigest
    var receivedAt: SimInstant
    var call: ServerCall
    /// Is the check that the ack repeats.
    var check: UInt32
    /// Holds newer settings for the phone, which the ack carries.
    var settingsUpdate: TrackerSettings?
    var resends: [(call: ServerCall, check: UInt32)] = []
  }

  enum Waiting {
    case upload(Upload)
    case registration(ServerCall, RegisterRequest)
    case run(ServerCall, resumed: Bool)
    /// Each row of a call is reported with the same token; `left` of them are not reported yet.
    case restore(ServerCall, [PhoneSnapshot], asked: Int, left: Int, error: StoreError?)
    /// No call waits for an occasion.
    case occasion
  }

  private var places: [Waiting?] = []
  private var free: [Int] = []
  private var uploads: [BatchID: Int] = [:]

  var isEmpty: Bool { free.count == places.count }
  var uploadsWaiting: Int { uploads.count }

  mutating func put(_ waiting: Waiting) -> UInt64 {
    let place = free.popLast() ?? places.count
    if place == places.count { places.append(nil) }
    places[place] = waiting
    if case .upload(let upload) = waiting { uploads[upload.digest.id] = place }
    return UInt64(place)
  }

  /// Adds a resend to its waiting batch; false where that batch is not waiting.
  mutating func join(_ id: BatchID, _ call: ServerCall, check: UInt32) -> Bool {
    guard let place = uploads[id], case .upload(var upload)? = places[place] else { return false }
    upload.resends.append((call, check))
    places[place] = .upload(upload)
    return true
  }

  /// Returns when the upload that waits for `token` was received; nil where it is no upload.
  func receipt(of token: UInt64) -> WallInstant? {
    guard case .upload(let upload)? = places[Int(token)] else { return nil }
    return upload.call.receivedAt
  }

  /// Removes what waited for `token`; nil while a restore still misses rows.
  mutating func take(_ token: UInt64, error: StoreError?) -> Waiting? {
    let place = Int(token)
    guard let waiting = places[place] else { return nil }
    switch waiting {
    case .restore(let call, let rows, let asked, let left, let earlier) where left > 1:
      places[place] = .restore(
        call, rows, asked: asked, left: left - 1, error: earlier ?? error)
      return nil
    case .upload(let upload): uploads[upload.digest.id] = nil
    case .restore, .registration, .run, .occasion: break
    }
    places[place] = nil
    free.append(place)
    return waiting
  }
}
