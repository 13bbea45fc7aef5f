internal import Core
internal import Synchronization
internal import Transport
internal import Uploads
internal import Wire

/// Phones with one waiting batch and one connection each, which retry until served. `@unchecked
/// Sendable`: the dispatchers are set before sharing, and the rest is synchronized.
final class ReconnectingPhones: @unchecked Sendable {
  private struct Course {
    var encoder = BatchEncoder()
    var sequence: UInt32 = 0
    var served = 0
    var returns = 0
    var lastServed: WallInstant?
  }

  /// The time limit for all attempts of a batch together.
  private static let deadline = WallDuration.seconds(60)
  private static let absence = WallDuration.seconds(1)

  private let count: Int
  private let pool = BatchPool(before: BenchRun.begin)
  private let course = Mutex(Course())
  private var dispatchers: [UploadDispatcher] = []
  private let usesTickets = Mutex(false)

  init(
    _ session: IngestSession, count: Int, atOnce: Int, _ carrier: CarrierKind
  ) throws(TransportError) {
    self.count = count
    for share in [0.0, 1] {
      var settings = UploadSettings(endpoint: session.endpoint, use: .perUpload, seed: 1)
      settings.openConnectionsMax = atOnce
      settings.tls = session.tls
      settings.carrier = carrier
      settings.resumedShare = share
      dispatchers.append(
        try UploadDispatcher(loop: session.uploads, settings: settings) { [unowned self] in
          take($0)
        })
    }
  }

  /// Sets whether connections use tickets; without them, each connection needs a full handshake.
  func forget(tickets: Bool) { usesTickets.withLock { $0 = !tickets } }

  private var dispatcher: UploadDispatcher { dispatchers[usesTickets.withLock { $0 } ? 1 : 0] }

  func come(from first: WallInstant, gap: WallDuration) {
    let jobs = course.withLock { course in
      (course.served, course.returns, course.lastServed) = (0, 0, nil)
      course.sequence += 1
      return (0..<count).map { job(UInt32($0), at: first + gap * Int64($0), &course) }
    }
    dispatcher.submit(jobs)
  }

  private func job(_ phone: UInt32, at intended: WallInstant, _ course: inout Course) -> UploadJob {
    let id = BatchID(phone: PhoneID(rawValue: phone), epoch: 1, sequence: course.sequence)
    guard let message = try? course.encoder.encode(id, Array(pool.fixes[pool.range(Int(phone))]))
    else { preconditionFailure("cannot encode 20 fixes") }
    return UploadJob(
      id: UInt64(course.sequence) << 32 | UInt64(phone), phone: phone, intended: intended,
      deadline: Self.deadline, message: message, check: course.encoder.check)
  }

  private func take(_ report: UploadReport) {
    let again = course.withLock { course in
      report.completions.compactMap { completion -> UploadJob? in
        switch completion.outcome {
        case .acknowledged:
          course.served += 1
          if course.served == count { course.lastServed = completion.finishedAt }
          return nil
        case .failed, .timedOut:
          course.returns += 1
          return job(completion.phone, at: completion.finishedAt + Self.absence, &course)
        }
      }
    }
    dispatcher.submit(again)
    if lastServed != nil { Waiter.shared.wake() }
  }

  var served: Int { course.withLock { $0.served } }
  /// The number of times that a phone started again after all attempts of a batch had failed.
  var returns: Int { course.withLock { $0.returns } }
  /// The time at which the last phone was served; nil if some were not served.
  var lastServed: WallInstant? { course.withLock { $0.lastServed } }

  var counters: Sheet {
    dispatchers.reduce(into: Sheet()) { $0 += $1.counters() }
  }

  func close() {
    for dispatcher in dispatchers {
      dispatcher.abort()
      // Waits for the loop, so that nothing is in flight.
      _ = dispatcher.counters()
    }
  }
}
