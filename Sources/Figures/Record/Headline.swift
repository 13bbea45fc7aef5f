internal import Core

/// A headline figure of a run: a tile of the report, and part of a closing line of the command.
package struct Headline: Sendable {
  package var id: String
  /// The word that begins a line of output; headlines with the same label share the line.
  package var label: String
  package var title: String
  package var value: Sentence
  /// The word after the value in output lines, which have no titles, such as "caused".
  package var word: String = ""
  /// The value's interval. If `isOfModel`, the interval is over sets of the model's parameters.
  package var interval: Sentence?
  package var isOfModel = false
  package var note: Sentence?
  /// The index of the headline's SLO in `RunRecord.slo`.
  package var level: Int?
  /// The column of `timeline.csv` for the headline's sparkline.
  package var column: String?
}

package struct Headlines {
  private let record: RunRecord
  private let facts: Facts

  package init(_ record: RunRecord, _ facts: Facts) {
    self.record = record
    self.facts = facts
  }

  /// All headlines in the order of a report, then one for each SLO without a headline.
  package var all: [Headline] {
    let found = [
      rate, uploads, response, fixes, fresh, located, answered, caused, sender, battery, server,
    ].compactMap(\.self)
    let shown = Set(found.compactMap(\.level))
    return found
      + record.slo.indices.filter { !shown.contains($0) }.compactMap { index in
        actual(index).map {
          Headline(
            id: record.slo[index].name, label: "slo", title: Self.title(record.slo[index].name),
            value: $0, word: Self.title(record.slo[index].name).lowercased(), level: index)
        }
      }
  }

  package var isLive: Bool {
    record.latency.response.count > 0 || record.latency.attempt.count > 0
  }

  /// Returns part of an output line: "56.9 % (SLO ≥ 40.0 % met) of reachable phones’ time".
  package func text(_ headline: Headline, _ record: RunRecord) -> String {
    var text = headline.value.text
    if !headline.word.isEmpty { text += " \(headline.word)" }
    if let interval = headline.interval { text += " (\(interval.text))" }
    if let level = headline.level, let limit = limit(level) {
      text += " (SLO \(limit.text) \(record.judged(record.slo[level]).rawValue))"
    }
    guard let note = headline.note?.text else { return text }
    let follows = ["of ", "for ", "within ", "in "].contains { note.hasPrefix($0) }
    return text + (follows ? " " : ", ") + note
  }

  // MARK: SLOs

  private func level(_ name: String) -> Int? { record.slo.firstIndex { $0.name == name } }

  private func form(_ index: Int) -> Facts.Form {
    switch record.slo[index].unit {
    case "µs": .time
    case "share": .percent
    default: .quantity
    }
  }

  private func actual(_ index: Int) -> Sentence? {
    facts.piece("slo.\(index).actual", form(index))
  }

  /// Returns the limit of an SLO, such as "≤ 50 ms".
  package func limit(_ index: Int) -> Sentence? {
    let isFloor = ["freshness", "located", "answered", "stored"].contains(record.slo[index].name)
    return facts.piece("slo.\(index).limit", form(index)).map { "\(isFloor ? "≥" : "≤") \($0)" }
  }

  static func title(_ name: String) -> String {
    switch name {
    case "responseP99": "Response"
    case "lost": "Lost"
    case "undelivered": "Undelivered fixes"
    case "failed": "Failed requests"
    case "stored": "Stored fixes"
    case "freshness": "Fresh"
    case "located": "Located"
    case "answered": "Pushes answered"
    default: name
    }
  }

  // MARK: Load

  private var rate: Headline? {
    let unit = record.target == nil ? "batches/s" : "requests/s"
    guard let offered = facts.piece("offered.batchesPerSecond", .quantity) else { return nil }
    let peak = facts.piece("offered.batchesPerSecondMax", .quantity)
    guard isLive, let served = facts.piece("throughput.batchesPerSecond", .quantity) else {
      return Headline(
        id: "throughput", label: "rate", title: "Rate", value: "\(offered) \(unit)",
        note: "in simulated time\(peak.map { ", \($0) in the busiest minute" as Sentence } ?? "")",
        column: "offered_per_s")
    }
    return Headline(
      id: "throughput", label: "rate", title: "Throughput", value: "\(served) \(unit)",
      note: """
        of \(offered) offered\(peak.map { ", \($0) in the busiest second" as Sentence } ?? "")
        """, column: "acked_per_s")
  }

  /// The uploads of a phone per day; nil for a load.
  private var uploads: Headline? {
    guard !isLive, let batches = facts.piece("demand.batchesPerPhoneDay", .quantity) else {
      return nil
    }
    return modelled(
      .batches, id: "uploads", label: "rate", title: "Uploads", value: batches,
      word: "uploads a day", note: "for each phone")
  }

  private var response: Headline? {
    let response = record.latency.response
    guard response.count > 0, let count = facts.piece("latency.response.count", .count) else {
      return nil
    }
    let half = percentile("p50").map { "p50 \($0), " as Sentence } ?? ""
    let failed = facts.piece("latency.response.censored", .count).map {
      ", \($0) failed" as Sentence
    }
    let unit = record.target == nil ? "batches" : "requests"
    return Headline(
      id: "response", label: "response", title: "Response",
      value: "p99 \(percentile("p99") ?? "unknown")",
      note: "\(half)\(count) \(unit)\(failed ?? "")", level: level("responseP99"),
      column: "response_p99_us")
  }

  private func percentile(_ name: String) -> Sentence? {
    let response = record.latency.response
    if response.generatorBound.contains(name) { return "generator-bound" }
    if response.beyond[name] != nil {
      return facts.piece("latency.response.beyond.\(name)", .time).map { "> \($0)" }
    }
    return facts.piece("latency.response.\(name)", .time)
  }

  private var fixes: Headline? {
    guard record.ledger.fixes.generated > 0,
      let generated = facts.piece("ledger.fixes.generated", .count),
      let acknowledged = facts.piece("ledger.fixes.acknowledged", .count),
      let filtered = facts.piece("ledger.fixes.filtered", .count),
      let outbox = facts.piece("ledger.fixes.outbox", .count)
    else { return nil }
    let lost = record.knowsLosses ? facts.piece("ledger.fixes.lost", .count) : nil
    let word = record.target?.acknowledges == false ? "sent" : "acknowledged"
    let account = record.ledger.fixes
    // These counts are mostly zero, but only with them do the parts add up to all generated fixes.
    let others = [
      ("evicted", account.evicted, "evicted"), ("refused", account.refused, "refused"),
      ("inFlight", account.inFlight, "in flight"),
    ].reduce("" as Sentence) { words, other in
      let (key, count, name) = other
      guard count > 0, let piece = facts.piece("ledger.fixes.\(key)", .count) else { return words }
      return "\(words), \(piece) \(name)"
    }
    return Headline(
      id: "lost", label: "fixes", title: "Lost", value: lost.map { "\($0) fixes" } ?? "not known",
      word: lost == nil ? "how many were lost" : "lost",
      note: """
        of \(generated) generated: \(acknowledged) \(word), \(filtered) filtered, \
        \(outbox) in outboxes\(others)
        """, level: level("lost"))
  }

  // MARK: Freshness and pushes

  private var fresh: Headline? {
    guard let share = facts.piece("freshness.reachable.share", .percent),
      let within = facts.piece("freshness.withinSeconds", .minutes)
    else { return nil }
    return modelled(
      .freshness, id: "fresh", label: "fresh", title: "Fresh", value: share,
      note: "of reachable phones’ time with a position at most \(within) old",
      level: level("freshness"), column: "fresh_reachable_now")
  }

  private var located: Headline? {
    guard let share = facts.piece("freshness.reachable.located", .percent),
      let meters = facts.piece("freshness.locatedMeters", .quantity)
    else { return nil }
    return modelled(
      .located, id: "located", label: "fresh", title: "Located", value: share, word: "located",
      note: "within \(meters) m of the true position", level: level("located"))
  }

  private func ratio(_ key: String, _ form: Facts.Form) -> (Sentence, Sentence?)? {
    facts.piece("\(key).value", form).map { ($0, range(key, form)) }
  }

  private func range(_ key: String, _ form: Facts.Form) -> Sentence? {
    guard let low = facts.piece("\(key).low", form), let high = facts.piece("\(key).high", form)
    else { return nil }
    return "\(low) – \(high)"
  }

  private var answered: Headline? {
    guard let (value, interval) = ratio("wake.answered", .percent),
      let requested = facts.piece("wake.requested", .count),
      let judged = facts.piece("wake.eligible", .count)
    else { return nil }
    let ignored = facts.piece("wake.unanswerable.requested", .count).map {
      ", \($0) to phones whose policy ignores pushes" as Sentence
    }
    return modelled(
      .answered, id: "answered", label: "pushes", title: "Pushes answered", value: value,
      word: "answered", interval: interval,
      note: "of \(judged) judged; \(requested) requested\(ignored ?? ""); \(ofSilent)",
      level: level("answered"))
  }

  private var caused: Headline? {
    guard let (value, interval) = ratio("wake.caused", .percent) else { return nil }
    let uplift = ratio("wake.uplift", .points).map { points, interval in
      let shown = model(.uplift, .points) ?? interval
      return "uplift \(points)\(shown.map { " (\($0))" as Sentence } ?? "") points" as Sentence
    }
    return modelled(
      .caused, id: "caused", label: "pushes", title: "Answered because of the push", value: value,
      word: "caused", interval: interval, note: uplift)
  }

  /// Words such as "21.8 % (15.1 – 30.2) of all silent phones".
  private var ofSilent: Sentence {
    guard let value = facts.piece("wake.allSilent.answered.value", .percent) else {
      return "share of all silent phones not known"
    }
    let interval = model(.answeredOfSilent, .points).map { " (\($0))" as Sentence }
    return "\(value)\(interval ?? "") of all silent phones"
  }

  // MARK: Over the model's parameters

  /// Returns the interval over sets of the model's parameters; nil without an ensemble.
  private func model(_ figure: StudyFigure, _ form: Facts.Form) -> Sentence? {
    range("ensemble.figures.\(figure.key)", form)
  }

  /// Returns a headline with the interval over sets of the model's parameters, or else `interval`.
  private func modelled(
    _ figure: StudyFigure, id: String, label: String, title: String, value: Sentence,
    word: String = "", interval: Sentence? = nil, note: Sentence?, level: Int? = nil,
    column: String? = nil
  ) -> Headline {
    let model = model(figure, figure.unit == .share ? .points : .quantity)
    return Headline(
      id: id, label: label, title: title, value: value, word: word, interval: model ?? interval,
      isOfModel: model != nil, note: note, level: level, column: column)
  }

  private var sender: Headline? {
    guard let accepted = facts.piece("sender.accepted", .count),
      let requests = facts.piece("sender.requests", .count)
    else { return nil }
    let each = facts.piece("sender.pushesPerCaused", .quantity).map {
      "; \($0) pushes per caused position" as Sentence
    }
    return Headline(
      id: "sender", label: "sender", title: "Your push sender", value: "\(accepted) accepted",
      note: "of \(requests) requests\(each ?? "")")
  }

  // MARK: Cost

  private var battery: Headline? {
    guard let percent = facts.piece("energy.perPhoneDay.percentOfBattery", .quantity),
      let joules = facts.piece("energy.perPhoneDay.joules", .quantity)
    else { return nil }
    return modelled(
      .battery, id: "battery", label: "battery", title: "Battery", value: "\(percent) %",
      word: "a day",
      note: "for tracking at the measured rate, \(joules) J, mean of all phones")
  }

  private var server: Headline? {
    guard let cores = facts.piece("machine.processes.collector.coresUsed", .quantity),
      let peak = facts.piece("machine.processes.collector.peakResidentBytes", .bytes)
    else { return nil }
    return Headline(
      id: "collector", label: "collector", title: "Collector", value: "\(cores) cores",
      note: "\(peak) peak memory",
      column: "collector_cores")
  }
}
