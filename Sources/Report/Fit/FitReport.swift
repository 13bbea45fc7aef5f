package import Capacity
internal import Core
internal import Figures

extension FitRecord: Reported {
  package var report: Document {
    let title = FitWords.title(self)
    let table = FitWords.table(self)
    let missing = FitWords.missing(self).map(Block.note)
    let policy = FitWords.policy(self)
    let note = Block.note(FitWords.note)
    let figures: [Block?] =
      table.rows.isEmpty ? [] : [.gap, .table(table), fitted == nil ? .markdown(note) : note]
    return Document(
      title: title, head: head,
      blocks: [
        .terminal(.text(title)), .only([.terminal, .markdown], [.question(FitWords.log(self))]),
        .page(self.figures.map(section)),
        FitWords.rows(self).map(Block.text), FitWords.described(self).map(Block.text),
        fitted == nil ? nil : .text(FitWords.halves(self)),
        .only([.terminal, .markdown], [policy.map(Block.text)]),
        valueRanges,
      ] + figures + [missing.isEmpty ? nil : .gap] + missing + [.page(hours, tried)])
  }

  private var head: PageHead {
    let facts = Facts(self)
    let badge = isInterrupted ? PageHead.Badge(.interrupted) : nil
    let counts = facts.cite("log.fixes", .count).map { fixes -> Tile in
      Tile(
        id: "log", title: "Log", value: "\(fixes) \(log.fixes == 1 ? "fix" : "fixes")",
        note: facts.cite("log.phones", .count).map {
          "of \($0) \(log.phones == 1 ? "phone" : "phones") in \(FitWords.time(log.seconds))"
        })
    }
    var head = PageHead(
      facts, badge, answer: FitWords.policy(self) ?? "",
      tiles: [counts] + figures.indices.map { tile($0) })
    head.question = .text(FitWords.log(self))
    return head
  }

  /// Returns a tile with a figure's distance, or without a simulation its median; nil if empty.
  private func tile(_ place: Int) -> Tile? {
    let figure = figures[place]
    guard let log = figure.log, let median = log.p50 ?? figure.heldDistance else { return nil }
    let name = figure.figure.name
    let title = name.prefix(1).uppercased() + name.dropFirst()
    let half = FitWords.text(median, figure.figure)
    guard let found = figure.heldDistance ?? figure.fittedDistance else {
      return log.p50.map { _ in
        Tile(
          id: figure.figure.rawValue, title: title, value: .text(half), note: "median of the log")
      }
    }
    let simulated = figure.simulated?.p50.map { FitWords.text($0, figure.figure) }
    let medians = log.p50.map { _ in "median \(half), simulated \(simulated ?? "—")" }
    return Tile(
      id: figure.figure.rawValue, title: title,
      value: .text("distance \(FitWords.distance(found, figure.measure))"),
      interval: figure.floor.map {
        .text("between the halves of the log \(FitWords.distance($0, figure.measure))")
      }, note: medians.map(HTML.text))
  }

  package var csv: String? { nil }

  /// Returns a section with curves; nil if the log has too few values or the figure has no curve.
  private func section(_ figure: Figure) -> Block? {
    guard let log = figure.log, log.survival.count > 1 else { return nil }
    let name = figure.figure.name
    let curves: [(values: Values, name: String, ink: Ink)] = [
      (log, "log", Ink.blue), (figure.simulated, "simulated", Ink.vermilion),
    ].compactMap { values, name, ink in
      values.flatMap { $0.survival.isEmpty ? nil : ($0, name, ink) }
    }
    let chart = Chart(
      title: "Survival curves: \(name)",
      body: .lines(
        LineChart(
          x: { _ in axis(curves.map(\.values), figure.figure) }, y: .share,
          unit: "share of values above", xUnit: axisName(figure.figure),
          series: curves.map { curve in
            .init(name: curve.name, ink: curve.ink, points: steps(curve.values, figure.figure))
          })))
    let tables = curves.map { curve in
      Fold.curve(
        "Curve as a table: \(curve.name)",
        Table(
          curve.values.survival,
          [
            "more than": { FitWords.text($0.at, figure.figure) },
            "share": { Core.Figure.percent($0.share) },
          ]))
    }
    return .section(
      figure.figure.rawValue, "\(name.prefix(1).uppercased())\(name.dropFirst())",
      sentence(figure), chart: chart, tables: tables)
  }

