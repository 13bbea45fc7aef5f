internal import Capacity
internal import Core
package import Figures

struct PlanPage {
  @Boxed private var record: RunRecord
  private let facts: Facts
  private let plan: PlanRecord

  /// Returns nil if the record is neither that of a plan nor that of a demand.
  init?(_ record: RunRecord) {
    guard let plan = record.plan else { return nil }
    self.record = record
    self.plan = plan
    facts = Facts(record)
  }

  /// Whether the record is that of a plan, and not of a demand alone.
  private var isPlan: Bool {
    plan.size != nil || plan.growth != nil || record.targetCapacity != nil
  }

  var document: Document {
    let title = "\(record.scenario.name): \(isPlan ? "plan" : "demand"), \(record.verdict.rawValue)"
    return Document(
      title: title, head: head, isWrapped: false,
      blocks: [
        .only([.terminal], terminal), .only([.markdown], markdown), .only([.page], sections),
      ])
  }

  private var sections: [Block?] {
    let (capacity, size) = (plan.capacity, plan.size)
    let first = [
      plan.demand.section(from: record.scenario.start, record.ensemble),
      plan.demand.systemSection, words,
      capacity?.checkSection, plan.growth?.section, size?.resources(record.ensemble),
      size?.assumptionSection,
    ]
    let last = [
      size?.stormSection, capacity?.latency, capacity?.goodput, capacity?.lawSection,
      size?.costs(plan.demand, capacity), size?.sensitivitySection, size?.alternativeSection,
      capacity?.trialSection, targetSteps, repro,
    ]
    return first + last
  }

  private var terminal: [Block?] {
    func table(_ facts: Table?) -> [Block?] {
      facts.map { [.gap, .list($0.lines)] } ?? []
    }
    let policies = zip(plan.demand.policies, plan.demand.batchesPerPolicy).map {
      "policy \($0): \(Figure.quantity($1)) batches"
    }
    let model = record.ensemble.map { Block.text("model    \($0.sentence)") }
    return PlanWords.head(record).map(Block.text) + [model]
      + table(plan.demand.facts(record.ensemble)) + [.list(policies)]
      + table(plan.demand.systemTable) + [plan.demand.systemSentence.map { Block.list([$0]) }]
      + table(plan.capacity?.facts) + table(plan.size?.facts(record.ensemble))
      + (plan.growth.map { [.gap, $0.lines] } ?? []) + [.gap]
  }

  private var markdown: [Block?] {
    func table(_ title: String, _ facts: Table?) -> Block? {
      facts.map { .table(Table(head: [title, ""], rows: $0.rows, words: [1])) }
    }
    let assumptions = plan.size.map {
      Table(
        $0.assumptions,
        [
          "": { $0.name },
          "value": {
            """
            \(Figure.quantity($0.value)) \($0.unit), \(Figure.quantity($0.low)) – \
            \(Figure.quantity($0.high)): \($0.source)
            """
          },
        ])
    }
    return [
      Answer(record).sentence.map { .text("**\($0.text)**") },
      record.reasons.isEmpty ? nil : .list(record.reasons),
      record.ensemble.map { .text("\($0.sentence).") },
      table("size", plan.size?.facts(record.ensemble)), plan.growth.map { .table($0.table) },
      table("demand", plan.demand.facts(record.ensemble)),
      plan.demand.systemTable.map(Block.table), plan.demand.systemSentence.map(Block.text),
      table("capacity", plan.capacity?.facts), table("assumption", assumptions),
    ]
  }

  private var targetSteps: Block? {
    guard let found = record.targetCapacity else { return nil }
    func time(_ value: Int64?) -> String? { value.map { Figure.time(Double($0)) } }
    let table = Table(
      found.steps, words: [8],
      [
        "uploads/s": { Figure.quantity($0.load) }, "s": { Figure.plain($0.seconds) },
        "stored": { Figure.grouped($0.stored) }, "failed": { Figure.grouped($0.failed) },
        "open": { Figure.grouped($0.open) }, "p50": { time($0.p50Microseconds) },
        "p99": { time($0.p99Microseconds) }, "lag p99": { time($0.lagP99Microseconds) },
        "": { $0.invalid ?? $0.broke ?? "sustained" },
      ])
    return .section(
      "steps", "Load steps of \(found.name)",
      """
      \(found.sentence) Each step offers 25 % more uploads than the one before, at a constant rate \
      (open loop). The search ends at the first SLO that fails.
      """, open: table)
  }

  // MARK: The first screen

  private var head: PageHead { PageHead(record, facts, verdict, tiles) }

