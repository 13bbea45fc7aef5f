/// Describes what a push sender of the user's own asked of the provider, and what it does wrong.
///
/// What its pushes caused stands in `RunRecord.wake`.
package struct SenderFigures: Equatable, Sendable, Codable {
  /// Counts its requests.
  package var requests = 0
  /// Counts those that were accepted, withheld ones among them.
  package var accepted = 0
  /// Counts the accepted pushes that were kept from their phones at random.
  package var withheld = 0
  /// Is the mean number of requests a second, from the first to the last.
  package var perSecond = 0.0
  /// Is the greatest number of requests within one second of the clock.
  package var busiestSecond = 0
  /// Holds a row for each status and reason that was answered, the accepted first.
  package var answers: [Answers] = []
  /// Holds the time from a whole request to its answer, in microseconds.
  package var answerTime = RunRecord.Metrics()
  /// Counts its connections.
  package var connections = 0
  /// Counts those that broke HTTP.
  package var brokenConnections = 0
  /// Is false where every provider token was taken.
  package var signaturesChecked = true
  /// Lists what it does wrong, or in vain.
  package var faults: [Fault] = []
  /// Holds a row for each way in which accepted pushes asked, most first.
  package var kinds: [Kind] = []
  /// Is the number of pushes requested for each that caused a position; null: none did.
  @Nullable package var pushesPerCaused: Double?
  /// Compares it with schedulers of Flotilla's own on the same phones and seed, itself first; empty
  /// where that was not asked.
  package var schedulers: [Scheduler] = []

  /// Counts the accepted pushes that say the same of themselves.
  package struct Kind: Equatable, Sendable, Codable {
    /// Is the type of push (`apns-push-type`).
    package var type: String
    /// Is 10, 5 or 1.
    package var priority: Int
    /// Is true where the payload says `content-available`: 1.
    package var contentAvailable: Bool
    /// Counts them.
    package var count: Int

    /// Makes a row.
    package init(type: String, priority: Int, contentAvailable: Bool, count: Int) {
      self.type = type
      self.priority = priority
      self.contentAvailable = contentAvailable
      self.count = count
    }

    /// Says it in words, without the count.
    package var name: String {
      "\(type), priority \(priority), content-available \(contentAvailable ? "1" : "left out")"
    }
  }

  /// Is what one scheduler reached on the phones of the run.
  package struct Scheduler: Equatable, Sendable, Codable {
    /// Is `your sender`, or the scheduler's name as in `push.scheduler`.
    package var name: String
    /// Counts its pushes in the measured time.
    package var requested: Int
    /// Is the share of those judged that was answered in time; null: none was judged.
    @Nullable package var answered: Ratio?
    /// Counts those that caused a position in time.
    package var caused: Int
    /// Is the number of pushes for each that caused a position; null: none did.
    @Nullable package var pushesPerCaused: Double?
    /// Is the share of reachable phone-time that was fresh.
    @Nullable package var fresh: Double?

    /// Takes what a run's record says of its pushes.
    package init(name: String, of record: RunRecord) {
      self.name = name
      requested = record.wake.requested
      answered = record.wake.answered
      caused = record.wake.outcomes[WakeOutcome.caused.rawValue] ?? 0
      pushesPerCaused = caused > 0 ? Double(requested) / Double(caused) : nil
      fresh = record.freshness.reachable.share
    }
  }

  /// Counts the requests that had the same answer.
  package struct Answers: Equatable, Sendable, Codable {
    /// Is the status of HTTP.
    package var status: Int
    /// Is the provider's reason; null where the push was accepted.
    @Nullable package var reason: String?
    /// Counts the requests.
    package var count: Int
    /// Is their mean number a second.
    package var perSecond: Double
    /// Is the greatest number of them within one second of the clock.
    package var busiestSecond: Int

    /// Makes a row.
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

  /// Is one thing that the sender does wrong, or in vain.
  package struct Fault: Equatable, Sendable, Codable {
    /// Is its name as a key, such as `urgentBackground`.
    package var fault: String
    /// Says it in words.
    package var name: String
    /// Counts how often it was seen.
    package var count: Int
    /// Is the first of them: a phone and the beginning of its token.
    package var example: String
    /// Is when that was: ISO 8601 in UTC, or the scenario's own time of what only phones know.
    package var at: String
    /// Says what the provider asks for, or does.
    package var advice: String

    /// Makes a row.
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

  /// Makes the figures of a sender that sent nothing.
  package init() {}

  /// Adds what the processes of a run know of one sender: the first has its requests, each has what
  /// its own phones met. Returns nil where none knows of any.
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

  /// Says the requests in one line for each matter, for a terminal and for a log.
  package var lines: [String] {
    var lines = [
      "\(Figure.grouped(requests)) pushes, \(Figure.grouped(accepted)) accepted, "
        + "\(Figure.grouped(withheld)) of them withheld; \(Figure.quantity(perSecond))/s, "
        + "\(Figure.grouped(busiestSecond)) in the busiest second"
        + (signaturesChecked ? "" : "; signatures were not checked")
    ]
    if !kinds.isEmpty {
      lines.append(kinds.map { "\($0.name): \(Figure.grouped($0.count))" }.joined(separator: "; "))
    }
    if let p50 = answerTime.p50 {
      let p99 = answerTime.p99.map { ", p99 \(Figure.time(Double($0)))" } ?? ""
      lines.append("answered in p50 \(Figure.time(Double(p50)))\(p99)")
    }
    lines += answers.compactMap { row in
      row.reason.map { reason in
        "\(row.status) \(reason): \(Figure.grouped(row.count)), "
          + "\(Figure.grouped(row.busiestSecond)) in the busiest second"
      }
    }
    lines += faults.map { fault in
      "\(fault.name): \(Figure.grouped(fault.count)), such as \(fault.example) at \(fault.at). "
        + fault.advice
    }
    if let pushesPerCaused {
      lines.append("\(Figure.quantity(pushesPerCaused)) pushes for each that caused a position")
    }
    lines += schedulers.map { scheduler in
      let answered = scheduler.answered.map { Figure.percent($0.value) } ?? "—"
      let each = scheduler.pushesPerCaused.map { " (\(Figure.quantity($0)) pushes each)" } ?? ""
      return "\(scheduler.name): \(Figure.grouped(scheduler.requested)) pushes, \(answered) "
        + "answered, \(Figure.grouped(scheduler.caused)) positions caused\(each), fresh "
        + (scheduler.fresh.map(Figure.percent) ?? "—")
    }
    return lines
  }
}
