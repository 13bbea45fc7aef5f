/// Describes what a run sent to a backend of its user's own, and what that said.
///
/// There a row of the run's other figures is a request, not a batch: a batch may need several.
package struct TargetFigures: Equatable, Sendable, Codable {
  /// Is the target's name.
  package var name: String
  /// Is the server's address, without a path.
  package var address: String
  /// Is what carried the requests: `http`, `grpc` or `mqtt`.
  package var carrier: String
  /// Says which client's app the target follows.
  package var client: String
  /// Says what an upload is, such as `POST of JSON with up to 20 positions`; null: not known.
  @Nullable package var upload: String?
  /// Whether the server acknowledges what is sent; false over MQTT with QoS 0. Null: it does.
  @Nullable package var acknowledges: Bool?
  /// Counts the fixes that phones handed over, by what became of them.
  package var fixes = Fixes()
  /// Holds a row for each kind of request, status and rule.
  package var answers: [Answers] = []
  /// Holds the parts of a response in their order, of the measured time: "lag", "wait", "name",
  /// "TCP", "TLS", "written", "first byte", "answer".
  package var parts: [Part] = []
  /// Is what the server's own metrics say that it used; null: it was not asked, or did not say.
  @Nullable package var server: Server?
  /// Is what was sent ahead of the run; null: nothing.
  @Nullable package var primed: Primed?
  /// Says what the server was found to hold; null: it was not asked, and nothing is verified.
  @Nullable package var readback: Readback?

  /// Counts fixes by what became of them: each is in one state.
  package struct Fixes: Equatable, Sendable, Codable {
    /// Counts those that phones handed over to be sent.
    package var handed = 0
    /// Counts those that the server said to have.
    package var stored = 0
    /// Of those stored, counts the ones that it said to have had before.
    package var duplicate = 0
    /// Counts those that it refused, and that the app threw away therefore, by reason.
    package var refusedBy: [String: Int] = [:]
    /// Counts those that the app threw away by its own rule, by reason.
    package var droppedBy: [String: Int] = [:]
    /// Counts those that the last answer did not take; they are still on their phones.
    package var failed = 0
    /// Counts those that were sent and had no answer; they are on their phones, and perhaps stored.
    package var unknown = 0
    /// Counts those that were not sent yet.
    package var waiting = 0
    /// Counts those whose app was deleted before they were stored.
    package var removed = 0

    /// Makes counts of zero.
    package init() {}

    /// Adds the counts of other phones.
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

    /// Counts those refused, for all reasons.
    package var refused: Int { refusedBy.values.reduce(0, +) }
    /// Counts those that apps threw away, for all reasons.
    package var dropped: Int { droppedBy.values.reduce(0, +) }
  }

  /// Counts the requests of one kind that met the same answer.
  package struct Answers: Equatable, Sendable, Codable {
    /// Is the kind of request: `registration`, `upload`, `backlog` or `readback`.
    package var request: String
    /// Is the answer's status, or why there was none.
    package var status: String
    /// Is the rule that it met, from 1; null: none.
    @Nullable package var rule: Int?
    /// The meaning of that: `stored`, `duplicate`, `partly`, `retry`, `refused`, `failed` or
    /// `unknown`; of a read-back `read` or `unread`.
    package var meaning: String
    /// Counts the requests.
    package var count: Int

    /// Makes a row.
    package init(request: String, status: String, rule: Int?, meaning: String, count: Int) {
      self.request = request
      self.status = status
      self.rule = rule
      self.meaning = meaning
      self.count = count
    }
  }

  /// Is one part of a response, in microseconds.
  package struct Part: Equatable, Sendable, Codable {
    /// Is the part's name.
    package var name: String
    /// Holds its figures.
    package var metrics: RunRecord.Metrics

    /// Makes a part.
    package init(name: String, metrics: RunRecord.Metrics) {
      self.name = name
      self.metrics = metrics
    }
  }

  /// Is what the server used while the run was live, by its own metrics.
  package struct Server: Equatable, Sendable, Codable {
    /// Is its processor time for each second of the wall.
    package var coresUsed: Double
    /// Is its greatest resident memory, in bytes; 0: it does not say.
    package var residentBytesMax: Double

    /// Makes figures.
    package init(coresUsed: Double, residentBytesMax: Double) {
      self.coresUsed = coresUsed
      self.residentBytesMax = residentBytesMax
    }
  }

  /// Is what phones sent in the hours before the run, which a server was given ahead of it. In no
  /// other figure of a run.
  package struct Primed: Equatable, Sendable, Codable {
    /// Is how long before the run that time began, in seconds.
    package var scenarioSeconds = 0.0
    /// Counts the phones that had sent something then.
    package var phones = 0
    /// Counts those that were given up, after the server had not taken one of their batches.
    package var phonesGivenUp = 0
    /// Counts the fixes that were sent ahead, by what became of them.
    package var fixes = Fixes()
    /// Counts those that were not, of phones that were given up or since it was stopped.
    package var left = 0
    /// Counts the requests.
    package var requests = 0
    /// Is how long it took, in seconds.
    package var wallSeconds = 0.0
    /// Is the most requests a second that were allowed.
    package var perSecondMax = 0.0

    /// Makes the figures of nothing sent.
    package init() {}

    /// Adds what other phones sent meanwhile.
    package mutating func merge(_ other: Primed) {
      phones += other.phones
      phonesGivenUp += other.phonesGivenUp
      fixes.merge(other.fixes)
      left += other.left
      requests += other.requests
      wallSeconds = max(wallSeconds, other.wallSeconds)
    }

    /// Says in a sentence what the server was given.
    package var sentence: String {
      let all = fixes.handed + left
      let rate =
        wallSeconds > 0 ? Figure.plain((Double(requests) / wallSeconds * 10).rounded() / 10) : "0"
      let rest =
        all == fixes.stored ? "" : "; \(Figure.grouped(all - fixes.stored)) are not stored"
      return "\(Figure.grouped(fixes.stored)) of \(Figure.grouped(all)) fixes of the "
        + "\(Self.span(scenarioSeconds)) before were sent ahead in "
        + "\(Figure.plain((wallSeconds * 10).rounded() / 10)) s, by \(rate) of at most "
        + "\(Figure.plain(perSecondMax)) requests/s\(rest)."
    }

    /// Writes a span of time in seconds, such as `24 h` or `90 min`.
    package static func span(_ seconds: Double) -> String {
      seconds >= 7_200
        ? "\(Figure.plain((seconds / 360).rounded() / 10)) h"
        : "\(Figure.plain((seconds / 6).rounded() / 10)) min"
    }
  }

  /// Makes the figures of a target of which nothing was asked.
  package init(name: String, address: String, carrier: String, client: String) {
    self.name = name
    self.address = address
    self.carrier = carrier
    self.client = client
  }
}
