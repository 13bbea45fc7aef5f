package import Core

/// The requests of a run to the user's own backend, and its answers. The run's other figures count
/// requests here, not batches, which may need several.
package struct TargetFigures: Equatable, Sendable, Codable {
  package var name: String
  /// The server's address, without a path.
  package var address: String
  /// `http`, `grpc` or `mqtt`.
  package var carrier: String
  /// The client app that the target follows.
  package var client: String
  /// The kind of upload, such as `POST of JSON with up to 20 positions`; null if unknown.
  @Nullable package var upload: String?
  /// False over MQTT with QoS 0, which is not acknowledged; null means true.
  @Nullable package var acknowledges: Bool?
  package var fixes = Fixes()
  package var answers: [Answers] = []
  /// The parts of a response in order, of the measured time: "lag", "wait", "name", "TCP", "TLS",
  /// "written", "first byte", "answer".
  package var parts: [Part] = []
  /// From the server's own metrics; null if unavailable.
  @Nullable package var server: Server?
  @Nullable package var primed: Primed?
  /// The fixes held by the server; null if not read back, and nothing is verified.
  @Nullable package var readback: Readback?

  /// The number of fixes in each state; every fix is in one.
  package struct Fixes: Equatable, Sendable, Codable {
    package var handed = 0
    package var stored = 0
    /// Of `stored`: acknowledged as duplicates.
    package var duplicate = 0
    /// Refused by the server and therefore discarded by the app, by reason.
    package var refusedBy: [String: Int] = [:]
    /// Discarded by the app's own rule, by reason.
    package var droppedBy: [String: Int] = [:]
    /// Rejected by the last answer; still on their phones.
    package var failed = 0
    /// Sent without an answer; on their phones, and perhaps stored.
    package var unknown = 0
    package var waiting = 0
    /// Removed with their app before they were stored.
    package var removed = 0

    package init() {}

    package mutating func merge(_ other: Fixes) {
      handed += other.handed
      stored += other.stored
      duplicate += other.duplicate
      refusedBy.merge(other.refusedBy, uniquingKeysWith: +)
      droppedBy.merge(other.droppedBy, uniquingKeysWith: +)
      failed += other.failed
      unknown += other.unknown
      waiting += other.waiting
      removed += other.removed
    }

    package var refused: Int { refusedBy.values.reduce(0, +) }
    package var dropped: Int { droppedBy.values.reduce(0, +) }
  }

  package struct Answers: Equatable, Sendable, Codable {
    /// `registration`, `upload`, `backlog` or `readback`.
    package var request: String
    package var status: String
    /// The matching rule, from 1; null if none.
    @Nullable package var rule: Int?
    /// `stored`, `duplicate`, `partly`, `retry`, `refused`, `failed` or `unknown`; of a read-back
    /// `read` or `unread`.
    package var meaning: String
    package var count: Int

    package init(request: String, status: String, rule: Int?, meaning: String, count: Int) {
      self.request = request
      self.status = status
      self.rule = rule
      self.meaning = meaning
      self.count = count
    }
  }

  package struct Part: Equatable, Sendable, Codable {
    package var name: String
    package var metrics: RunRecord.Metrics

    package init(name: String, metrics: RunRecord.Metrics) {
      self.name = name
      self.metrics = metrics
    }
  }

  package struct Server: Equatable, Sendable, Codable {
    package var coresUsed: Double
    /// 0 if not reported.
    package var residentBytesMax: Double

    package init(coresUsed: Double, residentBytesMax: Double) {
      self.coresUsed = coresUsed
      self.residentBytesMax = residentBytesMax
    }
  }

  /// The fixes of the hours before the run, uploaded before it. Not part of other figures of a run.
  package struct Primed: Equatable, Sendable, Codable {
    /// The time before the run that it covers.
    package var scenarioSeconds = 0.0
    /// Phones that had sent something then.
    package var phones = 0
    /// Phones given up after the server had not taken a batch.
    package var phonesGivenUp = 0
    package var fixes = Fixes()
    /// Fixes not sent, since their phone was given up or it was stopped.
    package var left = 0
    package var requests = 0
    package var wallSeconds = 0.0
    /// The most requests a second allowed.
    package var perSecondMax = 0.0

    package init() {}

    package mutating func merge(_ other: Primed) {
      phones += other.phones
      phonesGivenUp += other.phonesGivenUp
      fixes.merge(other.fixes)
      left += other.left
      requests += other.requests
      wallSeconds = max(wallSeconds, other.wallSeconds)
    }

    package var sentence: String {
      let all = fixes.handed + left
      let rate =
        wallSeconds > 0 ? Figure.plain((Double(requests) / wallSeconds * 10).rounded() / 10) : "0"
      let rest =
        all == fixes.stored ? "" : "; \(Figure.grouped(all - fixes.stored)) not stored"
      return "Before the run, \(Figure.grouped(fixes.stored)) of \(Figure.grouped(all)) fixes of "
        + "the preceding \(Self.span(scenarioSeconds)) were uploaded in "
        + "\(Figure.plain((wallSeconds * 10).rounded() / 10)) s at \(rate) requests/s (limit "
        + "\(Figure.plain(perSecondMax)))\(rest)."
    }

    /// A duration such as `24 h` or `90 min`.
    package static func span(_ seconds: Double) -> String {
      seconds >= 7_200
        ? "\(Figure.plain((seconds / 360).rounded() / 10)) h"
        : "\(Figure.plain((seconds / 6).rounded() / 10)) min"
    }
  }

  package init(name: String, address: String, carrier: String, client: String) {
    self.name = name
    self.address = address
    self.carrier = carrier
    self.client = client
  }
}
