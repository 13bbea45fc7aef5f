internal import Core
internal import Figures

extension RunComparison {
  package func report(_ files: [RunFiles] = []) -> Document {
    let charts = [
      chart(files, "Response p99 of each second", "response_p99_us", unit: "response p99") {
        .powersOfTen(from: $0, to: $1, form: .time, text: Figure.time)
      },
      chart(files, "Acknowledged batches", "acked_per_s", unit: "batches/s") {
        .fromZero(to: $1, ticks: 3, text: Figure.quantity)
      },
      chart(
        files, "Fresh reachable phones", "fresh_reachable_now", unit: "fresh reachable phones"
      ) { _, _ in .share },
    ].compactMap(\.self)
    let curves: Block? =
      charts.isEmpty
      ? nil
      : .section(
        "time", "Time line",
        [
          .panels(charts),
          .note("One curve per run, by simulated minutes since the start of each run."),
        ])
    let answers: [Block?] = runs.indices.dropFirst().flatMap { place -> [Block?] in
      let (sentence, list) = RunComparisonWords.answer(self, of: place)
      return [.question(sentence), list.isEmpty ? nil : .list(list)]
    }
    let figures = RunComparisonWords.figures(self)
    return Document(
      title: RunComparisonWords.title(self), head: head, isWrapped: false,
      blocks: [
        .only([.terminal], opening + [.gap, .table(figures), .gap] + answers),
        .markdown(answers), .page(curves),
        .paper(
          .section(
            "figures", "Figures side by side",
            [.table(figures), .note(RunComparisonWords.legend)])),
        promiseTable, .paper(made),
      ])
  }

  private var head: PageHead {
    let facts = Facts(self)
    let badge = PageHead.Badge(
      text: hasRegression ? "regression" : "no regression", isGood: !hasRegression)
    let others = runs.indices.dropFirst()
    // Takes the run with the most regressions.
    let place = others.max { regressions(ofRun: $0).count < regressions(ofRun: $1).count } ?? 1
    let answers = others.map { RunComparisonWords.answer(self, of: $0) }
    var head = PageHead(
      facts, badge, answer: answers.map(\.sentence).joined(separator: " "),
      tiles: tiles(place))
    head.reasons = answers.flatMap(\.list).map(HTML.text)
    return head
  }

  private static let tilesMax = 8

  /// Returns tiles of regressions, then of other changes, then the rest, each in reading order.
  private func tiles(_ place: Int) -> [Tile?] {
    let found = rows.indices.compactMap { index in
      rows[index].changes[place - 1].map { (index: index, change: $0) }
    }
    func rank(_ change: Change) -> Int {
      change.isRegression ? 0 : [.better, .worse].contains(change.word) ? 1 : 2
    }
    let chosen = found.sorted { (rank($0.change), $0.index) < (rank($1.change), $1.index) }
      .prefix(Self.tilesMax)
    let name = RunComparisonWords.letter(place)
    return chosen.map { index, change in
      let row = rows[index]
      let title = row.figure.title
      return Tile(
        id: row.figure.rawValue, title: title.prefix(1).uppercased() + title.dropFirst(),
        value: .text(row.texts[place]),
        level: .init(
          text: .text("\(name) / A"), word: RunComparisonWords.quotient(change),
          isMet: change.isRegression ? false : change.word == .better ? true : nil),
        note: .text("A: \(row.texts[0])"))
    }
  }

  private var opening: [Block?] {
    let runs = self.runs.enumerated().map { place, run -> Block? in
      let speed = run.speed == 1 ? "" : " at \(Figure.plain(run.speed)) ×"
      return .text(
        """
        \(RunComparisonWords.letter(place))  \(run.path): \(run.scenario), \
        \(Figure.grouped(run.phones)) phones\(speed), seed \(run.seed), \(run.verdict.rawValue)
        """)
    }
    let pairs = pairings.enumerated().flatMap { offset, pairing -> [Block?] in
      let lead = runs.count > 2 ? "\(RunComparisonWords.letter(offset + 1)): " : ""
      let differences = pairing.differences.joined(separator: "; ")
      return [
        .text(lead + pairing.sentence),
        differences.isEmpty ? nil : .text("\(lead)differences: \(differences)"),
      ]
    }
    return runs + pairs
  }