  private var tiles: [Tile] {
    let isMeasured = plan.capacity?.source == .measured
    func quantity(_ key: String) -> HTML? { facts.cite(key, .quantity) }
    func range(_ key: String, _ form: Facts.Form = .quantity) -> HTML? {
      facts.cite("\(key).low", form).flatMap { low in
        facts.cite("\(key).high", form).map { "\(low) – \($0)" }
      }
    }
    func modelled(_ key: String, _ form: Facts.Form = .quantity) -> HTML? {
      range("ensemble.figures.\(key)", form).map { "\($0) by the model" }
    }
    let minutes = plan.demand.minutes.map { Optional(Double($0.busiestSecond)) }
    let all: [Tile?] = [
      facts.cite("demand.curve.mean", .quantity).map { mean in
        Tile(
          id: "demand", title: "Demand", value: "\(mean) batches/s",
          note: facts.cite("demand.peakSecond.value", .quantity).map {
            "\($0) in the busiest second"
          }, curve: TileCurve.html(minutes))
      },
      modelled(StudyFigure.batches.key).flatMap { interval in
        facts.cite("demand.batchesPerPhoneDay", .quantity).map {
          Tile(
            id: "uploads", title: "Uploads", value: "\($0) a day", interval: interval,
            note: "for each phone")
        }
      },
      modelled(EnsembleFigures.busiestHour).flatMap { interval in
        facts.cite("demand.curve.peakHour.batchesPerSecond", .quantity).map {
          Tile(id: "hour", title: "Busiest hour", value: "\($0) batches/s", interval: interval)
        }
      },
      modelled(EnsembleFigures.peak).flatMap { interval in
        facts.cite("size.rate.value", .quantity).map {
          Tile(
            id: "peak", title: "Peak", value: "\($0) batches/s", interval: interval,
            note: "to sustain")
        }
      },
      facts.cite("demand.peakConnections", .quantity).map {
        Tile(
          id: "connections", title: "Open connections", value: $0, note: "in the busiest second",
          curve: TileCurve.html(plan.demand.minutes.map(\.connections)))
      },
      facts.cite("demand.views.mean", .quantity).map { mean in
        Tile(
          id: "viewers", title: plan.demand.views?.areMessages == true ? "Messages" : "Reads",
          value: "\(mean)/s",
          note: facts.cite("demand.views.peakSecond", .quantity).map {
            "\($0) in viewers’ busiest second"
          }, curve: TileCurve.html((plan.demand.views?.minutes ?? []).map(Optional.init)))
      },
      facts.cite("capacity.perCore.value", .quantity).map { core in
        Tile(
          id: "capacity", title: "Capacity per core", value: "\(core) batches/s",
          interval: isMeasured ? range("capacity.perCore") : nil,
          note: isMeasured
            ? facts.cite("capacity.latencyLimitMicroseconds", .time).map { limit -> HTML in
              "at a p99 within \(limit)"
            } : "given")
      },
      facts.cite("size.phonesPerCore", .quantity).map {
        Tile(id: "phones", title: "Phones per core", value: $0, note: "at their peak")
      },
      record.verdict == .invalid
        ? nil
        : facts.cite("size.instances", .count).map { instances in
          Tile(
            id: "instances", title: "Instances", value: instances,
            interval: modelled(EnsembleFigures.instances, .count) ?? range("size.interval"),
            note: facts.cite("size.limiting", .text).map { "limited by \($0)" })
        },
      facts.cite("size.headroom", .quantity).map {
        Tile(
          id: "headroom", title: "Reserve", value: "\($0) ×", note: "the peak, without spares")
      },
      facts.cite("size.storedBytes", .bytes).map {
        Tile(id: "storage", title: "Storage", value: $0)
      },
      facts.cite("freshness.reachable.share", .percent).map {
        Tile(
          id: "fresh", title: "Fresh", value: $0,
          interval: modelled(StudyFigure.freshness.key, .percent),
          note: "of reachable phones’ time")
      },
      facts.cite("energy.perPhoneDay.percentOfBattery", .quantity).map {
        Tile(
          id: "battery", title: "Battery", value: "\($0) % a day",
          interval: modelled(StudyFigure.battery.key))
      },
    ]
    return all.compactMap(\.self)
  }

  private var words: Block? {
    guard !rows.isEmpty else { return nil }
    return .section("words", "In words", [.html("<dl class=\"answers\">\n\(rows)</dl>\n")])
  }

