internal import Core
internal import Figures

extension RunSections {
  var sender: HTML? {
    guard let sender = record.sender else { return nil }
    return page.section(
      "sender", "Your push sender", sentence(sender), chart: coverage, open: faults(sender),
      tables: [
        .facts("Requests by response", answers(sender)),
        sender.kinds.isEmpty ? nil : .facts("Accepted pushes by kind", kinds(sender)),
        wake.types.map { .facts("Outcomes by push type", gates($0)) },
        sender.schedulers.isEmpty
          ? nil : .facts("Your sender compared with Flotilla’s schedulers", schedulers(sender)),
      ], notes: notes(sender))
  }

  private func sentence(_ sender: SenderFigures) -> HTML {
    var parts: [HTML] = [
      """
      \(Figure.grouped(sender.accepted)) of \(Figure.grouped(sender.requests)) pushes accepted; \
      \(Figure.quantity(sender.perSecond))/s on average, \
      \(Figure.grouped(sender.busiestSecond))/s in the busiest second.
      """
    ]
    if let each = sender.pushesPerCaused {
      parts.append("Pushes per caused position: \(Figure.quantity(each)).")
    } else if wake.requested > 0 {
      parts.append("No push caused a position in time.")
    }
    return parts.joined(" ")
  }

  // MARK: Coverage by gate

  /// The number of pushes left after each gate, from the accepted pushes to the caused positions.
  var coverage: Chart? {
    guard wake.requested + wake.withheld > 0 else { return nil }
    var left = wake.requested + wake.withheld
    var bars = [
      BarChart.Bar(
        name: "accepted", value: Double(left), text: Figure.grouped(left), ink: .grey)
    ]
    func pass(_ name: String, less count: Int) {
      guard count > 0 else { return }
      left -= count
      bars.append(
        .init(
          name: name, value: Double(left),
          text: "\(Figure.grouped(left)) (−\(Figure.grouped(count)))", ink: .blue))
    }
    pass("not withheld", less: wake.withheld)
    for outcome in WakeOutcome.allCases where outcome != .caused {
      pass("past \(outcome.name)", less: wake.outcomes[outcome.rawValue] ?? 0)
    }
    let caused = wake.outcomes[WakeOutcome.caused.rawValue] ?? 0
    bars.append(
      .init(name: "caused", value: Double(caused), text: Figure.grouped(caused), ink: .green))
    if let answered = wake.answered {
      let count = (answered.value * Double(wake.eligible)).rounded()
      bars.append(
        .init(
          name: "answered", value: count,
          text: "\(Figure.grouped(count)) of \(Figure.grouped(wake.eligible))", ink: .green))
    }
    return Chart(
      title: "Pushes of your sender left after each gate",
      body: .bars(BarChart(bars: bars, unit: "pushes in the measured part")))
  }

  // MARK: Tables

  private func faults(_ sender: SenderFigures) -> Table? {
    guard !sender.faults.isEmpty else { return nil }
    var table = Table(head: ["fault", "count", "example", "first at", "Apple’s advice"])
    table.words = [0, 2, 4]
    table.rows = sender.faults.map {
      [$0.name, Figure.grouped($0.count), $0.example, $0.at, $0.advice]
    }
    return table
  }

  private func answers(_ sender: SenderFigures) -> Table {
    var table = Table(head: ["status", "reason", "requests", "per second", "busiest second"])
    table.rows = sender.answers.map {
      [
        "\($0.status)", $0.reason ?? "accepted", Figure.grouped($0.count),
        Figure.quantity($0.perSecond), Figure.grouped($0.busiestSecond),
      ]
    }
    return table
  }

  private func kinds(_ sender: SenderFigures) -> Table {
    var table = Table(head: ["type", "priority", "content-available", "accepted"])
    table.rows = sender.kinds.map {
      [$0.type, "\($0.priority)", $0.contentAvailable ? "1" : "—", Figure.grouped($0.count)]
    }
    return table
  }

  /// Returns the pushes that ended at each gate, by type, since alerts pass other gates.
  private func gates(_ types: [WakeGroup]) -> Table {
    var table = Table(head: ["outcome"] + types.map(\.name))
    table.rows = [["requested"] + types.map { Figure.grouped($0.requested) }]
    for outcome in WakeOutcome.allCases {
      let counts = types.map { $0.outcomes[outcome.rawValue] ?? 0 }
      guard counts.contains(where: { $0 > 0 }) else { continue }
      table.rows.append([outcome.name] + counts.map(Figure.grouped))
    }
    table.rows.append(["answered, of the judged"] + types.map { Words.ratio($0.answered) })
    return table
  }

  private func schedulers(_ sender: SenderFigures) -> Table {
    var table = Table(
      head: [
        "sender", "pushes", "answered", "of all silent phones", "caused",
        "pushes per caused position", "fresh phone-time",
      ])
    table.rows = sender.schedulers.map {
      [
        $0.name, Figure.grouped($0.requested), Words.ratio($0.answered),
        Words.ratio($0.answeredOfSilent),
        Figure.grouped($0.caused), $0.pushesPerCaused.map(Figure.quantity) ?? "—",
        $0.fresh.map(Figure.percent) ?? "—",
      ]
    }
    return table
  }

  private func notes(_ sender: SenderFigures) -> [HTML] {
    var notes: [HTML] = []
    if let p50 = sender.answerTime.p50 {
      let p99 = sender.answerTime.p99.map { Figure.time(Double($0)) } ?? "—"
      notes.append(
        "Response time of the endpoint: p50 \(Figure.time(Double(p50))), p99 \(p99).")
    }
    if !sender.signaturesChecked { notes.append("Signatures of provider tokens were not checked.") }
    if sender.withheld > 0 {
      notes.append(
        """
        \(Figure.grouped(sender.withheld)) accepted pushes were withheld at random as a control \
        group; your sender cannot see which.
        """)
    }
    if !sender.schedulers.isEmpty {
      notes.append(
        """
        The other senders are simulated with the same phones and seed. Fresh phone-time: of \
        reachable phones.
        """)
    }
    return notes
  }
}
