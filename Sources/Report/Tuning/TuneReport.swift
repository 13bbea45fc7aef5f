package import Capacity
internal import Core
internal import Figures

extension TuneRecord: Reported {
  package var report: Document {
    let goal = figures[question.goals[0].figure]
    return Document(
      title: title, head: head, isWrapped: false,
      blocks: [
        .terminal(.text(title)), .only([.terminal, .markdown], [.text("Goal: \(asked).")]),
        .terminal(.text(costSentence), .gap, .table(finalists), .gap),
        .only([.terminal, .markdown], [.text(answer)]),
      ] + question.ways.dropFirst().map(picture) + [.page(.text("Goal: \(asked)."))]
        + (confirmed + gains).map(Block.text) + [
          model.terminal,
          .paper(
            .section(
              "finalists", "Candidates of the last rung", "Sorted by \(goal), best first.",
              tables: [.facts("All candidates of the last rung", finalists)]),
            .markdown(.table(finalists)), confirmationSection, model.section,
            .note(costSentence)),
        ])
  }

  private var head: PageHead {
    let facts = Facts(self)
    return PageHead(facts, badge, answer: answer, tiles: figures.indices.map { tile(facts, $0) })
  }

  private var badge: PageHead.Badge? {
    if isInterrupted { return PageHead.Badge(.interrupted) }
    guard winner != nil else { return PageHead.Badge(text: "no result", isGood: false) }
    guard let bounds = confirmation?.bounds else {
      return PageHead.Badge(text: "not confirmed", isGood: nil)
    }
    guard !bounds.isEmpty else { return PageHead.Badge(text: "confirmed", isGood: true) }
    if bounds.contains(.broken) { return PageHead.Badge(text: "bound missed", isGood: false) }
    return bounds.contains(.unsure)
      ? PageHead.Badge(text: "bound uncertain", isGood: nil)
      : PageHead.Badge(text: "bounds met", isGood: true)
  }

  /// Returns a tile with a figure of the winner, which other seeds measured if it was confirmed.
  private func tile(_ facts: Facts, _ place: Int) -> Tile? {
    guard let winner else { return nil }
    let figure = StudyFigure(key: figures[place])
    let unit = figure?.unit ?? .count
    let found = confirmation
    let level = question.bounds.firstIndex { $0.figure == place }.map { index -> Tile.Level in
      let bound = question.bounds[index]
      let kept =
        found?.bounds[index] ?? TuneRecord.Kept(candidates[winner].figures[place], bound)
      let limit = "bound \(bound.isUpper ? "≤" : "≥") \(text(place, bound.limit))"
      return switch kept {
      case .kept: .init(text: .text(limit), word: "met", isMet: true)
      case .unsure: .init(text: .text(limit), word: "uncertain", isMet: nil)
      case .broken: .init(text: .text(limit), word: "missed", isMet: false)
      }
    }
    let goal = question.goals.first { $0.figure == place }
      .map { $0.direction == .maximize ? "maximized" : "minimized" }
    let before = found.map { "\(text(place, $0.asWritten[place].value)) with original settings" }
    let name = axis(place)
    var tile = Tile(
      figures[place], name.prefix(1).uppercased() + name.dropFirst(), facts,
      found == nil ? "candidates.\(winner).figures.\(place)" : "confirmation.winner.\(place)",
      unit, level: level,
      note: .text([goal, before].compactMap(\.self).joined(separator: "; ")))
    tile?.showModel(
      facts, "candidates.\(winner).ensemble.figures.\(figure?.searchedKey ?? "")", unit)
    return tile
  }

  private var confirmationSection: Block? {
    guard let found = confirmation, let table = confirmedTable else { return nil }
    let section = Block.section(
      "confirmation", "Confirmation with other seeds",
      """
      \(Figure.grouped(found.phones)) phones of the seeds \
      \(found.seeds.map(String.init).joined(separator: " and ")), simulated with the winner and \
      with the original settings.
      """, tables: [.facts("Winner and original settings", table)])
    return .paper(section, .markdown(.table(table)))
  }

  /// The greatest number of named points in a chart.
  private static let pointsMax = 40

  /// Plots the first goal against another figure, for the last rung and with its Pareto front.
  private func picture(_ way: TuneQuestion.Goal) -> Block? {
    let goal = question.goals[0].figure
    // Sorts the front first, so that it is always drawn.
    let places = lastRung.sorted {
      (front.contains($0) ? 0 : 1, $0) < (front.contains($1) ? 0 : 1, $1)
    }.prefix(Self.pointsMax).map(\.self)
    guard !places.isEmpty else { return nil }
    let x = places.map { candidates[$0].figures[way.figure] }
    let y = places.map { candidates[$0].figures[goal] }
    let (name, other) = (figures[goal], figures[way.figure])
    let line = places.indices.filter { front.contains(places[$0]) }
      .sorted { (x[$0].value, y[$0].value, $0) < (x[$1].value, y[$1].value, $1) }
    let numbered = places.count > 6
    let chart = Chart(
      title: "\(name) against \(other), one point per candidate",
      body: .scatter(
        ScatterChart(
          x: Self.scale(x, ticks: 5) { tick(way.figure, $0) },
          y: Self.scale(y, ticks: 5) { tick(goal, $0) },
          unit: axis(goal), xUnit: axis(way.figure),
          points: places.indices.map { n in
            .init(
              numbered ? "\(n + 1)" : self.name(places[n]), x[n], other,
              StudyFigure(key: other)?.unit ?? .count, y[n], name,
              StudyFigure(key: name)?.unit ?? .count, isReference: places[n] == winner)
          }, front: line)))
    let legend =
      places.indices.map { "\($0 + 1): \(self.name(places[$0]))" }.joined(separator: "; ") + "."
    return .page(
      .section(
        "front-\(other)", "\(name) against \(other)",
        """
        Square: the winner. Line: Pareto front of the last rung. Bars: 95 % intervals over the \
        same phones.
        """, chart: chart, notes: [numbered ? legend : nil]))
  }

  private static func scale(
    _ ratios: [Ratio], ticks: Int, text: (Double) -> String
  ) -> Scale {
    let low = ratios.map(\.low).min() ?? 0
    let high = ratios.map(\.high).max() ?? 1
    // Values that are close together, but far from zero, need a scale that does not begin at zero.
    guard low > 0.5 * high, high > low else { return .fromZero(to: high, ticks: ticks, text: text) }
    let span = Scale.fromZero(to: (high - low) * 1.1, ticks: ticks, text: text)
    let step = span.ticks[1].value
    let first = (low / step).rounded(.down) * step
    let count = Int(((high - first) / step).rounded(.up))
    return Scale(
      low: first, high: first + Double(count) * step,
      ticks: (0...count).map { n in
        let value = first + Double(n) * step
        return .init(value: value, text: text(value))
      })
  }

  package var csv: String? {
    let columns = figures.flatMap { ["\($0)", "\($0)-low", "\($0)-high"] }
    let rows = candidates.enumerated().map { place, one in
      let marks = [
        one.rung.map { "\($0 + 1)" } ?? "", front.contains(place) ? "1" : "0",
        place == winner ? "1" : "0",
      ]
      let numbers = one.figures.flatMap(Table.fields)
      return one.values + marks + (numbers.isEmpty ? columns.map { _ in "" } : numbers)
    }
    return Table(head: axes.map(\.key) + ["rung", "front", "winner"] + columns, rows: rows).csv
  }
}