  private var verdict: String? {
    switch record.verdict {
    case .loss: "Acknowledged data was lost."
    case .invalid: "The generator, not the collector, limited some figures:"
    case .interrupted: "Stopped early; the figures cover the part that ran:"
    case .notVerified: "Acknowledged data could not be verified:"
    case .sloMissed: "The plan is complete, but a check failed:"
    case .pass:
      switch (isPlan, plan.capacity?.source) {
      case (false, _): "The demand is complete."
      // The first reason says why it ended.
      case (true, _) where record.targetCapacity != nil: "The search is complete:"
      case (true, .measured): "The plan is complete; all of its trials are valid."
      case (true, _): "The plan is complete; the capacity was given, not measured."
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
      ("How many instances are needed?", [sizeAnswer, headroomAnswer]),
      ("How sure are these figures?", [modelAnswer]),
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
      A phone sends \(day) batches a day; the fleet sends \(mean) batches/s on average and \
      \(peak) in the busiest second. To keep every wait below 1 s, a backend must sustain \(rate) \
      batches/s.
      """
  }

  private var capacityAnswer: HTML? {
    guard let core = facts.cite("capacity.perCore.low", .quantity) else { return nil }
    let phones: HTML? = facts.cite("size.phonesPerCore", .quantity).map {
      ", enough for \($0) such phones at their peak"
    }
    guard let lower = facts.cite("capacity.lowerBound", .quantity) else {
      return """
        Capacity of a core, from the command line: \(core) batches/s\(phones ?? "").
        """
    }
    let upper: HTML? = facts.cite("capacity.upperBound", .quantity).map { " (not \($0))" }
    let limit = facts.cite("capacity.latencyLimitMicroseconds", .time)
    let subject: HTML =
      switch plan.capacity?.database {
      case nil: "A collector on one core"
      case let database? where database.perCore == nil:
        "A collector on one core, with its database,"
      case _?: "A collector and its database, together on one core,"
      }
    let verified: String =
      switch plan.capacity?.verified {
      case true?: "A trial with the scenario’s phones passed at the lower bound."
      case false?: "A trial with the scenario’s phones failed at the lower bound."
      case nil: "No trial with the scenario’s phones was run."
      }
    return """
      \(subject) sustains \(lower)\(upper ?? "") batches/s on this machine at a p99 within \
      \(limit ?? "the limit")\(phones ?? ""). \(verified)
      """
  }

  private var breakAnswer: HTML? {
    guard let found = plan.capacity?.firstBreak,
      let load = facts.cite("capacity.firstBreak.load", .quantity),
      let cores = facts.cite("capacity.firstBreak.cores", .percent)
    else { return nil }
    let what: String =
      switch found.reason {
      case .late: "acks come late"
      case .refused: "calls are refused"
      case .failed: "calls fail"
      case .backlog: "the backlog grows"
      }
    return "First failure at \(load) batches/s: \(what), with \(cores) of a core in use."
  }

  private var batteryAnswer: HTML? {
    guard let battery = facts.cite("energy.perPhoneDay.percentOfBattery", .quantity) else {
      return nil
    }
    return "Tracking uses \(battery) % of a phone’s battery a day."
  }

  private var sizeAnswer: HTML? {
    guard let instances = facts.cite("size.instances", .count),
      let limiting = facts.cite("size.limiting", .text),
      let storage = facts.cite("size.storedBytes", .bytes),
      let quota = facts.cite("size.pushQuotaShare", .percent)
    else { return nil }
    let advice: HTML =
      record.verdict == .invalid
      ? "Needed (from invalid figures): \(instances) instances"
      : "Needed: \(instances) instances"
    let database: HTML =
      plan.size.flatMap { size in
        size.database.map {
          " The database needs \(size.words($0))."
        }
      } ?? ""
    return """
      \(advice), limited by \(limiting).\(database) Storage: \(storage). The busiest minute uses \
      \(quota) of the push quota.
      """
  }

  private var modelAnswer: HTML? {
    guard let coverage = facts.cite("ensemble.coverage", .percent),
      let sets = facts.cite("ensemble.done", .count),
      let phones = facts.cite("ensemble.phones", .count)
    else { return nil }
    return """
      Intervals by the model: \(coverage) intervals over the model’s parameters, from \(sets) sets \
      of \(phones) phones, scaled to all phones.
      """
  }

  private var headroomAnswer: HTML? {
    guard let headroom = facts.cite("size.headroom", .quantity) else { return nil }
    let days: HTML? = facts.cite("size.daysUntilExhausted", .quantity).map {
      ", which growth uses up in \($0) days"
    }
    return "Without spares, the instances carry \(headroom) × the peak\(days ?? "")."
  }

  // MARK: How to repeat the run

  private var repro: Block {
    var table = Table(facts: [
      "started": record.timing.startedAt,
      "took": "\(Figure.quantity(record.timing.wallSeconds)) s", "seed": "\(record.seed)",
      "digest plan": record.digest.world ?? "—", "digest history": record.digest.behaviour ?? "—",
      "machine": "\(record.machine.cores) cores, \(record.machine.system)",
      "program": "\(record.tool.name) \(record.tool.version)",
    ])
    table.words = []
    let made: HTML = """
      <p>Command: <code>\(record.command.joined(separator: " "))</code>. <code>run.json</code> has \
      every figure, <code>demand.csv</code> every second of the demand.</p>

      """
    return .page(
      .section(
        "run", "This run", [.html(made), .fold(.facts("This run as a table", table))]),
      .html(record.scenarioFold))
  }
}

package func planMarkdown(_ record: RunRecord) -> String {
  PlanPage(record)?.document.markdown ?? ""
}
