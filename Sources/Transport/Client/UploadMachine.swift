internal import Core
internal import Wire

/// An upload from its intended instant to its end. The machine decides what follows an answer or a
/// failure, and accounts for the time.
///
///     scheduled ──due──▶ hold ──slot──▶ connect ──first byte──▶ service ──ack──▶ ended
///                         ▲                │                       │
///                         └── back-off, pushback, lost connection ─┘
///
/// The machine is pure: it reads no clock and has no connection. `UploadDispatcher` acts on
/// results. Lag, hold, connect and service always sum to `mark − intended`: when `move` advances
/// `mark`, it adds the same time to one of them.
struct UploadMachine {
  enum Phase { case scheduled, hold, connect, service, ended }

  private(set) var job: UploadJob
  private(set) var generation: UInt32 = 0
  private(set) var isLive = true
  private(set) var phase = Phase.scheduled
  private(set) var mark: WallInstant
  private var lag = WallDuration.zero
  private var connect = WallDuration.zero
  private var handshake: (isResumed: Bool, lasted: WallDuration)?
  private var hold = WallDuration.zero
  private var service = WallDuration.zero
  var deadlineAt = WallInstant.distantFuture
  var deadlineEntry: WallInstant?
  var attempts = 0
  var channel = -1
  /// The number of the upload's open call, or 0 without an open call.
  var call: UInt32 = 0
  var readBefore = 0
  var isRegistering = false
  var registration: [UInt8]?
  var reply: (duplicate: Bool, fixes: UInt32)?
  /// The version of newer settings in the reply, or 0 without newer settings.
  var settingsVersion: UInt32 = 0

  var isInFlight: Bool { isLive && phase != .scheduled }

  init(_ job: UploadJob) {
    self.job = job
    mark = job.intended
  }

  mutating func begin(_ job: UploadJob) {
    let (generation, deadlineEntry) = (generation, deadlineEntry)
    self = UploadMachine(job)
    self.generation = generation
    self.deadlineEntry = deadlineEntry
  }

  /// Moves the message out without reference counting, for a call that copies the message.
  mutating func lendMessage() -> [UInt8] { exchange(&job.message, with: []) }

  mutating func giveBack(_ message: consuming [UInt8]) { job.message = message }

  mutating func end() {
    isLive = false
    generation &+= 1
    job.message = []
    job.registration = nil
    registration = nil
  }

  // MARK: events

  mutating func start(at now: WallInstant) {
    move(to: .hold, at: now)
    deadlineAt = now + job.deadline
  }

  mutating func secured(_ done: TLSHandshake, at now: WallInstant) {
    // An attempt that joined a connecting connection has waited for only part of the connect.
    guard phase == .connect, now >= mark else { return }
    let lasted = min(done.securing, now - mark) + (handshake?.lasted ?? .zero)
    handshake = (done.isResumed, lasted)
  }

  enum AfterAnswer: Equatable {
    case upload
    case acknowledged(duplicate: Bool, fixes: UInt32)
    case failed(CallStatus)
  }

  mutating func received(_ message: UnsafeRawBufferPointer, _ reply: UploadReply?) {
    if isRegistering {
      registration = Array(message)
    } else if let reply, reply.check == job.check {
      // An invalid reply, or a reply to another batch, counts as no reply. OK without a reply is a
      // failure and is retried, since the server may not have the batch.
      self.reply = (reply.duplicate, reply.fixes)
      settingsVersion = reply.settings?.version ?? 0
    }
  }

  mutating func answered(_ status: CallStatus) -> AfterAnswer {
    call = 0
    guard status.code == .ok else { return .failed(status) }
    if isRegistering {
      if registration == nil { registration = [] }
      return .upload
    }
    guard let reply else {
      return .failed(CallStatus(.dataLoss, "OK without the batch's own ack"))
    }
    return .acknowledged(duplicate: reply.duplicate, fixes: reply.fixes)
  }

  enum AfterFailure: Equatable {
    case retry(at: WallInstant)
    case withheld
    /// The status is final, the attempts are used up, or the deadline comes before the retry.
    case giveUp
  }

  mutating func failed(
    _ status: CallStatus, at now: WallInstant, _ policy: RetryPolicy, seed: UInt64,
    budget: inout RetryBudget
  ) -> AfterFailure {
    move(to: .hold, at: now)
    let wait = wait(after: status, policy, seed: seed)
    let mayRetry =
      !status.code.isRetriable || !policy.hasBudget || budget.failed(job.phone)
    guard status.code.isRetriable, attempts < policy.attemptsMax, let wait,
      now + wait < deadlineAt
    else { return .giveUp }
    return mayRetry ? .retry(at: now + wait) : .withheld
  }

  /// Returns the wait before a retry, or nil if the server forbids a retry.
  private func wait(
    after status: CallStatus, _ policy: RetryPolicy, seed: UInt64
  ) -> WallDuration? {
    var draw = Draw(
      seed: seed, phone: job.phone, .uploadBackoff, Int64(bitPattern: job.id), Int64(attempts))
    if let pushback = status.pushbackMilliseconds {
      guard pushback >= 0 else { return nil }
      // The wait is longer than requested, so that clients shed at the same time spread out.
      let least = WallDuration.milliseconds(Int64(pushback))
      return least + WallDuration(seconds: policy.base.seconds * draw.uniform())
    }
    let doublings = min(attempts - 1, 30)
    let ceiling = min(
      policy.cap.seconds, policy.base.seconds * Double(1 << max(doublings, 0)))
    return WallDuration(seconds: ceiling * draw.uniform())
  }

  /// Whether the attempt has written its first byte. An attempt in service is sampled at its end.
  var isInService: Bool { phase == .service }

  mutating func move(to next: Phase, at now: WallInstant) {
    // `now` may precede `mark`, if two clock reads of a turn are used out of order.
    let step = now > mark ? now - mark : .zero
    switch phase {
    case .scheduled: lag += step
    case .hold: hold += step
    case .connect: connect += step
    case .service: service += step
    case .ended: break
    }
    mark = mark + step
    phase = next
  }

  func completion(_ outcome: UploadOutcome) -> UploadCompletion {
    UploadCompletion(
      id: job.id, phone: job.phone, outcome: outcome, attempts: attempts, intended: job.intended,
      generatorLag: lag, connect: connect, handshake: handshake, hold: hold, service: service,
      registration: registration, settingsVersion: settingsVersion)
  }
}
