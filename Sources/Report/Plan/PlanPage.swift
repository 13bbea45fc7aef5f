internal import Capacity
package import Figures
internal import SimulationCore

/// The page of a demand or a plan: the answer, what it rests on, what was assumed, and how to ask
/// again.
struct PlanPage {
  @Boxed private var record: RunRecord
  private let facts: Facts
  private let page: Page
  let demand: DemandRecord
  let capacity: CapacityRecord?
  let size: SizeRecord?
  let growth: GrowthRecord?

  /// nil: the record is of neither.
  init?(_ record: RunRecord, _ page: Page) {
    guard let plan = record.plan else { return nil }
    self.record = record
    self.page = page
    demand = plan.demand
    facts = Facts(record)
    capacity = plan.capacity
    size = plan.size
    growth = plan.growth
  }

  var title: String {
    "\(record.scenario.name): \(isPlan ? "plan" : "demand"), \(record.verdict.rawValue)"
  }

  /// Else it is of a demand alone.
  private var isPlan: Bool { size != nil || growth != nil || record.targetCapacity != nil }

  var html: HTML {
    let capacities = capacity.map { CapacitySections($0, page) }
    let sizes = size.map { SizeSections($0, demand, page) }
    let checks = capacity.map { PlanChecks($0).html(page) }
    return """
      \(head)\(checks ?? "")\(growth.map { GrowthWords($0).html(page) } ?? "")\
      \(sizes?.resources ?? "")\(sizes?.assumptions ?? "")\
      \(DemandSections(demand, record, page).html)\(sizes?.storm ?? "")\
      \(capacities?.latency ?? "")\(capacities?.goodput ?? "")\(capacities?.law ?? "")\
      \(sizes?.costs(capacity) ?? "")\(sizes?.sensitivity ?? "")\(sizes?.alternatives ?? "")\
      \(capacities?.trials ?? "")\(targetSteps)\(repro)
      """
  }

  /// The steps of a search against a backend of the user's own.
  private var targetSteps: HTML {
    guard let found = record.targetCapacity else { return "" }
    func time(_ value: Int64?) -> String { value.map { Figure.time(Double($0)) } ?? "—" }
    return page.section(
      "steps", "What \(found.name) was offered",
      """
      Each step offers a quarter more uploads than the one before, evenly and whether or not \
      earlier ones were answered; the search ends at the first level of service that is broken. \
      \(found.sentence)
      """,
      open: Table(
        head: ["uploads/s", "s", "stored", "failed", "open", "p50", "p99", "lag p99", ""],
        rows: found.steps.map {
          [
            Figure.quantity($0.load), Figure.plain($0.seconds), Figure.grouped($0.stored),
            Figure.grouped($0.failed), Figure.grouped($0.open), time($0.p50Microseconds),
            time($0.p99Microseconds), time($0.lagP99Microseconds),
            $0.invalid ?? $0.broke ?? "carried",
          ]
        }, words: [8]),
      tables: [], notes: [])
  }

  // MARK: The first screen

  private var head: HTML {
    let question: HTML? = facts.cite("scenario.question", .text).map {
      "<p class=\"question\">\($0)</p>\n"
    }
    let answer: HTML? = Answer(record, facts).sentence.map {
      "<p class=\"answer\">\($0.html(facts))</p>\n"
    }
    let reasons: [HTML] = record.reasons.indices.compactMap { i in
      facts.cite("reasons.\(i)", .text).map { "<li>\($0)</li>\n" }
    }
    let list: HTML = reasons.isEmpty ? "" : "<ul>\n\(reasons)</ul>\n"
    return """
      <header id="answers">
      <h1>\(facts.cite("scenario.name", .text) ?? "Plan")</h1>
      \(question ?? "")\(answer ?? "")<div class="verdict \(record.verdict.rawValue)">
      <p><strong>\(Words.verdict(record.verdict))</strong> \(verdictSentence)</p>
      \(list)</div>
      <dl class="answers">
      \(rows)</dl>
      </header>

      """
  }

