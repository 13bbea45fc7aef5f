internal import Core
internal import Foundation
internal import Synchronization
internal import Transport
internal import Uploads
internal import Wire

/// The client side of the upload path: fills, encodes and sends batches, and checks their acks.
final class IngestDriver: Sendable {
  struct Tally {
    var acknowledged = 0
    var failed = 0
    var response = Histogram()
    var lag = Histogram()
    var connect = Histogram()
  }

  /// The state of sending, used by one thread at a time: the pacer's, or else the loop's.
  private struct Sender: ~Copyable {
    let encoder = BatchEncoder()
    var message = ByteBuffer(capacity: 4_096)
    var fixes: [Fix] = []
    var sequences: [UInt32]
    let firstPhone: UInt32

    init(phones: Int, from firstPhone: UInt32) {
      sequences = [UInt32](repeating: 0, count: phones)
      self.firstPhone = firstPhone
    }

    mutating func job(
      _ phone: UInt32, from pool: BatchPool, at intended: WallInstant
    ) -> UploadJob {
      let place = Int(phone)
      sequences[place] += 1
      let id = BatchID(
        phone: PhoneID(rawValue: firstPhone + phone), epoch: 1, sequence: sequences[place])
      fixes.removeAll(keepingCapacity: true)
      fixes += pool.fixes[pool.range(place * 31 + Int(id.sequence))]
      message.removeAll()
      do {
        try fixes.withUnsafeBufferPointer { (fixes) throws(WireError) in
          try encoder.encode(id, fixes, into: &message)
        }
      } catch {
        preconditionFailure("cannot encode 20 fixes: \(error)")
      }
      return UploadJob(
        id: UInt64(phone) << 32 | UInt64(id.sequence), phone: phone, intended: intended,
        deadline: IngestDriver.deadline, message: message.copyBytes(), check: encoder.check)
    }
  }

  static let deadline = WallDuration.seconds(30)
  /// The time between the starts of two phones, to avoid a storm.
  private static let gap = WallDuration.microseconds(100)
  /// The time between two starts with TLS: a handshake costs the client 0.5 ms, the server 0.33 ms.
  private static let securedGap = WallDuration.milliseconds(1)
  /// The time by which a pacing thread submits batches ahead of their intended time.
  private static let ahead = WallDuration.milliseconds(3)
  private static let step = WallDuration.microseconds(500)

  private let plan: IngestPlan
  private let pool: BatchPool
  private let sender: Mutex<Sender>
  private let course: Mutex<IngestCourse>
  private let dispatcher = Mutex<UploadDispatcher?>(nil)

  init(_ plan: IngestPlan, _ pool: BatchPool, firstPhone: UInt32 = 0) {
    self.plan = plan
    self.pool = pool
    sender = Mutex(Sender(phones: plan.phones, from: firstPhone))
    course = Mutex(IngestCourse(isClosedLoop: plan.pace == nil))
  }

  func connect(_ session: IngestSession) throws(TransportError) {
    let use: ConnectionUse =
      switch plan.sharing {
      case .perPhone: .perPhone
      case .perUpload: .perUpload
      case .pooled: .pooled(plan.connections)
      }
    var settings = UploadSettings(endpoint: session.endpoint, use: use, seed: 1)
    settings.openConnectionsMax = plan.sockets
    settings.tls = session.tls
    settings.carrier = plan.carrier
    settings.resumedShare = plan.security == .resumed ? 1 : 0
    let made = try UploadDispatcher(loop: session.uploads, settings: settings) { [self] report in
      take(report)
    }
    dispatcher.withLock { $0 = made }
  }

  // MARK: Sending

  /// Opens the connections one after the other, with a batch each. Returns the last instant.
  func ramp(_ now: WallInstant) -> WallInstant {
    send(1, from: now, gap: plan.isSecured ? Self.securedGap : Self.gap)
  }

  private var isIdle: Bool { course.withLock { $0.open == 0 } }

  /// Waits until every phone's first batch has ended, so that all connections are open.
  func awaitOpen(until limit: WallInstant, _ shouldStop: () -> Bool) {
    // A wake-up per batch would distort the measurement.
    Waiter.shared.wait(until: limit, every: .milliseconds(5)) { isIdle || shouldStop() }
  }

