internal import Core
package import Figures

/// Renders one interval of a live run as one line: time, phase, share, then `key=value` fields.
package enum PlainLine {
  /// Returns the line without a newline; a missing value is `-`.
  package static func text(_ interval: LiveInterval) -> String {
    let row = interval.row
    var fields = [
      interval.snapshot.progress.scenarioTime, row.phase,
      "\(Int((interval.share * 100).rounded()))%",
      "offered=\(Figure.plain(row.offeredPerSecond.rounded()))/s",
      "acked=\(Figure.plain(row.acknowledgedPerSecond.rounded()))/s",
      "failed=\(Figure.plain(row.failedPerSecond.rounded()))/s",
      "p50=\(time(row.responseP50Microseconds))", "p99=\(time(row.responseP99Microseconds))",
      "lag99=\(time(row.generatorLagP99Microseconds))", "inflight=\(row.inFlight)",
      "outbox=\(row.outboxFixes)", "fresh=\(share(row.freshReachable))",
      "pushes=\(row.pushesRequested)",
    ]
    if let sender = interval.snapshot.sender {
      fields.append("sender=\(Figure.plain(sender.requestsPerSecond.rounded()))/s")
    }
    if let cores = row.generatorCores { fields.append("gen=\(Figure.plain(cores))cpu") }
    if let cores = row.collectorCores { fields.append("col=\(Figure.plain(cores))cpu") }
    for process in interval.snapshot.processes {
      guard let waited = process.waited else { continue }
      fields.append("\(process.name.prefix(3))wait=\(Figure.plain((waited * 100).rounded() / 100))")
    }
    return fields.joined(separator: " ")
  }

  private static func time(_ microseconds: Int64?) -> String {
    microseconds.map { Figure.time(Double($0)).replacing(" ", with: "") } ?? "-"
  }

  private static func share(_ value: Double?) -> String {
    value.map { Figure.percent($0).replacing(" ", with: "") } ?? "-"
  }
}

