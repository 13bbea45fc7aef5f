internal import Core
internal import ServerLogic
internal import Transport
internal import Wire

/// The calls that wait for the store. A resend of a queued batch waits for the same commit, so that
/// the batch is neither stored twice nor acknowledged before it is durable.
struct PendingCommits {
  struct Upload {
    var digest: BatchDigest
    var receivedAt: SimInstant
    var call: ServerCall
    var check: UInt32
    var settingsUpdate: TrackerSettings?
    var resends: [(call: ServerCall, check: UInt32)] = []
  }

  enum Waiting {
    case upload(Upload)
    case registration(ServerCall, RegisterRequest)
    case run(ServerCall, resumed: Bool)
    /// The rows of a call share one token; `left` rows are not reported yet.
    case restore(ServerCall, [PhoneSnapshot], asked: Int, left: Int, error: StoreError?)
    /// The commit of an occasion, for which no call waits.
    case occasion
  }

  private var places: [Waiting?] = []
  private var free: [Int] = []
  private var uploads: [BatchID: Int] = [:]

  var uploadsWaiting: Int { uploads.count }

  mutating func put(_ waiting: Waiting) -> UInt64 {
    let place = free.popLast() ?? places.count
    if place == places.count { places.append(nil) }
    places[place] = waiting
    if case .upload(let upload) = waiting { uploads[upload.digest.id] = place }
    return UInt64(place)
  }

  mutating func join(_ id: BatchID, _ call: ServerCall, check: UInt32) -> Bool {
    guard let place = uploads[id], case .upload(var upload)? = places[place] else { return false }
    upload.resends.append((call, check))
    places[place] = .upload(upload)
    return true
  }

  func receipt(of token: UInt64) -> WallInstant? {
    guard case .upload(let upload)? = places[Int(token)] else { return nil }
    return upload.call.receivedAt
  }

  /// Removes and returns what waits for `token`; nil for a restore with unreported rows.
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
