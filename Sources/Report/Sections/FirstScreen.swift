internal import Capacity
internal import Core
internal import Figures

/// The first screen: sentences with every number cited by its key in `run.json`.
struct FirstScreen {
  @Boxed private var record: RunRecord
  private let facts: Facts
  private let sureness: Sureness

  /// - Parameter sensitivity: nil without a study of the scenario.
  /// - Parameter evidence: nil without a kept calibration.
  init(
    _ record: RunRecord, _ sensitivity: SensitivityRecord? = nil,
    _ evidence: PredictionEvidence? = nil
  ) {
    self.record = record
    facts = Facts(record)
    sureness = Sureness(record, facts, sensitivity, evidence)
  }

  private var isLive: Bool { record.latency.response.count > 0 || record.latency.attempt.count > 0 }

  var html: HTML {
    let question: HTML? = facts.cite("scenario.question", .text).map {
      "<p class=\"question\">\($0)</p>\n"
    }
    let answers: [(String, [HTML?])] = [
      ("Rate", rate), ("Silence", silence), ("Pushes", pushes), ("How sure", sureness.sentences),
      (isLive ? "This machine" : "What this was", isLive ? machine : simulation),
    ]
    let rows: [HTML] = answers.compactMap { title, sentences in
      let said = sentences.compactMap(\.self)
      guard !said.isEmpty else { return nil }
      return "<dt>\(title)</dt>\n<dd>\(said.joined(" "))</dd>\n"
    }
    return """
      <header id="answers">
      <h1>\(facts.cite("scenario.name", .text) ?? "Run")</h1>
      \(question ?? "")\(answer ?? "")\(verdict)<dl class="answers">
      \(rows)</dl>
      </header>

      """
  }

  private var answer: HTML? {
    Answer(record, facts).sentence.map { "<p class=\"answer\">\($0.html(facts))</p>\n" }
  }

  // MARK: Verdict

  private var verdict: HTML {
    let reasons: [HTML] = record.reasons.indices.compactMap { i in
      facts.cite("reasons.\(i)", .text).map { "<li>\($0)</li>\n" }
    }
    let list: HTML = reasons.isEmpty ? "" : "<ul>\n\(reasons)</ul>\n"
    return """
      <div class="verdict \(record.verdict.rawValue)">
      <p><strong>\(Words.verdict(record.verdict))</strong> \(verdictSentence)</p>
      \(list)</div>

      """
  }

  private var verdictSentence: HTML {
    switch record.verdict {
    case .loss:
      return
        "Data that phones were told to be stored is gone, or a ledger does not add up, because:"
    case .invalid:
      let limit: HTML =
        switch record.limit {
        case .generator: "The generator, not the collector,"
        case .others: "What else ran on this machine, not the collector,"
        case .collector: "The collector’s limit of open files, not its speed,"
        }
      return """
        \(limit) set some of the figures, so this run says nothing of the collector’s capacity, \
        because:
        """
    case .interrupted: return "The run ended before its measured time was complete:"
    case .notVerified:
      return "The run is valid, but what was acknowledged could not be verified, because:"
    case .sloMissed:
      return record.knowsLosses
        ? "The run is valid and nothing was lost, but a promise of the scenario was not kept:"
        : "The run is valid, but a promise of the scenario was not kept:"
    case .pass: return passSentence
    }
  }

  private var passSentence: HTML {
    let kept: [HTML] = record.slo.indices.compactMap { i in
      let level = record.slo[i]
      let form: Facts.Form =
        level.unit == "µs" ? .time : level.unit == "share" ? .percent : .quantity
      guard let actual = facts.cite("slo.\(i).actual", form),
        let limit = facts.cite("slo.\(i).limit", form)
      else { return nil }
      let floor = ["freshness", "located", "answered", "stored"].contains(level.name)
      return "\(Words.level(level.name)) \(actual) (\(floor ? "at least" : "at most") \(limit))"
    }
    guard !kept.isEmpty else {
      return record.knowsLosses
        ? "Nothing was lost; the scenario promises nothing else."
        : "Whether something was lost is not known; the scenario promises nothing else."
    }
    return "Every promise of the scenario was kept: \(kept.listed)."
  }

  // MARK: Rate