  private var verdictSentence: String {
    switch record.verdict {
    case .loss: "Data that was acknowledged is gone."
    case .invalid: "The generator, not the collector, set some of the figures, because:"
    case .interrupted: "It ended before all was done; what there is stands below:"
    case .notVerified: "What was acknowledged could not be verified, because:"
    case .sloMissed: "The plan is complete, but what it rests on did not hold:"
    case .pass:
      switch (isPlan, capacity?.source) {
      case (false, _): "The demand is complete."
      case (true, _) where record.targetCapacity != nil:
        "The search is complete: it ended at the first level of service that was broken."
      case (true, .measured): "The plan is complete, and every trial it rests on is valid."
      case (true, _): "The plan is complete; its capacity was given, not measured."
      }
    }
  }

  private var rows: [HTML] {
    let answers = Answer(record, facts)
    let all: [(String, [HTML?])] = [
      ("Demand", [demandAnswer]),
      (
        "How many phones can a server take?",
        [capacityAnswer, breakAnswer, record.targetCapacity.map { "\($0.sentence) \($0.ended)" }]
      ),
      (
        "How fresh is the data, and what does it cost?",
        [answers.sentence(of: .freshness)?.html(facts), batteryAnswer]
      ),
      (
        "Which silent phones can a push wake?",
        [record.wake.withinSeconds == nil ? nil : answers.sentence(of: .wake)?.html(facts)]
      ),
      ("What is to be bought?", [sizeAnswer, headroomAnswer]),
    ]
    return all.compactMap { title, sentences in
      let said = sentences.compactMap(\.self)
      return said.isEmpty ? nil : "<dt>\(title)</dt>\n<dd>\(said.joined(" "))</dd>\n"
    }
  }

  private var demandAnswer: HTML? {
    guard let mean = facts.cite("demand.curve.mean", .quantity),
      let peak = facts.cite("demand.peakSecond.value", .quantity),
      let rate = facts.cite("demand.sustained.1.value", .quantity),
      let day = facts.cite("demand.batchesPerPhoneDay", .quantity)
    else { return nil }
    return """
      A phone sends \(day) batches a day; all of them \(mean) a second on average and \(peak) in \
      the busiest one. To keep none for longer than a second a backend must sustain \(rate) \
      batches/s.
      """
  }

  private var capacityAnswer: HTML? {
    guard let core = facts.cite("capacity.perCore.low", .quantity) else { return nil }
    let phones: HTML? = facts.cite("size.phonesPerCore", .quantity).map {
      ", which is what \($0) such phones ask for at their busiest"
    }
    guard let lower = facts.cite("capacity.lowerBound", .quantity) else {
      return """
        A core is taken to carry \(core) batches/s, as the command line says\(phones ?? "").
        """
    }
    let upper: HTML? = facts.cite("capacity.upperBound", .quantity).map { " and not \($0)" }
    let limit = facts.cite("capacity.latencyLimitMicroseconds", .time)
    let subject: HTML =
      switch capacity?.database {
      case nil: "A collector on one core"
      case let database? where database.perCore == nil:
        "A collector on one core, with its database,"
      case _?: "A collector and its database, together on one core,"
      }
    let verified: String =
      switch capacity?.verified {
      case true?: "A trial with the scenario’s own phones passed at the lower bound."
      case false?: "A trial with the scenario’s own phones did not pass there."
      case nil: "No trial with the scenario’s own phones was done."
      }
    return """
      \(subject) sustains \(lower)\(upper ?? "") batches/s here, 99 in 100 within \
      \(limit ?? "the limit")\(phones ?? ""). \(verified)
      """
  }

  private var breakAnswer: HTML? {
    guard let found = capacity?.firstBreak,
      let load = facts.cite("capacity.firstBreak.load", .quantity),
      let cores = facts.cite("capacity.firstBreak.cores", .percent)
    else { return nil }
    let what: String =
      switch found.reason {
      case .late: "acks come late"
      case .refused: "calls are refused"
      case .failed: "calls fail"
      case .backlog: "its backlog grows"
      }
    return "What breaks first: at \(load) \(what), with \(cores) of its core in use."
  }

