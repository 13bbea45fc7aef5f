package import Core

/// The requests and errors of the user's push sender. The pushes' effects are in `RunRecord.wake`.
package struct SenderFigures: Equatable, Sendable, Codable {
  package var requests = 0
  /// The accepted requests, including those withheld from phones.
  package var accepted = 0
  /// The accepted pushes that were withheld from their phones at random.
  package var withheld = 0
  /// The mean rate from the first to the last request.
  package var perSecond = 0.0
  /// The most requests within one wall-clock second.
  package var busiestSecond = 0
  /// The counts of each status and reason, accepted pushes first.
  package var answers: [Answers] = []
  package var answerTime = RunRecord.Metrics()
  package var connections = 0
  package var brokenConnections = 0
  /// Whether signatures were checked; false if every provider token was accepted unchecked.
  package var signaturesChecked = true
  package var faults: [Fault] = []
  /// The counts of each kind of accepted push, the most frequent first.
  package var kinds: [Kind] = []
  /// The pushes per position that a push caused; null if no push caused a position.
  @Nullable package var pushesPerCaused: Double?
  /// The sender, then Flotilla's schedulers with the same phones and seed; empty if not compared.
  package var schedulers: [Scheduler] = []

  package struct Kind: Equatable, Sendable, Codable {
    /// The header `apns-push-type`.
    package var type: String
    /// The header `apns-priority`: 10, 5 or 1.
    package var priority: Int
    package var contentAvailable: Bool
    package var count: Int

    package init(type: String, priority: Int, contentAvailable: Bool, count: Int) {
      self.type = type
      self.priority = priority
      self.contentAvailable = contentAvailable
      self.count = count
    }

    package var name: String {
      "\(type), priority \(priority), content-available \(contentAvailable ? "1" : "omitted")"
    }
  }

  package struct Scheduler: Equatable, Sendable, Codable {
    package var name: String
    package var requested: Int
    /// The share of judged pushes answered within W; null if no push was judged.
    @Nullable package var answered: Ratio?
    @Nullable package var answeredOfSilent: Ratio?
    package var caused: Int
    /// The pushes per position that a push caused; null if no push caused a position.
    @Nullable package var pushesPerCaused: Double?
    @Nullable package var fresh: Double?

    package init(name: String, of record: RunRecord) {
      self.name = name
      requested = record.wake.requested
      answered = record.wake.answered
      answeredOfSilent = record.wake.answeredOfSilent
      caused = record.wake.outcomes[WakeOutcome.caused.rawValue] ?? 0
      pushesPerCaused = caused > 0 ? Double(requested) / Double(caused) : nil
      fresh = record.freshness.reachable.share
    }
  }

  package struct Answers: Equatable, Sendable, Codable {
    package var status: Int
    /// The provider's reason; null if the push was accepted.
    @Nullable package var reason: String?
    package var count: Int
    package var perSecond: Double
    package var busiestSecond: Int

    package init(
      status: Int, reason: String?, count: Int, perSecond: Double, busiestSecond: Int
    ) {
      self.status = status
      self.reason = reason
      self.count = count
      self.perSecond = perSecond
      self.busiestSecond = busiestSecond
    }
  }

  package struct Fault: Equatable, Sendable, Codable {
    /// The fault's key, such as `urgentBackground`.
    package var fault: String
    package var name: String
    package var count: Int
    /// The first occurrence: a phone and the beginning of its token.
    package var example: String
    /// The time of the example: ISO 8601 in UTC, or scenario time if only phones know the fault.
    package var at: String
    package var advice: String

    package init(
      fault: String, name: String, count: Int, example: String, at: String, advice: String
    ) {
      self.fault = fault
      self.name = name
      self.count = count
      self.example = example
      self.at = at
      self.advice = advice
    }
  }

  package init() {}

  /// Merges the figures of all processes. The first process counted the requests, and each process
  /// counted the faults of its phones. Returns nil without a sender.
  package static func merged(_ parts: [SenderFigures]) -> SenderFigures? {
    guard var all = parts.first else { return nil }
    for fault in parts.dropFirst().flatMap(\.faults) {
      guard let place = all.faults.firstIndex(where: { $0.fault == fault.fault }) else {
        all.faults.append(fault)
        continue
      }
      let earlier = fault.at < all.faults[place].at ? fault : all.faults[place]
      let count = all.faults[place].count + fault.count
      all.faults[place] = earlier
      all.faults[place].count = count
    }
    return all
  }

  package var lines: [String] {
    var lines = [
      "\(Figure.grouped(requests)) pushes, \(Figure.grouped(accepted)) accepted, "
        + "\(Figure.grouped(withheld)) of them withheld; \(Figure.quantity(perSecond))/s, "
        + "\(Figure.grouped(busiestSecond)) in the busiest second"
        + (signaturesChecked ? "" : "; signatures not checked")
    ]
    if !kinds.isEmpty {
      lines.append(kinds.map { "\($0.name): \(Figure.grouped($0.count))" }.joined(separator: "; "))
    }
    if let p50 = answerTime.p50 {
      let p99 = answerTime.p99.map { ", p99 \(Figure.time(Double($0)))" } ?? ""
      lines.append("response p50 \(Figure.time(Double(p50)))\(p99)")
    }
    lines += answers.compactMap { row in
      row.reason.map { reason in
        "\(row.status) \(reason): \(Figure.grouped(row.count)), "
          + "\(Figure.grouped(row.busiestSecond)) in the busiest second"
      }
    }
    lines += faults.map { fault in
      "\(fault.name): \(Figure.grouped(fault.count)), first \(fault.example) at \(fault.at). "
        + fault.advice
    }
    if let pushesPerCaused {
      lines.append("\(Figure.quantity(pushesPerCaused)) pushes per caused position")
    }
    lines += schedulers.map { scheduler in
      let answered = scheduler.answered.map { Figure.percent($0.value) } ?? "—"
      let silent = scheduler.answeredOfSilent.map { Figure.percent($0.value) } ?? "—"
      let each = scheduler.pushesPerCaused.map { " (\(Figure.quantity($0)) pushes each)" } ?? ""
      return "\(scheduler.name): \(Figure.grouped(scheduler.requested)) pushes, \(answered) "
        + "answered (\(silent) of all silent phones), \(Figure.grouped(scheduler.caused)) positions caused\(each), fresh "
        + (scheduler.fresh.map(Figure.percent) ?? "—")
    }
    return lines
  }
}