  private var rate: [HTML?] {
    guard let offered = facts.cite("offered.batchesPerSecond", .quantity) else { return [] }
    let second: HTML =
      record.target != nil
      ? "requests/s" : isLive ? "batches/s" : "batches per scenario second"
    let peak = facts.cite("offered.batchesPerSecondMax", .quantity)
    let peakText: HTML? = peak.map {
      isLive ? ", \($0) in the busiest second" : ", \($0) in the busiest minute"
    }
    return [
      "The fleet offered \(offered) \(second) on average\(peakText ?? "").", acknowledged,
      response,
    ]
  }

  private var acknowledged: HTML? {
    guard isLive, let mean = facts.cite("throughput.batchesPerSecond", .quantity) else {
      return nil
    }
    let peak: HTML? = facts.cite("throughput.batchesPerSecondMax", .quantity).map {
      ", \($0) in its best second"
    }
    if let target = facts.cite("target.name", .text) {
      return "\(target) took \(mean) requests/s\(peak ?? "")."
    }
    return "The collector acknowledged \(mean)\(peak ?? "")."
  }

  private var response: HTML? {
    let figures = record.latency.response
    let levels: [(RunRecord.Latency.Level, HTML)] = [
      (.p50, "half of the batches within"), (.p99, "99 in 100 within"),
    ]
    let parts: [HTML] = levels.compactMap { level, words in
      guard !figures.generatorBound.contains(level.rawValue) else { return nil }
      if figures.beyond[level.rawValue] != nil {
        return facts.cite("latency.response.beyond.\(level.rawValue)", .time).map {
          "\(words) no known time, more than \($0)"
        }
      }
      return facts.cite("latency.response.\(level.rawValue)", .time).map { "\(words) \($0)" }
    }
    guard !parts.isEmpty else { return nil }
    return "From its intended start to the durable answer: \(parts.listed)."
  }

  // MARK: Silence

  private var silence: [HTML?] {
    guard let fresh = facts.cite("freshness.reachable.share", .percent),
      let within = facts.cite("freshness.withinSeconds", .minutes)
    else { return [] }
    let all: HTML? = facts.cite("freshness.installed.share", .percent).map {
      " (\($0) of all phones’)"
    }
    let distorted: HTML? =
      record.freshness.distorted
      ? "These figures are distorted by the speed: see the verdict." : nil
    return [
      """
      The newest position was at most \(within) old in \(fresh) of the reachable phones’ \
      time\(all ?? "").
      """, causes, distorted,
    ]
  }

  private var causes: HTML? {
    guard let sum = facts.cite("stale", .sum) else { return nil }
    // Largest first; equal ones by name, so that equal records give equal pages.
    let ranked = record.stale.filter { $0.value > 0 }
      .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    guard !ranked.isEmpty else { return "No phone-minute was silent." }
    let parts: [HTML] = ranked.compactMap { cause, _ in
      facts.cite("stale.\(cause)", .shareOfAll).map { "\($0) \(Words.cause(cause))" }
    }
    return "All phones together were silent for \(sum) phone-minutes: \(parts.listed)."
  }

  // MARK: Pushes

  private var pushes: [HTML?] {
    guard record.wake.requested > 0, let requested = facts.cite("wake.requested", .count) else {
      return record.wake.withinSeconds == nil ? [] : ["No silent push was requested."]
    }
    let eligible: HTML? = facts.cite("wake.eligible", .count).map { "; \($0) can be judged" }
    let within = facts.cite("wake.withinSeconds", .minutes)
    let answered: HTML? = ratio("wake.answered", .percent).map {
      "\($0) were answered by a new position within \(within ?? "the limit")."
    }
    let caused: HTML? = ratio("wake.caused", .percent).map {
      "\($0) were answered because of the push."
    }
    let others: HTML? = facts.cite("wake.unanswerable.requested", .count).map {
      ", \($0) of phones whose policy answers none"
    }
    return [
      "The server requested \(requested) silent pushes\(others ?? "")\(eligible ?? "").", answered,
      caused, uplift,
      allSilent,
    ]
  }

  private var uplift: HTML? {
    guard let points = ratio("wake.uplift", .points) else { return nil }
    let without: HTML? = facts.cite("wake.answeredWithout.value", .percent).map {
      "Without the push \($0) report by themselves;"
    }
    let method: HTML =
      switch record.wake.upliftMethod {
      case .paired?: ", by living each push twice"
      case .holdout?: ", against pushes withheld at random"
      case nil: ""
      }
    return """
      \(without.map { $0 + " withholding" } ?? "Withholding") the push costs \(points) percentage \
      points of answers: its uplift\(method).
      """
  }

