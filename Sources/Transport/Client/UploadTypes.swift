package import SimulationCore
package import Wire

/// How uploads share connections.
package enum ConnectionUse: Equatable, Sendable {
  /// Connect, upload, read the ack, close: what a woken phone does.
  case perUpload
  /// One connection a phone, opened at its first upload.
  case perPhone
  /// This many, which all phones share.
  case pooled(Int)
}

/// When an upload is tried again. All times are wall time.
///
/// Phones do not know of each other, so each has a budget of its own (`RetryBudget`).
package struct RetryPolicy: Equatable, Sendable {
  /// gRPC's cap.
  package var attemptsMax = 5
  /// Full jitter: the k-th wait is uniform in 0 ..< min(cap, base · 2^k).
  package var base = WallDuration.milliseconds(200)
  package var cap = WallDuration.seconds(5)
  /// Whether a phone whose attempts keep failing gives its retries up.
  package var hasBudget = true

  package init() {}
  package init(
    attemptsMax: Int, base: WallDuration, cap: WallDuration, hasBudget: Bool = true
  ) {
    self.hasBudget = hasBudget
    self.attemptsMax = attemptsMax
    self.base = base
    self.cap = cap
  }
}

/// What the load generator's half of the wire is told once.
package struct UploadSettings: Equatable, Sendable {
  package var endpoint: Endpoint
  package var token: String?
  package var carrier = CarrierKind.flotilla
  package var use: ConnectionUse
  package var retry = RetryPolicy()
  /// Of the run; the back-off jitter is drawn from it.
  package var seed: UInt64
  /// Connections open at once; an upload that finds none waits, which counts as hold. A quarter of
  /// a common descriptor limit of 20,000.
  package var openConnectionsMax = 5_000

  package init(endpoint: Endpoint, token: String? = nil, use: ConnectionUse, seed: UInt64) {
    self.endpoint = endpoint
    self.token = token
    self.use = use
    self.seed = seed
  }
}

/// One batch to send, submitted ahead of its time.
package struct UploadJob: Sendable {
  /// The submitter's own name for it; comes back with the completion.
  package var id: UInt64
  package var phone: UInt32
  /// When the first attempt shall start.
  package var intended: WallInstant
  /// From the start of the first attempt to the ack, attempts included.
  package var deadline: WallDuration
  /// An encoded `UploadRequest`.
  package var message: [UInt8]
  /// An encoded `RegisterRequest` to be answered first, on the same connection; counts as connect.
  package var registration: [UInt8]?
  /// The check in the message, which only its own ack repeats.
  package var check: UInt32

  package init(
    id: UInt64, phone: UInt32, intended: WallInstant, deadline: WallDuration, message: [UInt8],
    check: UInt32, registration: [UInt8]? = nil
  ) {
    self.check = check
    self.id = id
    self.phone = phone
    self.intended = intended
    self.deadline = deadline
    self.message = message
    self.registration = registration
  }
}

/// How a batch ended, as the phone's side knows it.
package enum UploadOutcome: Equatable, Sendable {
  case acknowledged(duplicate: Bool, fixes: UInt32)
  /// The last attempt's status; the collector may hold the batch nevertheless.
  case failed(StatusCode)
  /// No answer within the deadline; the collector may hold the batch nevertheless.
  case timedOut
}

/// The account of one batch. The four parts sum to `response` exactly.
package struct UploadCompletion: Sendable {
  package var id: UInt64
  package var phone: UInt32
  package var outcome: UploadOutcome
  package var attempts: Int
  package var intended: WallInstant
  /// From the intended instant to the one at which the dispatcher turned to the job.
  package var generatorLag: WallDuration
  /// TCP and register, over all attempts.
  package var connect: WallDuration
  /// Waiting for a slot, flow control, pushback and back-off.
  package var hold: WallDuration
  /// First byte written → ack read, over all attempts.
  package var service: WallDuration
  /// The encoded `RegisterReply`, if a registration was answered.
  package var registration: [UInt8]?
  /// The version of the newer settings that the ack brought; 0: none.
  package var settingsVersion: UInt32 = 0

  package var response: WallDuration { generatorLag + connect + hold + service }
  package var finishedAt: WallInstant { intended + response }
}

/// One attempt that got as far as its first byte.
package struct AttemptSample: Equatable, Sendable {
  package var service: WallDuration
  /// DEADLINE_EXCEEDED when the job's deadline ended it.
  package var status: StatusCode
}

/// What has come to an end since the last report.
package struct UploadReport: Sendable {
  package var completions: [UploadCompletion] = []
  package var attempts: [AttemptSample] = []

  package init() {}
}

/// What the dispatcher has done. Counts since it was made, gauges where it says so.
package struct UploadCounters: Codable, Equatable, Sendable {
  package var submitted: UInt64 = 0
  package var started: UInt64 = 0
  package var acknowledged: UInt64 = 0
  package var failed: UInt64 = 0
  package var timedOut: UInt64 = 0
  package var connects: UInt64 = 0
  package var connectFailures: UInt64 = 0
  package var attempts: UInt64 = 0
  package var retries: UInt64 = 0
  /// Retries that were due, and that the phone's budget did not allow.
  package var retriesWithheld: UInt64 = 0
  package var pushbacks: UInt64 = 0
  package var bytesRead: UInt64 = 0
  package var bytesWritten: UInt64 = 0
  /// Gauge.
  package var openConnections = 0
  package var openConnectionsPeak = 0
  /// Gauge: started and not yet ended.
  package var inFlight = 0
  /// Gauge: submitted and not yet due.
  package var scheduled = 0
  /// Attempts that ended, by status code.
  package var statuses = [UInt64](repeating: 0, count: StatusCode.allCases.count)
  /// Jobs that had to wait for a connection slot.
  package var openConnectionsMaxHits: UInt64 = 0
  /// The generator's machine had no descriptor left: the run is invalid.
  package var descriptorLimitHits: UInt64 = 0
  /// The generator's machine had no port left: the run is invalid.
  package var portLimitHits: UInt64 = 0

  package init() {}

  /// Adds what another dispatcher counted. The sum of peaks is no less than the peak of all.
  package mutating func merge(_ other: UploadCounters) {
    submitted += other.submitted
    started += other.started
    acknowledged += other.acknowledged
    failed += other.failed
    timedOut += other.timedOut
    connects += other.connects
    connectFailures += other.connectFailures
    attempts += other.attempts
    retries += other.retries
    retriesWithheld += other.retriesWithheld
    pushbacks += other.pushbacks
    bytesRead += other.bytesRead
    bytesWritten += other.bytesWritten
    openConnections += other.openConnections
    openConnectionsPeak += other.openConnectionsPeak
    inFlight += other.inFlight
    scheduled += other.scheduled
    for code in statuses.indices { statuses[code] += other.statuses[code] }
    openConnectionsMaxHits += other.openConnectionsMaxHits
    descriptorLimitHits += other.descriptorLimitHits
    portLimitHits += other.portLimitHits
  }
}
