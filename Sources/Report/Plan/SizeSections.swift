internal import Capacity
internal import Figures

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
        name: need.resource.rawValue, value: need.load, text: Figure.quantity(need.load),
        ink: need.resource == size.limiting ? .vermilion : .blue)
    }
    return page.section(
      "size", "What to buy",
      """
      \(size.instances) instances of \(size.instance.name) with \(size.instance.cores) \
      \(size.instance.cores == 1 ? "core" : "cores"): \(size.needed) are needed, planned to \
      \(Figure.percent(size.plannedShare)) of what they carry, and the rest are spares. \
      Of what it is true: \(size.caveat).
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
        one.name, Figure.quantity(one.value),
        "\(Figure.quantity(one.low)) – \(Figure.quantity(one.high))",
        "\(one.unit): \(one.source)",
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
    rows += choices.map { [$0.0, Figure.quantity($0.1), "chosen", $0.2] }
    return page.section(
      "assumptions", "What was assumed",
      "Everything that was neither measured nor simulated. Change what is chosen with --prices.",
      open: Table(
        head: ["", "value", "may be", "of what, and where it comes from"], rows: rows, words: [3]),
      tables: [])
  }

  /// What a batch costs, resource by resource.
  func costs(_ capacity: CapacityRecord?) -> HTML {
    func assumed(_ name: String) -> Double? {
      size.assumptions.first { $0.name == name }?.value
    }
    var rows = [["fixes", Figure.quantity(demand.fixesPerBatch)]]
    if let seconds = capacity?.cpuSecondsPerBatch {
      let core = capacity?.database == nil ? "the collector’s core" : "collector and database"
      rows.append(["CPU time of \(core)", Figure.time(seconds * 1e6)])
    }
    if let tls = capacity?.tls {
      rows.append([
        "CPU time of TLS beside it",
        "\(Figure.time(tls.mean.cpuSeconds * 1e6)), \(Figure.percent(tls.coreShare)) of the cores",
      ])
    }
    if let overhead = assumed("overheadInBytes") {
      rows.append([
        "bytes in",
        """
        \(Figure.quantity(demand.bytesPerBatch + overhead)), of which \
        \(Figure.quantity(demand.bytesPerBatch)) are fixes
        """,
      ])
    }
    if let out = assumed("outBytes") { rows.append(["bytes out", Figure.quantity(out)]) }
    if let stored = assumed("storedBytesPerBatch") {
      rows.append(["bytes stored, one copy", Figure.quantity(stored)])
    }
    return page.section(
      "costs", "What a batch costs", "Of the collector, the network and the store, on average.",
      open: Table(head: ["", ""], rows: rows, words: [1]), tables: [])
  }

  /// The busiest moments, and what is left when instances fail in them.
  var storm: HTML {
    guard let storm = size.storm, let top = storm.seconds.max(), top > 0 else { return "" }
    let rows = storm.survivors.map { one in
      let backlog = one.backlog
      return [
        "\(one.instances)", Figure.quantity(backlog.rate), Figure.quantity(backlog.most),
        Figure.time(backlog.longestWait * 1e6), Figure.time(backlog.lasted * 1e6),
      ]
    }
    return page.section(
      "storm", "The busiest moment, with all instances and with fewer",
      """
      Every batch of the time that was lived, served one after the other at what the instances \
      sustain; nobody is refused and nobody tries twice.
      """,
      chart: Chart(
        name: "storm", title: "Batches of each second around the busiest one",
        body: .lines(
          LineChart(
            x: {
              .fromZero(to: Double(storm.seconds.count), ticks: $0, text: Figure.quantity)
            },
            y: .fromZero(to: Double(top), ticks: 4, text: Figure.quantity), unit: "batches/s",
            xUnit: "seconds",
            series: [
              LineChart.Series(
                name: "arrivals", ink: .blue,
                points: storm.seconds.enumerated().map { (Double($0.offset), Double($0.element)) })
            ]))),
      open: Table(
        head: ["instances", "batches/s", "backlog at most", "longest wait", "until it was gone"],
        rows: rows),
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
      (Spearman’s rank correlation, −1 … 1). The bars: instances, in parts of one and without \
      spares, with one assumption at either end of its range.
      """, chart: tornado, open: table, tables: [])
  }

  private var tornado: Chart {
    func width(_ swing: SizeRecord.Swing) -> Double { abs(swing.atHigh - swing.atLow) }
    let bars = size.swings.sorted { width($0) > width($1) }.map { swing in
      let ends = [swing.atLow, swing.atHigh].map(Figure.quantity)
      return BarChart.Bar(
        name: swing.name, value: width(swing),
        text: ends[0] == ends[1] ? "no change" : "\(ends[0]) to \(ends[1])", ink: .blue)
    }
    return Chart(
      name: "tornado", title: "How far each assumption moves the number of instances",
      body: .bars(BarChart(bars: bars, unit: "instances, from end to end")))
  }

  var alternatives: HTML {
    guard !size.alternatives.isEmpty else { return "" }
    let rows = size.alternatives.map { one in
      [
        one.policy, one.served?.freshShare.map(Figure.percent) ?? "—",
        one.served?.batteryPercentPerDay.map { "\(Figure.quantity($0)) %" } ?? "—",
        one.served?.answered.map { Figure.percent($0.value) } ?? "—",
        Figure.quantity(one.batchesPerPhoneDay), PlanWords.ratio(one.rate), "\(one.instances)",
        Figure.bytes(Int(one.storageBytesPerDay)), Figure.percent(one.pushQuotaShare),
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
          "policy", "fresh", "battery a day", "pushes answered", "batches a phone and day",
          "to be sustained/s", "instances", "stored a day", "push quota", "cost a month",
        ], rows: rows),
      tables: [])
  }
}