  private var allSilent: HTML? {
    guard let caused = facts.cite("wake.allSilent.caused.value", .percent),
      let occasions = facts.cite("wake.allSilent.occasions", .count)
    else { return nil }
    return """
      Of all \(occasions) silent occasions, those of phones that no push can reach among them, \
      \(caused) ended because of a push.
      """
  }

  private func ratio(_ key: String, _ form: Facts.Form) -> HTML? {
    guard let value = facts.cite("\(key).value", form) else { return nil }
    guard let low = facts.cite("\(key).low", form), let high = facts.cite("\(key).high", form)
    else { return value }
    return "\(value) <span class=\"interval\">(\(low) to \(high))</span>"
  }

  // MARK: The machine

  private var machine: [HTML?] {
    guard let phones = facts.cite("scenario.phones", .count) else { return [] }
    let speed = facts.cite("scenario.speed", .quantity)
    let rate = facts.cite("scenario.phones", .atSpeed)
    let scale: HTML? =
      record.scenario.speed == 1
      ? "\(phones) phones at \(speed ?? "their own") ×: one scenario second a second."
      : speed.flatMap { speed in
        rate.map { rate in
          """
          \(phones) phones at \(speed) × make the rate of \(rate), with the connections and \
          memory of \(phones).
          """
        }
      }
    return [scale, written, whereabouts, cost]
  }

  /// The encoding of batches, which determines their bytes.
  private var written: HTML? {
    guard let bytes = facts.cite("traffic.bytesPerFix", .quantity) else { return nil }
    if let target = record.target {
      guard let upload = target.upload else { return nil }
      return "An upload is a \(upload): \(bytes) bytes sent for each fix, heads included."
    }
    let words: String? =
      switch record.scenario.encoding {
      case "packed": "packed columns, the smallest encoding there is here"
      case "columns" where record.scenario.dictionary != nil:
        "columns through zstd with a dictionary"
      case "columns": "columns through zstd"
      case "rows": "rows, a plain message a fix"
      case "rows-gzip": "rows through gzip, as most backends have them"
      case "rows-zstd": "rows through zstd"
      case _: nil
      }
    return words.map { words -> HTML in
      let words = HTML.text(words)
      return
        "Phones wrote their batches as \(words): \(bytes) bytes sent for each fix, frames included."
    }
  }

  private var whereabouts: HTML {
    let isLoopback = record.machine.collectorAddress.map {
      $0.hasPrefix("127.") || $0.hasPrefix("localhost:") || $0.hasPrefix("[::1]:")
    }
    let isSecured = record[.handshakesFull] != nil
    let tls: HTML = isSecured ? "with TLS" : "without TLS"
    if let target = record.target {
      return "A backend of your own answered at \(target.address), \(tls)."
    }
    guard record.machine.collectorIsOurs == false else {
      let missing: HTML = isSecured ? "a radio network" : "a radio network, TLS"
      return """
        Flotilla’s reference collector answered on this machine, over loopback and \(tls): what \
        \(missing) or a backend of your own would add is not in these figures.
        """
    }
    let way: HTML = isLoopback == true ? "loopback and" : "the network between the two,"
    return "A collector that ran already answered, over \(way) \(tls)."
  }

  private var cost: HTML? {
    // Several generators are on machines of their own; the section on cost has their rows.
    guard record.machine.generators == nil else { return nil }
    let parts: [HTML] = ["generator", "collector"].compactMap { name in
      guard let cores = facts.cite("machine.processes.\(name).coresUsed", .quantity),
        let peak = facts.cite("machine.processes.\(name).peakResidentBytes", .bytes)
      else { return nil }
      return "the \(name) \(cores) cores and \(peak)"
    }
    guard !parts.isEmpty, let cores = facts.cite("machine.cores", .count) else { return nil }
    return "Of \(cores) cores, \(parts.listed) were used."
  }

  private var simulation: [HTML?] {
    guard let phones = facts.cite("scenario.phones", .count) else { return [] }
    return [
      """
      \(phones) phones lived in virtual time: no socket was opened, the network was ideal and the \
      server’s logic answered in process. So this run says what phones and pushes do, and nothing \
      of latency, throughput or what a collector costs.
      """
    ]
  }
}