  /// Begins the closed loop, unless the plan has a pace. Returns the instant of the last start.
  func run(_ now: WallInstant) -> WallInstant {
    course.withLock { $0.run() }
    guard plan.pace == nil else { return now }
    return send(plan.sharing == .perPhone ? plan.inFlight : 1, from: now, gap: Self.gap)
  }

  /// Submits `each` batches of each phone, one phone after the other. Blocks until the last batch
  /// is sent, because queueing all batches at once would add to the measured memory.
  private func send(_ each: Int, from now: WallInstant, gap: WallDuration) -> WallInstant {
    var phone = 0
    Waiter.shared.takeTurns {
      guard phone < plan.phones else { return nil }
      let horizon = MonotonicClock.now + Self.ahead
      var jobs: [UploadJob] = []
      sender.withLock { sender in
        while phone < plan.phones, now + gap * Int64(phone) < horizon {
          let intended = now + gap * Int64(phone)
          for _ in 0..<each { jobs.append(sender.job(UInt32(phone), from: pool, at: intended)) }
          phone += 1
        }
      }
      submit(jobs)
      return MonotonicClock.now + Self.step
    }
    return now + gap * Int64(plan.phones)
  }

  /// Sends batches at `rate` per second from `start` on, and blocks until stopped.
  func pace(_ rate: Int, from start: WallInstant, while shouldGoOn: () -> Bool) {
    let gap = 1e6 / Double(rate)
    var number = 0
    Waiter().takeTurns {
      guard shouldGoOn() else { return nil }
      let horizon = MonotonicClock.now + Self.ahead
      var jobs: [UploadJob] = []
      sender.withLock { sender in
        while true {
          let due = start + .microseconds(Int64(Double(number) * gap))
          guard due < horizon else { break }
          jobs.append(sender.job(UInt32(number % plan.phones), from: pool, at: due))
          number += 1
        }
      }
      submit(jobs)
      return MonotonicClock.now + Self.step
    }
  }

  private func submit(_ jobs: [UploadJob]) {
    guard !jobs.isEmpty else { return }
    course.withLock { $0.submitted(jobs.count) }
    dispatcher.withLock { $0 }?.submit(jobs)
  }

  // MARK: Receiving

  private func take(_ report: UploadReport) {
    let now = MonotonicClock.now
    let next = course.withLock { course in
      report.completions.compactMap { completion in
        course.ended(completion, at: now).map { (phone: completion.phone, at: $0) }
      }
    }
    guard !next.isEmpty else { return }
    submit(sender.withLock { sender in next.map { sender.job($0.phone, from: pool, at: $0.at) } })
  }

  func beginWindow() { course.withLock { $0.beginWindow() } }

  var counters: Sheet { dispatcher.withLock { $0 }?.counters() ?? Sheet() }

  var tally: Tally { course.withLock { $0.tally } }

  /// Waits at most ten seconds for the batches in flight, and returns whether all have ended.
  func drain() -> Bool {
    course.withLock { $0.drain() }
    return Waiter.shared.wait(
      until: MonotonicClock.now + .seconds(10), every: .milliseconds(10)
    ) { isIdle }
  }

  func close() {
    let dispatcher = dispatcher.withLock { $0 }
    dispatcher?.abort()
    // Waits for the loop, so that it has reported all aborted batches.
    _ = dispatcher?.counters()
  }
}

extension IngestDriver.Tally {
  /// Counts a batch, and returns whether it was acknowledged as sent.
  mutating func add(_ completion: UploadCompletion) -> Bool {
    lag.record(completion.generatorLag.microseconds)
    switch completion.outcome {
    case .acknowledged(duplicate: false, fixes: UInt32(BatchPool.fixesPerBatch)):
      acknowledged += 1
      response.record(completion.response.microseconds)
      connect.record(completion.connect.microseconds)
      return true
    case .acknowledged, .failed, .timedOut:
      failed += 1
      return false
    }
  }
}
