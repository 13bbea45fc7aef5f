internal import Capacity
internal import Measure

/// What to buy, and what that depends on.
struct SizeSections {
  private let size: SizeRecord
  private let demand: DemandRecord
  private let page: Page

  init(_ size: SizeRecord, _ demand: DemandRecord, _ page: Page) {
    self.size = size
    self.demand = demand
    self.page = page
  }

  var resources: HTML {
    let bars = size.needs.map { need in
      BarChart.Bar(
        name: need.resource.rawValue, value: need.demand / need.perInstance,
        text: Figure.quantity(need.demand / need.perInstance),
        ink: need.resource.rawValue == size.limiting ? .vermilion : .blue)
    }
    return page.section(
      "size", "What to buy",
      """
      \(size.instances) instances of \(size.instance.name) with \(size.instance.cores) \
      \(size.instance.cores == 1 ? "core" : "cores"): \(size.needed) are needed, planned to \
      \(Figure.percent(size.plannedShare)) of what they carry, and the rest are spares. \
      \(size.caveat).
      """,
      chart: Chart(
        name: "resources", title: "Instances that each resource asks for at the peak",
        body: .bars(BarChart(bars: bars, unit: "instances at the peak, without spares"))),
      open: Table(head: ["", ""], rows: PlanWords.sizeRows(size), words: [1]), tables: [],
      notes: [
        """
        Sampling: demand and capacity from one end of what was found to the other. Inputs: 400 \
        points of a Latin hypercube over everything that was assumed.
        """
      ])
  }

  var assumptions: HTML {
    var rows = size.assumptions.map { one in
      [
        one.name, Figure.quantity(one.value), Figure.quantity(one.low), Figure.quantity(one.high),
        one.unit, one.source,
      ]
    }
    let choices: [(String, Double, String)] = [
      ("headroom", size.plannedShare, "of what an instance sustains is planned with"),
      ("spare", Double(size.spare), "instances may be missing at the peak"),
      ("zones", Double(size.zones), "of which one may be missing"),
      ("retention", size.retentionDays, "days"),
      ("replication", Double(size.replication), "copies"),
      ("growth", size.growthPerMonth, "a month"),
      ("delay", size.delay, "seconds that an ack may wait"),
    ]
    rows += choices.map { [$0.0, Figure.quantity($0.1), "", "", $0.2, "chosen, see --prices"] }
    return page.section(
      "assumptions", "What was assumed",
      "Everything that was neither measured nor simulated. Change what is chosen with --prices.",
      open: Table(
        head: ["", "value", "from", "to", "unit", "where it comes from"], rows: rows,
        words: [4, 5]),
      tables: [])
  }

  var sensitivity: HTML {
    let ranked = size.sensitivity.sorted { abs($0.load) > abs($1.load) }
    let table = Table(
      head: ["assumption", "load of the limiting resource", "storage"],
      rows: ranked.map { [$0.name, Figure.plain($0.load), Figure.plain($0.cost)] })
    return page.section(
      "sensitivity", "What the answer hangs on",
      """
      How far each assumption and the answer rise together over the points that were tried \
      (Spearman’s rank correlation, −1 … 1).
      """, open: table, tables: [])
  }

  var alternatives: HTML {
    guard !size.alternatives.isEmpty else { return "" }
    let rows = size.alternatives.map { one in
      [
        one.policy, Figure.quantity(one.batchesPerPhoneDay), PlanWords.ratio(one.rate),
        "\(one.instances)", Figure.bytes(Int(one.storageBytesPerDay)),
        Figure.bytes(Int(one.trafficInBytesPerDay)), Figure.percent(one.pushQuotaShare),
        size.currency == "none" ? "—" : "\(Figure.quantity(one.costPerMonth)) \(size.currency)",
      ]
    }
    let lived = size.alternatives.map(\.livedPhones).min() ?? 0
    return page.section(
      "policies", "With another policy",
      """
      The same people and the same collector, with one policy for all of them; \
      \(Figure.grouped(lived)) phones were lived for each.
      """,
      open: Table(
        head: [
          "policy", "batches a phone and day", "to be sustained/s", "instances", "stored a day",
          "in a day", "push quota", "cost a month",
        ], rows: rows),
      tables: [])
  }
}