  private var batteryAnswer: HTML? {
    guard let battery = facts.cite("energy.perPhoneDay.percentOfBattery", .quantity) else {
      return nil
    }
    return "Tracking takes \(battery) % of a phone’s battery a day."
  }

  private var sizeAnswer: HTML? {
    guard let instances = facts.cite("size.instances", .count),
      let limiting = facts.cite("size.limiting", .text),
      let storage = facts.cite("size.storedBytes", .bytes),
      let quota = facts.cite("size.pushQuotaShare", .percent)
    else { return nil }
    let advice: HTML =
      record.verdict == .invalid
      ? "By figures that are not to be relied on it would be \(instances) instances"
      : "Buy \(instances) instances"
    let database: HTML =
      size?.database.flatMap { database in
        size.map { " The database asks for \(PlanWords.databaseWords(database, $0.instance))." }
      } ?? ""
    return """
      \(advice); \(limiting) runs out first.\(database) What is kept comes to \(storage), \
      and the busiest minute uses \(quota) of the push quota.
      """
  }

  private var headroomAnswer: HTML? {
    guard let headroom = facts.cite("size.headroom", .quantity) else { return nil }
    let days: HTML? = facts.cite("size.daysUntilExhausted", .quantity).map {
      ", which growth uses up in \($0) days"
    }
    return "Without spares they carry \(headroom) times the peak\(days ?? "")."
  }

  // MARK: How to ask again

  private var repro: HTML {
    var facts = Table(head: ["", ""])
    facts.rows = [
      ["started", record.timing.startedAt],
      ["took", "\(Figure.quantity(record.timing.wallSeconds)) s"],
      ["seed", "\(record.seed)"],
      ["world", record.digest.world ?? "—"], ["behaviour", record.digest.behaviour ?? "—"],
      ["machine", "\(record.machine.cores) cores, \(record.machine.system)"],
      ["program", "\(record.tool.name) \(record.tool.version)"],
    ]
    let command = record.command.joined(separator: " ")
    return page.section(
      "run", "How to ask again",
      """
      Made by <code>\(command)</code>; every number stands in <code>run.json</code>, every second \
      of the demand in <code>demand.csv</code>.
      """, tables: [.facts("This run as a table", facts)])
        + """
        <details class="curve">
        <summary>The scenario, with its defaults</summary>
        <pre>\(record.scenario.text)</pre>
        </details>

        """
  }
}

/// `summary.md` of a demand or a plan: its answer, and its tables.
package func planMarkdown(_ record: RunRecord) -> String {
  let page = PlanPage(record, Page(plot: nil))
  var blocks = ["# \(ForeignText.inLine(page?.title ?? record.scenario.name))"]
  if let answer = Answer(record).sentence { blocks.append("**\(answer.text)**") }
  if !record.reasons.isEmpty {
    blocks.append(record.reasons.map { "- \(ForeignText.inLine($0))" }.joined(separator: "\n"))
  }
  func table(_ title: String, _ rows: [[String]]) {
    let body = rows.map(ForeignText.inMarkdown(row:)).joined(separator: "\n")
    blocks.append("| \(title) | |\n|---|---|\n\(body)")
  }
  if let page {
    if let size = page.size { table("size", PlanWords.sizeRows(size)) }
    if let growth = page.growth { blocks.append(growthMarkdown(GrowthWords(growth))) }
    table("demand", PlanWords.demandRows(page.demand))
    if let capacity = page.capacity { table("capacity", PlanWords.capacityRows(capacity)) }
    if let size = page.size {
      table(
        "assumption",
        size.assumptions.map {
          [
            $0.name,
            """
            \(Figure.quantity($0.value)) \($0.unit), \(Figure.quantity($0.low)) – \
            \(Figure.quantity($0.high)): \($0.source)
            """,
          ]
        })
    }
  }
  return ForeignText.inMarkdown(blocks.joined(separator: "\n\n") + "\n")
}

private func growthMarkdown(_ words: GrowthWords) -> String {
  let head = words.head
  let lines = [head, head.map { _ in "---" }] + words.rows
  return lines.map(ForeignText.inMarkdown(row:)).joined(separator: "\n")
}