  // MARK: Ranges, hours and trials

  private var valueRanges: Block? {
    guard let ranges, let fitted else { return nil }
    let table = FitWords.ranges(ranges, fitted)
    let note = FitWords.note(ranges)
    let open = table.rows.isEmpty ? nil : table
    return .only(
      [.terminal, .markdown, .page],
      [
        .terminal(.gap, open.map(Block.table), .note(note)),
        .paper(.section("ranges", "Ranges of the fitted values", note, open: open)),
      ])
  }

  private var hours: Block? {
    guard logHours.count == 168, logHours.contains(where: { $0 > 0 }) else { return nil }
    let figure = figures.first { $0.figure == .hours }
    let judged = figure?.heldDistance ?? figure?.fittedDistance
    let apart =
      judged.map { "; distance in the time of day \(FitWords.distance($0, .wasserstein))" } ?? ""
    let what = simulatedHours.isEmpty ? "the log" : "log and simulation"
    return .section(
      "hours", "Hour by weekday",
      [
        .text("Fixes of \(what) by hour, per 1,000 fixes of each\(apart)."),
        .html(HourMap(log: logHours, simulated: simulatedHours).html),
      ])
  }

  private var tried: Block? {
    guard !trials.isEmpty else { return nil }
    return .section(
      "trials", "Trials",
      """
      \(Core.Figure.grouped(trials.count)) policies were simulated. Distance: the mean over the \
      figures against the fitted half, as a share of the greatest distance.
      """, tables: [.facts("All trials", FitWords.trials(self))])
  }
}

private func sentence(_ figure: FitRecord.Figure) -> String {
  let log = figure.log?.p50.map { FitWords.text($0, figure.figure) } ?? "—"
  guard let simulated = figure.simulated else { return "Median in the log: \(log)." }
  let half = simulated.p50.map { FitWords.text($0, figure.figure) } ?? "—"
  let judged = figure.heldDistance ?? figure.fittedDistance
  let floor =
    figure.floor.map {
      " (between the halves of the log: \(FitWords.distance($0, figure.measure)))"
    } ?? ""
  return """
    Median \(log) in the log, \(half) in the simulation; distance \
    \(FitWords.distance(judged, figure.measure))\(floor).
    """
}

// MARK: Axes

private func axisName(_ figure: FitFigure) -> String {
  switch figure {
  case .intervals, .delays, .silences, .hours: "time, logarithmic"
  case .accuracy: "metres, logarithmic"
  case .batches: "fixes, logarithmic"
  }
}

private func least(_ figure: FitFigure) -> Double {
  switch figure {
  case .intervals, .delays: 0.1
  case .silences, .hours: 60
  case .accuracy, .batches: 1
  }
}

private func axis(_ curves: [FitRecord.Values], _ figure: FitFigure) -> Scale {
  let values = curves.flatMap { $0.survival.map(\.at) }
  let low = max(least(figure), values.min() ?? 1)
  let high = max(low * 2, values.max() ?? 10)
  switch figure {
  case .accuracy, .batches:
    return .powersOfTen(from: low, to: high, text: Figure.quantity)
  case .intervals, .delays, .silences, .hours:
    // Takes round times as ticks, rather than powers of ten.
    let times: [(Double, String)] = [
      (0.1, "0.1 s"), (1, "1 s"), (10, "10 s"), (60, "1 min"), (600, "10 min"), (3_600, "1 h"),
      (21_600, "6 h"), (86_400, "1 d"), (604_800, "1 week"),
    ]
    let from = times.last { $0.0 <= low }?.0 ?? 0.1
    let to = times.first { $0.0 >= high }?.0 ?? high
    return Scale(
      low: from, high: max(to, from * 2), isLogarithmic: true,
      ticks: times.filter { $0.0 >= from && $0.0 <= to }.map { .init(value: $0.0, text: $0.1) },
      form: .seconds)
  }
}

private func steps(
  _ values: FitRecord.Values, _ figure: FitFigure
) -> [(x: Double, y: Double?)] {
  var points: [(x: Double, y: Double?)] = []
  var share = 1.0
  for point in values.survival {
    let x = max(least(figure), point.at)
    points.append((x, share))
    share = point.share
    points.append((x, share))
  }
  return points
}