/// The last lines of a run's output: answer, verdict, reasons, headlines, and use by process.
package enum VerdictLines {
  package static func lines(_ record: RunRecord) -> [String] {
    var lines: [String] = []
    func say(_ label: String, _ sentences: [String]) {
      lines += sentences.enumerated().map { ($0 == 0 ? label : "").padding(to: 9) + $1 }
    }
    let facts = Facts(record)
    let headlines = Headlines(record, facts)
    if let answer = Answer(record, facts).sentence { say("answer", [answer.text]) }
    say("verdict", [record.verdict.rawValue] + record.reasons)
    // Headlines of the collector are left out, because each process has a line below.
    let shown = headlines.all.filter { $0.label != "collector" }
    var labels: [String] = []
    for headline in shown where !labels.contains(headline.label) { labels.append(headline.label) }
    for label in labels {
      let parts = shown.filter { $0.label == label }.map { headlines.text($0, record) }
      say(label, [parts.joined(separator: "; ")])
      if label == "pushes" { lines += typeLines(record.wake) }
      if label == "response" { say("target", record.target?.lines ?? []) }
    }
    if let account = record.ledger.events {
      say("events", record.events?.sentences(account, record.target?.eventReadback) ?? [])
    }
    say("systems", record.systemSentence.map { [$0] } ?? [])
    say("model", [record.ensemble?.sentence].compactMap(\.self))
    say("sender", record.sender?.lines ?? [])
    say("twin", record.agreement?.sentences ?? [])
    for storm in record.storm ?? [] {
      let peak = storm.amplification.map { "\(Figure.quantity($0)) ×" } ?? "—"
      let back = storm.drainSeconds.map { "\(Figure.quantity($0)) s" } ?? "—"
      say("storm", ["\(peak) the normal rate after a \(storm.kind), normal again after \(back)"])
    }
    for (name, use) in record.machine.processes.sorted(by: { $0.key < $1.key }) {
      let (cores, peak) = (Figure.plain(use.coresUsed), Figure.bytes(use.peakResidentBytes))
      say(
        name, ["\(cores) cores, \(peak) peak memory\(waited(use, record))\(served(name, record))"])
    }
    return lines
  }

  /// Returns a line for each type of push if there are several, because alerts pass other gates.
  private static func typeLines(_ wake: RunRecord.Wake) -> [String] {
    guard let types: [WakeGroup] = wake.types else { return [] }
    return types.map { (type: WakeGroup) -> String in
      let stopped = WakeOutcome.allCases.filter {
        $0 != .caused && type.outcomes[$0.rawValue] ?? 0 > 0
      }
      let most = stopped.sorted {
        (type.outcomes[$1.rawValue] ?? 0, $0.rawValue)
          < (type.outcomes[$0.rawValue] ?? 0, $1.rawValue)
      }.prefix(3).map { "\(Figure.grouped(type.outcomes[$0.rawValue] ?? 0)) \($0.rawValue)" }
      let shown =
        type.name == "alert" ? wake.shown.map { ", \(Figure.grouped($0)) shown" } ?? "" : ""
      return "         \(type.name): \(Figure.grouped(type.requested))\(shown), "
        + "\(Figure.grouped(type.outcomes[WakeOutcome.caused.rawValue] ?? 0)) caused"
        + (most.isEmpty ? "" : "; \(most.joined(separator: ", "))")
    }
  }

  /// Returns the work of a process as a text: batches and restarts for one of several collectors,
  /// rate and lag for a generator, "" for any other process.
  private static func served(_ name: String, _ record: RunRecord) -> String {
    if let row = record.machine.generators?.first(where: { $0.name == name }) {
      let lag = row.lagMaxMicroseconds.map { ", lag at most \(Figure.time(Double($0)))" } ?? ""
      return (row.batchesPerSecond.map { ", \(Figure.quantity($0)) batches/s" } ?? "") + lag
    }
    guard let facts = record.machine.collectors?.first(where: { $0.name == name }) else {
      return ""
    }
    let batches = facts.acknowledgedBatches.map { ", \(Figure.grouped($0)) batches" } ?? ""
    return batches + (facts.restarts > 0 ? ", restarts \(facts.restarts)" : "")
  }

  /// Returns ", runnable but not scheduled for 1.2 s" if the wait may have mattered; otherwise "".
  private static func waited(_ use: RunRecord.ProcessUse, _ record: RunRecord) -> String {
    let measured = record.phases.measure / max(record.scenario.speed, 1e-9)
    guard let waited = use.waitedSeconds, waited >= waitedShareShown * measured else { return "" }
    return ", runnable but not scheduled for \(Figure.plain((waited * 10).rounded() / 10)) s"
  }

  private static let waitedShareShown = 0.01
}

extension TargetFigures {
  fileprivate var lines: [String] {
    let others = [
      ("refused", fixes.refused), ("dropped by the app", fixes.dropped), ("failed", fixes.failed),
      ("unknown", fixes.unknown), ("not sent yet", fixes.waiting),
    ].filter { $0.1 > 0 }
    let counts = ([(storedLabel, fixes.stored)] + others).map { "\(Figure.grouped($1)) \($0)" }
    var lines = [
      "\(name): \(counts.joined(separator: ", ")), of \(Figure.grouped(fixes.handed)) fixes"
    ]
    if let primed { lines.append(primed.sentence) }
    for row in answers where !["stored", "duplicate", "read"].contains(row.meaning) {
      let rule = row.rule.map { "rule \($0)" } ?? "no rule"
      let times = "\(Figure.grouped(row.count)) ×"
      lines.append("\(row.request) \(row.status), \(rule): \(row.meaning), \(times)")
    }
    if let views { lines.append(views.sentence) }
    let medians = parts.compactMap { part in
      part.metrics.p50.flatMap { $0 > 0 ? "\(part.name) \(Figure.time(Double($0)))" : nil }
    }
    if !medians.isEmpty {
      lines.append("median parts of a request: \(medians.joined(separator: ", "))")
    }
    return lines
  }
}

extension String {
  fileprivate func padding(to width: Int) -> String {
    count < width ? self + String(repeating: " ", count: width - count) : self + " "
  }
}
