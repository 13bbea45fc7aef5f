package import Core

/// The requests of a run to the user's backend, and the backend's answers. In a run with a target,
/// other figures count requests instead of batches, because a batch may need several requests.
package struct TargetFigures: Equatable, Sendable, Codable {
  package var name: String
  /// The address of the server, without a path.
  package var address: String
  /// The protocol of the server: `http`, `grpc` or `mqtt`.
  package var carrier: String
  /// The client app that the target follows.
  package var client: String
  /// The kind of upload, such as `POST of JSON with up to 20 positions`; null if unknown.
  @Nullable package var upload: String?
  /// Whether the server acknowledges uploads: false over MQTT with QoS 0. Null means true.
  @Nullable package var acknowledges: Bool?
  package var fixes = Fixes()
  package var answers: [Answers] = []
  /// The parts of a response in the measured time, in order: "lag", "wait", "name", "TCP", "TLS",
  /// "written", "first byte" and "answer".
  package var parts: [Part] = []
  /// The server's use of CPU and memory by its own metrics; null if unavailable.
  @Nullable package var server: Server?
  @Nullable package var primed: Primed?
  /// The fixes read back from the server; null without a read-back, so that nothing is verified.
  @Nullable package var readback: Readback?
  /// The events that the server holds, in the fields of fixes; null without a read-back of events.
  @Nullable package var eventReadback: Readback?
  /// What viewers read; absent without viewers.
  package var views: Views?

  /// The number of fixes in each state. Every fix is in one state.
  package struct Fixes: Equatable, Sendable, Codable {
    package var handed = 0
    package var stored = 0
    /// The part of `stored` that was acknowledged as duplicates.
    package var duplicate = 0
    /// Fixes refused by the server and therefore discarded by the app, by reason.
    package var refusedBy: [String: Int] = [:]
    /// Fixes discarded by a rule of the app, by reason.
    package var droppedBy: [String: Int] = [:]
    /// Fixes that the last answer rejected, and that are still on their phones.
    package var failed = 0
    /// Fixes sent without an answer: still on their phones, and perhaps stored.
    package var unknown = 0
    package var waiting = 0
    /// Fixes removed with the app before they were stored.
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
    /// The kind of request: `registration`, `upload`, `backlog` or `readback`.
    package var request: String
    package var status: String
    /// The number of the target's rule that matched, from 1; null if none did.
    @Nullable package var rule: Int?
    /// The meaning of the answer: `stored`, `duplicate`, `partly`, `retry`, `refused`, `failed` or
    /// `unknown`. Answers to a read-back are `read` or `unread`.
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
    /// The greatest resident memory; 0 if not reported.
    package var residentBytesMax: Double

    package init(coresUsed: Double, residentBytesMax: Double) {
      self.coresUsed = coresUsed
      self.residentBytesMax = residentBytesMax
    }
  }

  /// The reads of positions by owners who watch other phones, in no other figure.
  package struct Views: Equatable, Sendable, Codable {
    package var viewers = 0
    /// The looks at the app.
    package var sessions = 0
    package var reads = 0
    package var perSecondMax = 0
    /// The reads without a readable answer.
    package var failed = 0
    /// The answers without a position from this run.
    package var empty = 0
    /// The answers with a position that the viewer had already seen.
    package var unchanged = 0
    /// The rounds of reads left out because the last round was not answered.
    package var lateRounds = 0
    /// The messages that the server sent to viewers, their bytes, and their number per stored upload;
    /// absent if viewers send reads.
    package var messages: Int?
    package var bytes: Int?
    package var perUpload: Double?
    /// The age of a position when a viewer saw it.
    package var age = SecondsSpread()
    package var response = RunRecord.Metrics()

    package init() {}

    package var sentence: String {
      if let messages { return sentence(messages) }
      let seen = max(age.count, reads - failed - empty)
      let same = seen > 0 ? "\(Figure.percent(Double(unchanged) / Double(seen))) unchanged, " : ""
      return "\(Figure.grouped(reads)) reads by \(Figure.grouped(viewers)) viewers in "
        + "\(Figure.grouped(sessions)) looks at the app, \(Figure.grouped(perSecondMax)) in the "
        + "busiest second; positions seen: p50 \(SecondsSpread.text(age.p50)) old, p95 "
        + "\(SecondsSpread.text(age.p95)), \(same)\(Figure.grouped(empty)) empty, "
        + "\(Figure.grouped(failed)) failed"
    }

    private func sentence(_ messages: Int) -> String {
      let each = perUpload.map { ", \(Figure.plain(($0 * 100).rounded() / 100)) per stored upload" }
      return "\(Figure.grouped(messages)) messages to \(Figure.grouped(viewers)) viewers in "
        + "\(Figure.grouped(sessions)) looks at the app, \(Figure.bytes(Double(bytes ?? 0)))"
        + "\(each ?? ""), \(Figure.grouped(perSecondMax)) in the busiest second; positions seen: "
        + "p50 \(SecondsSpread.text(age.p50)) old, p95 \(SecondsSpread.text(age.p95)), "
        + "\(Figure.grouped(unchanged)) not newer, \(Figure.grouped(empty)) messages without one, "
        + "\(Figure.grouped(failed)) failed"
    }
  }

  /// The fixes of the hours before the run, uploaded in advance and counted in no other figure.
  package struct Primed: Equatable, Sendable, Codable {
    /// The time before the run that the uploaded fixes cover.
    package var scenarioSeconds = 0.0
    /// The phones that had sent something in the hours before the run.
    package var phones = 0
    /// The phones given up because the server did not take a batch.
    package var phonesGivenUp = 0
    package var fixes = Fixes()
    /// The fixes not sent, because their phone was given up or the upload was stopped.
    package var left = 0
    package var requests = 0
    package var wallSeconds = 0.0
    /// The limit of requests per second.
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

    /// Returns a duration such as `24 h` or `90 min`.
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