  // MARK: Pictures

  /// The greatest number of points of a curve, on the widest canvas.
  private static let pointsMax = 240

  private func chart(
    _ files: [RunFiles], _ title: String, _ column: String, unit: String,
    _ y: (Double, Double) -> Scale
  ) -> Chart? {
    let curves = files.enumerated().compactMap { Self.curve($0.element, $0.offset, column) }
    let values = curves.flatMap { $0.points.compactMap(\.y) }
    guard let low = values.filter({ $0 > 0 }).min(), let high = values.max() else { return nil }
    let end = curves.flatMap { $0.points.map(\.x) }.max() ?? 1
    return Chart(
      title: "\(title), one curve per run",
      body: .lines(
        LineChart(
          x: { .fromZero(to: end, ticks: $0, text: Figure.quantity) }, y: y(low, high), unit: unit,
          xUnit: "simulated minutes", series: curves)))
  }

  private static func curve(
    _ files: RunFiles, _ place: Int, _ column: String
  ) -> LineChart.Series? {
    guard files.timeline.has(column) else { return nil }
    let timeline = files.timeline.condensed(to: pointsMax)
    let start = timeline["scenario_s"].first.flatMap(\.self) ?? 0
    let x = timeline["scenario_s"].map { (($0 ?? start) - start) / 60 }
    return LineChart.Series(
      name: RunComparisonWords.letter(place), ink: Ink.curves[place % Ink.curves.count],
      points: Array(zip(x, timeline[column])).map { (x: $0.0, y: $0.1) })
  }

  // MARK: SLOs and runs

  private var promiseTable: Block? {
    guard !promises.isEmpty else { return nil }
    let table = Table(
      promises, words: [1, 4],
      [
        "run": { RunComparisonWords.letter($0.run) }, "SLO": { $0.result.name },
        "actual": { one in one.result.actual.map(one.result.amount) },
        "limit": { $0.result.amount($0.result.limit) },
        "": { $0.result.pass ? "met" : $0.wasKept ? "newly missed" : "missed" },
      ])
    return .paper(.section("promises", "SLOs", [.table(table)]))
  }

  private var made: Block {
    let pairs = pairings.enumerated().flatMap { offset, pairing -> [Block?] in
      let lead = "\(RunComparisonWords.letter(offset + 1)) and A. \(pairing.sentence)"
      return pairing.differences.isEmpty
        ? [.text(lead)] : [.text("\(lead) Differences:"), .list(pairing.differences)]
    }
    return .section(
      "runs", "Runs and method",
      [.table(RunComparisonWords.runs(self))] + pairs + [
        .note(
          """
          Regression: a figure worse by more than \(Figure.percent(tolerance)) and significant (if \
          it has an interval); a newly missed SLO; any additional lost fix.
          """)
      ])
  }

  package var csv: String {
    let rows = self.rows.flatMap { row in
      runs.enumerated().map { place, run in
        let change = place > 0 ? row.changes[place - 1] : nil
        return [
          row.figure.rawValue, row.unit.rawValue, row.good.rawValue, run.path,
          Table.field(row.values[place]), Table.field(change?.ratio), Table.field(change?.low),
          Table.field(change?.high), change?.method.rawValue ?? "", change?.word.rawValue ?? "",
          change.map { "\($0.isRegression)" } ?? "",
        ]
      }
    }
    return Table(
      head: [
        "figure", "unit", "good", "run", "value", "ratio", "low", "high", "interval", "word",
        "regression",
      ], rows: rows
    ).csv
  }
}
