package import Core
package import Wire

package enum ConnectionUse: Equatable, Sendable {
  /// One connection per upload, closed after the ack, as for a woken phone.
  case perUpload
  /// One connection per phone, opened at its first upload.
  case perPhone
  /// The given number of connections, shared by all phones.
  case pooled(Int)

  /// Returns the phone or pool index that keeps the connection, or nil for `perUpload`.
  func holder(of phone: UInt32) -> UInt32? {
    switch self {
    case .perUpload: nil
    case .perPhone: phone
    case .pooled(let count): phone % UInt32(count)
    }
  }
}

/// The rule for retries of an upload, in wall-clock time. Each phone has a budget (`RetryBudget`).
package struct RetryPolicy: Equatable, Sendable {
  /// The limit of attempts per upload, by default gRPC's maximum.
  package var attemptsMax = 5
  /// The backoff's base. Retry k = 1, 2, … waits uniformly in 0 ..< min(cap, base · 2^(k − 1)).
  package var base = WallDuration.milliseconds(200)
  /// The upper bound of a wait before jitter is drawn.
  package var cap = WallDuration.seconds(5)
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

package struct UploadSettings: Equatable, Sendable {
  package var endpoint: Endpoint
  /// The bearer token sent with every call, or nil to send no token.
  package var token: String?
  package var carrier = CarrierKind.flotilla
  package var tls: TLSClient?
  /// The name or address required in the server's certificate. nil means the endpoint's host.
  package var serverName: String?
  package var resumedShare = 0.0
  package var use: ConnectionUse
  package var retry = RetryPolicy()
  /// The seed of the run, from which backoff jitter is drawn.
  package var seed: UInt64
  /// The limit of open connections, below 20,000 descriptors. A wait for a connection is hold.
  package var openConnectionsMax = 5_000

  package init(endpoint: Endpoint, token: String? = nil, use: ConnectionUse, seed: UInt64) {
    self.endpoint = endpoint
    self.token = token
    self.use = use
    self.seed = seed
  }
}

package struct UploadJob: Sendable {
  /// The submitter's identifier, returned with the completion.
  package var id: UInt64
  /// The phone that sends the batch, which determines connection and retry budget.
  package var phone: UInt32
  package var intended: WallInstant
  /// The time limit from the start of the first attempt to the ack, retries included.
  package var deadline: WallDuration
  /// An encoded `UploadRequest`.
  package var message: [UInt8]
  /// An encoded `RegisterRequest` to send first on the connection. Its time counts as connect.
  package var registration: [UInt8]?
  /// The check value in the message, which only the ack of this message repeats.
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

package enum UploadOutcome: Equatable, Sendable {
  case acknowledged(duplicate: Bool, fixes: UInt32)
  /// The last attempt failed with this status. The collector may have the batch nevertheless.
  case failed(StatusCode)
  /// No answer came within the deadline. The collector may have the batch nevertheless.
  case timedOut
}

/// The result of one batch. Generator lag, connect, hold and service sum to `response` exactly.
package struct UploadCompletion: Sendable {
  package var id: UInt64
  package var phone: UInt32
  package var outcome: UploadOutcome
  /// The number of attempts, including those that never got a connection.
  package var attempts: Int
  package var intended: WallInstant
  /// The time from the intended instant until the dispatcher started the job.
  package var generatorLag: WallDuration
  /// The time for TCP, TLS and register, over all attempts.
  package var connect: WallDuration
  /// The part of `connect` spent in TLS handshakes, or nil without a handshake.
  package var handshake: (isResumed: Bool, lasted: WallDuration)?
  /// The time spent waiting for a slot, flow control, pushback and backoff.
  package var hold: WallDuration
  /// The time from the first byte written to the ack read, over all attempts.
  package var service: WallDuration
  /// The encoded `RegisterReply`, if a registration was answered.
  package var registration: [UInt8]?
  /// The version of newer settings in the ack, or 0 without newer settings.
  package var settingsVersion: UInt32 = 0

  /// The response time, from the intended instant to the end, including every attempt.
  package var response: WallDuration { generatorLag + connect + hold + service }
  /// The instant at which the ack was read or the batch was given up.
  package var finishedAt: WallInstant { intended + response }
}

extension UploadCompletion {
  /// Creates the result of an upload with a single attempt.
  package init(
    id: UInt64, phone: UInt32, _ outcome: UploadOutcome, intended: WallInstant,
    lag: WallDuration, connect: WallDuration, hold: WallDuration, service: WallDuration
  ) {
    self.init(
      id: id, phone: phone, outcome: outcome, attempts: 1, intended: intended, generatorLag: lag,
      connect: connect, hold: hold, service: service)
  }
}

/// One attempt that wrote its first byte.
package struct AttemptSample: Equatable, Sendable {
  package var service: WallDuration
  /// The status of the attempt, DEADLINE_EXCEEDED if the job's deadline ended the attempt.
  package var status: StatusCode

  package init(service: WallDuration, status: StatusCode) {
    self.service = service
    self.status = status
  }
}

package struct UploadReport: Sendable {
  /// One entry per ended batch, in the order of their ends.
  package var completions: [UploadCompletion] = []
  /// One entry per ended attempt that had written its first byte.
  package var attempts: [AttemptSample] = []

  package init() {}
}
