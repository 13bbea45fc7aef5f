package import Core
internal import Synchronization
internal import Transport

/// Resends the unanswered batches of earlier runs with the same bytes and numbers. No latency
/// figure counts resent batches. Completions arrive on the event loop's thread, and `submitDue` is
/// called on the run's thread.
package final class Resender: Sendable {
  private struct State: Sendable {
    var waiting: [(at: WallInstant, batch: JournalRecord.Submission)] = []
    var flying: [BatchID: JournalRecord.Submission] = [:]
    var failures: [BatchID: Int] = [:]
  }
  private let state: Mutex<State>
  package let count: Int
  private let seed: UInt64
  private let deadline: WallDuration

  private static let spread = WallDuration.seconds(1)
  /// The maximum wait between attempts, with full jitter as in the dispatcher.
  private static let waitMax = WallDuration.seconds(2)

  package convenience init(
    _ earlier: JournalContent, from start: WallInstant, seed: UInt64, deadline: WallDuration
  ) {
    self.init(earlier.open, from: start, seed: seed, deadline: deadline)
  }

  init(
    _ batches: [JournalRecord.Submission], from start: WallInstant, seed: UInt64,
    deadline: WallDuration
  ) {
    self.seed = seed
    self.deadline = deadline
    count = batches.count
    var state = State()
    state.waiting = batches.map { batch in
      (start + Self.jitter(Self.spread, seed, batch.id, 0), batch)
    }
    self.state = Mutex(state)
  }

  package var isDone: Bool { left == 0 }
  /// The instant of the next batch; `distantFuture` if there is none.
  package var next: WallInstant {
    state.withLock { $0.waiting.lazy.map(\.at).min() } ?? .distantFuture
  }
  package var left: Int { state.withLock { $0.waiting.count + $0.flying.count } }

  func submitDue(at now: WallInstant, to dispatcher: UploadFan) {
    let due = state.withLock { state -> [JournalRecord.Submission] in
      guard !state.waiting.isEmpty else { return [] }
      let due = state.waiting.filter { $0.at <= now }.map(\.batch)
      state.waiting.removeAll { $0.at <= now }
      for batch in due { state.flying[batch.id] = batch }
      return due
    }
    dispatcher.submit(
      due.map { batch in
        UploadJob(
          id: UploadName(batch.id.sequence, attempt: UploadName.resend).rawValue,
          phone: batch.id.phone.rawValue, intended: now, deadline: deadline,
          message: batch.message, check: batch.check)
      })
  }

  /// Returns the newest resent batch of a phone with a sequence number; nil if there is none.
  func flying(_ phone: PhoneID, _ sequence: UInt32) -> BatchID? {
    state.withLock { state in
      state.flying.keys.filter { $0.phone == phone && $0.sequence == sequence }
        .max { $0.order < $1.order }
    }
  }

  /// - Parameter isAnswered: whether the batch was acknowledged or refused and need not be resent.
  func completed(_ id: BatchID, isAnswered: Bool, at now: WallInstant) {
    state.withLock { state in
      guard let batch = state.flying.removeValue(forKey: id), !isAnswered else { return }
      let failures = state.failures[id, default: 0] + 1
      state.failures[id] = failures
      state.waiting.append((now + Self.jitter(Self.waitMax, seed, id, failures), batch))
    }
    Waiter.shared.wake()
  }

  private static func jitter(
    _ most: WallDuration, _ seed: UInt64, _ id: BatchID, _ time: Int
  ) -> WallDuration {
    var draw = Draw(
      seed: seed, phone: id.phone.rawValue, .resend, Int64(id.sequence), Int64(time))
    return WallDuration(seconds: most.seconds * draw.uniform())
  }
}

/// The dispatcher's ID of an upload: the batch's sequence number and the phone's attempt.
struct UploadName: RawRepresentable {
  let rawValue: UInt64
  static let resend: UInt32 = 0

  init(rawValue: UInt64) { self.rawValue = rawValue }
  init(_ sequence: UInt32, attempt: UInt32) {
    rawValue = UInt64(sequence) << 32 | UInt64(attempt)
  }

  var sequence: UInt32 { UInt32(rawValue >> 32) }
  var attempt: UInt32 { UInt32(truncatingIfNeeded: rawValue) }
  var isResend: Bool { attempt == Self.resend }
}
