internal import Core

/// Renders `summary.md`, the verdict and its reasons first.
package func summaryMarkdown(_ record: RunRecord) -> String {
  let sections = [
    Summary.verdict(record), Summary.ledger(record), Summary.latency(record),
    Summary.serviceLevels(record), Summary.freshness(record), Summary.stale(record),
    Summary.systems(record), Summary.fixSources(record), Summary.clocks(record),
    Summary.events(record),
    Summary.wake(record), Summary.agreement(record), Summary.storm(record),
    Summary.energy(record), Summary.machine(record),
  ]
  return ForeignText.inMarkdown(
    sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n")
}

private enum Summary {
  static func verdict(_ record: RunRecord) -> String {
    let name = ForeignText.inLine(record.scenario.name)
    var lines = ["# \(name): \(record.verdict.rawValue)"]
    let question = ForeignText.inLine(record.scenario.question)
    if !question.isEmpty { lines += ["", "> \(question)"] }
    if let answer = Answer(record).sentence {
      lines += ["", "**\(ForeignText.inLine(answer.text))**"]
    }
    if !record.reasons.isEmpty {
      lines += [""] + record.reasons.map { "- \(ForeignText.inLine($0))" }
    }
    let phones = Figure.grouped(record.scenario.phones)
    var facts = "\(phones) phones, speed \(Figure.plain(record.scenario.speed)), "
    facts += "seed \(record.seed)"
    if let rate = record.offered.batchesPerSecond {
      facts += ", \(Figure.plain(rate)) batches/s offered"
    }
    if let rate = record.throughput.batchesPerSecond {
      facts += ", \(Figure.plain(rate)) batches/s acknowledged"
    }
    lines += ["", facts + "."]
    if let world = record.digest.world, let behaviour = record.digest.behaviour {
      lines += ["", ForeignText.inLine("Digests: plan `\(world)`, history `\(behaviour)`.")]
    }
    return lines.joined(separator: "\n")
  }

  static func agreement(_ record: RunRecord) -> String {
    guard let agreement = record.agreement else { return "" }
    let lines = agreement.sentences.map { "- \(ForeignText.inLine($0))" }
    return "## Live run and simulation compared\n\n\(lines.joined(separator: "\n"))"
  }

  static func ledger(_ record: RunRecord) -> String {
    let rows: [(String, KeyPath<Account, Int>)] = [
      ("lost", \.lost), ("generated", \.generated), ("of these carried in", \.carried),
      ("filtered", \.filtered), ("evicted", \.evicted), ("refused", \.refused),
      ("outbox", \.outbox), ("in flight", \.inFlight), ("acknowledged", \.acknowledged),
      ("received", \.received), ("distinct", \.distinct), ("duplicate", \.duplicate),
      ("rejected", \.rejected), ("undelivered", \.undelivered),
    ]
    return table(
      "Ledger", ["", "fixes", "batches"],
      rows.map {
        [
          $0.0,
          $0.1 == \.lost && !record.knowsLosses
            ? "—" : Figure.grouped(record.ledger.fixes[keyPath: $0.1]),
          Figure.grouped(record.ledger.batches[keyPath: $0.1]),
        ]
      })
  }

  static func events(_ record: RunRecord) -> String {
    guard let events = record.events, let account = record.ledger.events else { return "" }
    let lines = events.sentences(account, record.target?.eventReadback).map {
      "- \(ForeignText.inLine($0))"
    }
    return table("Events", EventFigures.head, events.rows) + "\n\n" + lines.joined(separator: "\n")
  }

  static func latency(_ record: RunRecord) -> String {
    guard record.latency.response.count > 0 else { return "" }
    let note = "\n\nResponse = generator lag + connect + hold + service, in wall-clock time."
    return table(
      "Latency", ["", "count", "failed", "mean", "p50", "p90", "p99", "p99.9", "max"],
      record.latency.rows)
      + note
  }

  static func serviceLevels(_ record: RunRecord) -> String {
    guard !record.slo.isEmpty else { return "" }
    return table(
      "SLOs", ["", "limit", "actual", "unit", ""],
      record.slo.map {
        [
          $0.name, Figure.plain($0.limit), $0.actual.map(Figure.plain) ?? "—", $0.unit,
          record.judged($0).rawValue,
        ]
      })
  }

  static func freshness(_ record: RunRecord) -> String {
    let freshness = record.freshness
    let populations = freshness.populations
    guard populations.contains(where: { $0.1.never != nil }) else { return "" }
    let within = freshness.withinSeconds.map { "fresh (\(Figure.plain($0 / 60)) min)" } ?? "fresh"
    let near = freshness.locatedMeters.map { "located (\(Figure.plain($0)) m)" } ?? "located"
    let rows = populations.map { name, population in
      [
        name, share(population.share), share(population.located), share(population.never),
        minutes(population.p50), minutes(population.p95), minutes(population.p99),
      ]
    }
    let note =
      freshness.distorted
      ? "\n\nFreshness is distorted: `speed` times the response exceeds the phones' timers." : ""
    return table("Freshness", ["", within, near, "never", "age p50", "p95", "p99"], rows) + note
  }

  static func stale(_ record: RunRecord) -> String {
    let sum = record.stale.values.reduce(0, +)
    guard sum > 0 else { return "" }
    return table(
      "Why phones were not fresh", ["cause", "phone-minutes", "share"],
      record.stale.ranked.map { [$0.key, Figure.grouped($0.value), share($0.value / sum)] })
  }

  static func systems(_ record: RunRecord) -> String {
    guard let systems = record.systems else { return "" }
    return table("Systems", SystemFigures.head, systems.map(\.cells))
  }

  static func fixSources(_ record: RunRecord) -> String {
    let sources = record.rankedFixSources
    guard !sources.isEmpty else { return "" }
    return table(
      "Sources of kept positions", ["source", "fixes", "share", "error p50", "error p95"],
      sources.map { name, figures in
        [
          name, Figure.grouped(figures.fixes), share(figures.share),
          figures.errorMedian.map { "\(Figure.quantity($0)) m" } ?? "—",
          figures.errorP95.map { "\(Figure.quantity($0)) m" } ?? "—",
        ]
      })
  }

  static func clocks(_ record: RunRecord) -> String {
    guard let clocks = record.clocks, !clocks.sentence.isEmpty else { return "" }
    return table("Clock offsets", ClockFigures.head, clocks.rows)
      + "\n\n\(clocks.sentence)"
  }

  static func wake(_ record: RunRecord) -> String {
    let wake = record.wake
    guard wake.requested > 0 else { return "" }
    let rows = WakeOutcome.allCases.compactMap { outcome -> [String]? in
      guard let count = wake.outcomes[outcome.rawValue], count > 0 else { return nil }
      return [
        outcome.rawValue, Figure.grouped(count), share(Double(count) / Double(wake.requested)),
      ]
    }
    return [table("Silent pushes", ["outcome", "pushes", "share"], rows), wake.summaryLines]
      .joined(separator: "\n\n")
  }

  static func storm(_ record: RunRecord) -> String {
    guard let storms = record.storm, !storms.isEmpty else { return "" }
    return table("After each outage", StormFigures.head, storms.map(\.cells))
  }

  static func energy(_ record: RunRecord) -> String {
    guard record.energy.perPhoneDay != nil else { return "" }
    let energy = table(
      "Energy of tracking per phone-day",
      ["", "policy", "joules", "% of battery", "battery settings"], record.energy.summaryRows)
    guard let batteries = record.energy.batteries, !batteries.isEmpty else { return energy }
    return energy + "\n\n"
      + table("Batteries", BatteryFigures.head, batteries.map(\.cells))
  }

  static func machine(_ record: RunRecord) -> String {
    guard !record.machine.processes.isEmpty else { return "" }
    let rows = record.machine.processes.sorted { $0.key > $1.key }.map { name, use in
      [
        name, "\(Figure.plain(use.cpuSeconds)) s", Figure.plain(use.coresUsed),
        Figure.bytes(use.peakResidentBytes),
      ]
    }
    let generators = record.machine.generators.map {
      "\n\n" + table("Generators", GeneratorFacts.head, $0.map(\.cells))
    }
    return table("Machine", ["", "CPU", "cores used", "peak memory"], rows)
      + (generators ?? "")
      + (record.machine.waitingSentence.map { "\n\n\($0)" } ?? "")
      + "\n\n\(record.machine.cores) cores, \(Figure.bytes(record.machine.memoryBytes)), "
      + "\(ForeignText.inLine(record.machine.system))."
  }

  // MARK: Pieces

  private static func table(_ title: String, _ head: [String], _ rows: [[String]]) -> String {
    let rule = head.indices.map { $0 == 0 ? "---" : "---:" }
    let lines = [head, rule] + rows
    return "## \(title)\n\n" + lines.map(ForeignText.inMarkdown(row:)).joined(separator: "\n")
  }

  private static func share(_ value: Double?) -> String { value.map(Figure.percent) ?? "—" }
  private static func minutes(_ seconds: Double?) -> String {
    seconds.map { "\(Figure.plain(($0 / 6).rounded() / 10)) min" } ?? "—"
  }
}

extension EnergyFigures {
  fileprivate var summaryRows: [[String]] {
    func row(_ name: String, _ policy: String, _ day: PhoneDay?) -> [String] {
      [
        name, policy, day.map { Figure.quantity($0.joules) } ?? "—",
        day.map { "\(Figure.quantity($0.percentOfBattery)) %" } ?? "—",
        day.map { Figure.percent($0.screenShare) } ?? "—",
      ]
    }
    let cohorts = cohorts ?? []
    let fleet = row("fleet", cohorts.count == 1 ? cohorts[0].policy : "—", perPhoneDay)
    return [fleet]
      + (cohorts.count > 1 ? cohorts.map { row($0.name, $0.policy, $0.perPhoneDay) } : [])
  }
}

extension RunRecord.Wake {
  fileprivate var summaryLines: String {
    let within = withinSeconds.map { " within \(Figure.plain($0 / 60)) min" } ?? ""
    let method = upliftMethod.map { " (\($0.rawValue))" } ?? ""
    let ratios = [
      ("Answered\(within)", answered), ("caused", caused), ("uplift\(method)", uplift),
    ].map { "\($0.0) \(Self.text($0.1))" }
    var lines = [
      "\(Figure.grouped(requested)) requested, \(Figure.grouped(eligible)) eligible. "
        + "\(ratios.joined(separator: ", "))."
    ]
    if upliftMethod == .paired, let upliftHoldout {
      lines.append("Uplift by the holdout, as known to a server: \(Self.text(upliftHoldout)).")
    }
    if let windows, windows.count > 1 {
      let others = windows.map {
        "\(Figure.plain($0.withinSeconds / 60)) min \(Self.text($0.answered))"
      }
      lines.append("Answered within \(others.joined(separator: ", ")).")
    }
    if let curve = curves?.answered ?? curves?.caused {
      let times = [
        ("25 %", curve.lowerQuartileSeconds), ("50 %", curve.medianSeconds),
        ("75 %", curve.upperQuartileSeconds),
      ].map { name, seconds in
        seconds.map { "\(name) within \(Figure.plain(($0 * 10).rounded() / 10)) s" }
          ?? "\(name) never"
      }
      let what = curves?.answered == nil ? "Caused" : "Answered"
      lines.append("\(what): \(times.joined(separator: ", ")).")
    }
    if let unanswerable {
      lines.append(
        "\(Figure.grouped(unanswerable.requested)) pushes went to phones whose policy ignores "
          + "pushes; these figures exclude them.")
    }
    if let allSilent {
      lines.append(
        "Including unreachable phones (\(Figure.grouped(allSilent.occasions)) occasions): "
          + "answered \(Self.text(allSilent.answered)), caused \(Self.text(allSilent.caused)).")
    }
    return lines.joined(separator: "\n")
  }

  private static func text(_ ratio: Ratio?) -> String {
    guard let ratio else { return "—" }
    return "\(Figure.percent(ratio.value)) "
      + "(\(Figure.percent(ratio.low)) – \(Figure.percent(ratio.high)))"
  }
}
