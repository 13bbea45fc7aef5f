internal import Capacity
internal import Core

extension SizeRecord {
  var resources: Block {
    let bars = needs.map { need in
      BarChart.Bar(
        name: need.resource.rawValue, value: need.load, text: Figure.quantity(need.load),
        ink: need.resource == limiting ? .vermilion : .blue)
    }
    return .section(
      "size", "What to buy",
      """
      \(instances) instances of \(instance.name) with \(instance.cores) \
      \(instance.cores == 1 ? "core" : "cores"): \(needed) are needed, planned to \
      \(Figure.percent(plannedShare)) of what they carry, and the rest are spares. \
      Of what it is true: \(caveat).
      """,
      chart: Chart(
        name: "resources", title: "Instances that each resource asks for at the peak",
        body: .bars(BarChart(bars: bars, unit: "instances at the peak, without spares"))),
      open: facts,
      notes: [
        """
        Sampling: demand and capacity from one end of what was found to the other. Inputs: 400 \
        points of a Latin hypercube over everything that was assumed.
        """
      ])
  }

  var assumptionSection: Block {
    var rows = assumptions.map { one in
      [
        one.name, Figure.quantity(one.value),
        "\(Figure.quantity(one.low)) – \(Figure.quantity(one.high))",
        "\(one.unit): \(one.source)",
      ]
    }
    let choices: [(String, Double, String)] = [
      ("headroom", plannedShare, "of what an instance sustains is planned with"),
      ("spare", Double(spare), "instances may be missing at the peak"),
      ("zones", Double(zones), "of which one may be missing"),
      ("retention", retentionDays, "days"),
      ("replication", Double(replication), "copies"),
      ("growth", growthPerMonth, "a month"),
      ("delay", delay, "seconds that an ack may wait"),
    ]
    rows += choices.map { [$0.0, Figure.quantity($0.1), "chosen", $0.2] }
    return .section(
      "assumptions", "What was assumed",
      "Everything that was neither measured nor simulated. Change what is chosen with --prices.",
      open: Table(
        head: ["", "value", "may be", "of what, and where it comes from"], rows: rows, words: [3]))
  }

  func costs(_ demand: DemandRecord, _ capacity: CapacityRecord?) -> Block {
    func assumed(_ name: String) -> Double? { assumptions.first { $0.name == name }?.value }
    let core = capacity?.database == nil ? "the collector’s core" : "collector and database"
    let table = Table(facts: [
      "fixes": Figure.quantity(demand.fixesPerBatch),
      "CPU time of \(core)": capacity?.cpuSecondsPerBatch.map { Figure.time($0 * 1e6) },
      "CPU time of TLS beside it": capacity?.tls.map {
        "\(Figure.time($0.mean.cpuSeconds * 1e6)), \(Figure.percent($0.coreShare)) of the cores"
      },
      "bytes in": assumed("overheadInBytes").map {
        """
        \(Figure.quantity(demand.bytesPerBatch + $0)), of which \
        \(Figure.quantity(demand.bytesPerBatch)) are fixes
        """
      },
      "bytes out": assumed("outBytes").map(Figure.quantity),
      "bytes stored, one copy": assumed("storedBytesPerBatch").map(Figure.quantity),
    ])
    return .section(
      "costs", "What a batch costs", "Of the collector, the network and the store, on average.",
      open: table)
  }

  var stormSection: Block? {
    guard let storm, let top = storm.seconds.max(), top > 0 else { return nil }
    let table = Table(
      storm.survivors,
      [
        "instances": { "\($0.instances)" }, "batches/s": { Figure.quantity($0.backlog.rate) },
        "backlog at most": { Figure.quantity($0.backlog.most) },
        "longest wait": { Figure.time($0.backlog.longestWait * 1e6) },
        "until it was gone": { Figure.time($0.backlog.lasted * 1e6) },
      ])
    return .section(
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
      open: table)
  }

  var sensitivitySection: Block {
    let table = Table(
      sensitivity.sorted { abs($0.load) > abs($1.load) },
      [
        "assumption": { $0.name }, "load of the limiting resource": { Figure.plain($0.load) },
        "storage": { Figure.plain($0.cost) },
      ])
    return .section(
      "sensitivity", "What the answer hangs on",
      """
      How far each assumption and the answer rise together over the points that were tried \
      (Spearman’s rank correlation, −1 … 1). The bars: instances, in parts of one and without \
      spares, with one assumption at either end of its range.
      """, chart: tornado, open: table)
  }

  private var tornado: Chart {
    func width(_ swing: SizeRecord.Swing) -> Double { abs(swing.atHigh - swing.atLow) }
    let bars = swings.sorted { width($0) > width($1) }.map { swing in
      let ends = [swing.atLow, swing.atHigh].map(Figure.quantity)
      return BarChart.Bar(
        name: swing.name, value: width(swing),
        text: ends[0] == ends[1] ? "no change" : "\(ends[0]) to \(ends[1])", ink: .blue)
    }
    return Chart(
      name: "tornado", title: "How far each assumption moves the number of instances",
      body: .bars(BarChart(bars: bars, unit: "instances, from end to end")))
  }

  var alternativeSection: Block? {
    guard !alternatives.isEmpty else { return nil }
    let table = Table(
      alternatives,
      [
        "policy": { $0.policy }, "fresh": { $0.served?.freshShare.map(Figure.percent) },
        "battery a day": { $0.served?.batteryPercentPerDay.map { "\(Figure.quantity($0)) %" } },
        "pushes answered": { $0.served?.answered.map { Figure.percent($0.value) } },
        "batches a phone and day": { Figure.quantity($0.batchesPerPhoneDay) },
        "to be sustained/s": { $0.rate.withEnds }, "instances": { "\($0.instances)" },
        "stored a day": { Figure.bytes(Int($0.storageBytesPerDay)) },
        "push quota": { Figure.percent($0.pushQuotaShare) },
        "cost a month": {
          currency == "none" ? nil : "\(Figure.quantity($0.costPerMonth)) \(currency)"
        },
      ])
    let lived = alternatives.map(\.livedPhones).min() ?? 0
    return .section(
      "policies", "With another policy",
      """
      The same people and the same collector, with one policy for all of them; \
      \(Figure.grouped(lived)) phones were lived for each.
      """,
      open: table)
  }
}
