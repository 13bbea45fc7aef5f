internal import Capacity
internal import Core
internal import Figures

extension SizeRecord {
  func resources(_ ensemble: EnsembleFigures?) -> Block {
    let bars = needs.map { need in
      BarChart.Bar(
        name: need.resource.rawValue, value: need.load, text: Figure.quantity(need.load),
        ink: need.resource == limiting ? .vermilion : .blue)
    }
    return .section(
      "size", "Instances",
      """
      \(instances) instances of \(instance.name) with \(instance.cores) \
      \(instance.cores == 1 ? "core" : "cores"): \(needed) needed at \
      \(Figure.percent(plannedShare)) of their capacity, the rest are spares. Conditions: \
      \(caveat).
      """,
      chart: Chart(
        title: "Instances needed at the peak, by resource",
        body: .bars(BarChart(bars: bars, unit: "instances at the peak, without spares"))),
      open: facts(ensemble),
      notes: [
        """
        The interval over sampling follows from the intervals of demand and capacity. The interval \
        over assumptions is from 400 points of a Latin hypercube over their ranges.
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
      ("headroom", plannedShare, "planned share of an instance’s capacity"),
      ("spare", Double(spare), "instances that may fail at the peak"),
      ("zones", Double(zones), "zones, one of which may fail"),
      ("retention", retentionDays, "days"),
      ("replication", Double(replication), "copies"),
      ("growth", growthPerMonth, "per month"),
      ("delay", delay, "seconds, maximum wait of an ack"),
    ]
    rows += choices.map { [$0.0, Figure.quantity($0.1), "chosen", $0.2] }
    return .section(
      "assumptions", "Assumptions",
      """
      \(rows.count) inputs were neither measured nor simulated. Set the inputs marked “chosen” \
      with --prices.
      """,
      open: Table(
        head: ["", "value", "range", "unit and source"], rows: rows, words: [3]))
  }

  func costs(_ demand: DemandRecord, _ capacity: CapacityRecord?) -> Block {
    func assumed(_ name: String) -> Double? { assumptions.first { $0.name == name }?.value }
    let core = capacity?.database == nil ? "the collector’s core" : "collector and database"
    let table = Table(facts: [
      "fixes": Figure.quantity(demand.fixesPerBatch),
      "CPU time of \(core)": capacity?.cpuSecondsPerBatch.map { Figure.time($0 * 1e6) },
      "CPU time of TLS, in addition": capacity?.tls.map {
        "\(Figure.time($0.mean.cpuSeconds * 1e6)), \(Figure.percent($0.coreShare)) of CPU"
      },
      "bytes in": assumed("overheadInBytes").map {
        """
        \(Figure.quantity(demand.bytesPerBatch + $0)), \
        \(Figure.quantity(demand.bytesPerBatch)) of them fixes
        """
      },
      "bytes out": assumed("outBytes").map(Figure.quantity),
      "bytes stored, per copy": assumed("storedBytesPerBatch").map(Figure.quantity),
    ])
    return .section(
      "costs", "Cost of a batch", "Mean cost per batch for collector, network and store.",
      open: table)
  }

  var stormSection: Block? {
    guard let storm, let top = storm.seconds.max(), top > 0 else { return nil }
    let table = Table(
      storm.survivors,
      [
        "instances": { "\($0.instances)" }, "batches/s": { Figure.quantity($0.backlog.rate) },
        "backlog, max": { Figure.quantity($0.backlog.most) },
        "longest wait": { Figure.time($0.backlog.longestWait * 1e6) },
        "duration": { Figure.time($0.backlog.lasted * 1e6) },
      ])
    return .section(
      "storm", "Backlog in the busiest second",
      """
      \(Figure.grouped(top)) batches arrive in the busiest second. The table has the backlog of a \
      first-in, first-out queue with all instances and with fewer, without refusals and retries.
      """,
      chart: Chart(
        title: "Batches/s around the busiest second",
        body: .lines(
          LineChart(
            x: {
              .fromZero(
                to: Double(storm.seconds.count), ticks: $0, form: .seconds, text: Figure.quantity)
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
      "sensitivity", "Sensitivity to the assumptions",
      """
      Table: Spearman’s rank correlation of each assumption with the result, −1 … 1. Bars: \
      instances (fractional, without spares) with one assumption at either end of its range.
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
      title: "Effect of each assumption on the number of instances",
      body: .bars(BarChart(bars: bars, unit: "instances over the whole range")))
  }

  var alternativeSection: Block? {
    guard !alternatives.isEmpty else { return nil }
    let table = Table(
      alternatives,
      [
        "policy": { $0.policy }, "fresh": { $0.served?.freshShare.map(Figure.percent) },
        "battery a day": { $0.served?.batteryPercentPerDay.map { "\(Figure.quantity($0)) %" } },
        "pushes answered": { $0.served?.answered.map { Figure.percent($0.value) } },
        "of all silent phones": {
          $0.served?.answeredOfSilent.map { Figure.percent($0.value) }
        },
        "batches per phone-day": { Figure.quantity($0.batchesPerPhoneDay) },
        "batches/s to sustain": { $0.rate.withEnds }, "instances": { "\($0.instances)" },
        "stored a day": { Figure.bytes($0.storageBytesPerDay) },
        "push quota": { Figure.percent($0.pushQuotaShare) },
        "cost a month": {
          currency == "none" ? nil : "\(Figure.quantity($0.costPerMonth)) \(currency)"
        },
      ])
    let lived = alternatives.map(\.livedPhones).min() ?? 0
    return .section(
      "policies", "Other policies",
      """
      Same people and collector, one policy for all phones; \(Figure.grouped(lived)) phones \
      simulated per policy.
      """,
      open: table)
  }
}
