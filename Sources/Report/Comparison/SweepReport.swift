internal import Core
package import Figures

extension SweepRecord: Reported {
  package var report: Document {
    let figures: [StudyFigure] = [
      .answered, .answeredOfSilent, .uplift, .freshness, .battery, .pushes, .removedPerPush,
    ]
    let stopped = "Stopped early: \(points.count) of \(planned) points are done."
    let known: [Block?] = [
      .only([.terminal, .markdown], [.text(answer)]), .page(curves(figures)), .paper(.text(lives)),
      points.count < planned ? .paper(.text(stopped)) : nil,
      .page(figures.filter { chart($0) == nil }.map(section)),
    ]
    return Document(title: title, head: head, blocks: known + tables + [.page(run)])
  }

  private var head: PageHead {
    let facts = Facts(self)
    let badge =
      !isPaired
      ? PageHead.Badge(text: "not paired", isGood: false)
      : points.count < planned
        ? PageHead.Badge(.interrupted) : PageHead.Badge(worstOf: points.map(\.verdict))
    var head = PageHead(
      facts, badge, answer: answer,
      tiles: [
        tile(facts, "Answered", .answered),
        tile(facts, "Answered, of all silent phones", .answeredOfSilent),
        tile(facts, "Uplift", .uplift),
        tile(facts, "Fresh", .freshness), tile(facts, "Battery a day", .battery),
        tile(facts, "Pushes a day", .pushes),
        tile(facts, "Stale minutes removed per push", .removedPerPush),
      ])
    let missed = points.count { $0.verdict == .sloMissed }
    if missed > 0 { head.reasons = ["\(missed) of \(points.count) points missed an SLO."] }
    return head
  }

  /// Returns a tile with the figure at the best point, and its range over all points.
  private func tile(_ facts: Facts, _ title: String, _ figure: StudyFigure) -> Tile? {
    guard let place = best ?? freshest else { return nil }
    let values = points.compactMap { $0[figure]?.value }
    guard let low = values.min(), let high = values.max() else { return nil }
    let isOwn = figure == .answered || figure == .uplift
    let isLine = axes.count == 1 && axes[0].places != nil
    let key = isOwn ? "points.\(place).\(figure.key)" : "points.\(place).figures.\(figure.key)"
    let which = best == nil ? "freshest" : "best"
    var tile = Tile(
      figure.key, title, facts, key, figure.unit,
      note: .text(
        "\(which) point; \(figure.number(low)) to \(figure.number(high)) over all points"),
      curve: isLine ? TileCurve.html(points.map { $0[figure]?.value }) : nil)
    if figure == .uplift {
      // The uplift is a difference of shares, and therefore in percentage points.
      let ends = ["value", "low", "high"].map { facts.cite("\(key).\($0)", .points) ?? "—" }
      tile?.value = "\(ends[0]) points"
      tile?.interval = "\(ends[1]) – \(ends[2])"
    }
    return tile
  }

  // MARK: A figure

  private func section(_ figure: StudyFigure) -> Block {
    let isSilent = points.allSatisfy { $0[figure] == nil }
    let picture: Block =
      isSilent ? .text("No point has this figure.") : .html(maps(figure))
    return .section(figure.key, figure.sweptTitle, [picture, .note(note(figure))])
  }

  private func note(_ figure: StudyFigure) -> String {
    switch figure {
    case .answered:
      "Share of silent pushes to reachable phones followed by a fresh fix in time."
    case .answeredOfSilent:
      "Answered share of all times a phone was silent, unreachable phones included."
    case .uplift:
      "Share answered with the push, minus the share answered without the push."
    case .freshness:
      """
      Share of reachable phone-time with a position at most \
      \(Figure.plain(freshWithinSeconds / 60)) min old.\
      \(withoutPushes.map { " " + $0 }.joined())
      """
    case .battery: "Share of a full battery that tracking uses, on a reachable phone."
    case .pushes: "To reachable phones."
    case _: "Compared with the same phones without pushes (push.scheduler none). —: no pushes."
    }
  }

  // MARK: Maps

  private func maps(_ figure: StudyFigure) -> HTML {
    let pieces: [HTML] = slices.map { slice in
      let name = slice.sorted { $0.key < $1.key }
        .map { "\(shortKeys[$0.key]) \(shown($0.value, of: $0.key))" }.joined(separator: ", ")
      let head: HTML = slice.isEmpty ? "" : "<p class=\"slice\">\(name)</p>\n"
      return "\(head)\(SweepMap(self, figure, slice: slice).html)"
    }
    return "\(pieces)\(SweepMap(self, figure).legend)"
  }

  /// All combinations of values of the third and further axes; one empty combination without these.
  private var slices: [[Int: String]] {
    var slices: [[Int: String]] = [[:]]
    for (place, axis) in axes.enumerated().dropFirst(2) {
      slices = slices.flatMap { slice in
        axis.values.map { slice.merging([place: $0]) { $1 } }
      }
    }
    return slices
  }

  // MARK: One axis of numbers

  private func curves(_ figures: [StudyFigure]) -> Block? {
    let charts = figures.compactMap(chart)
    guard !charts.isEmpty else { return nil }
    return .section(
      "curves", "Figures by \(axes[0].key)",
      [.panels(charts), .note("Bands: 95 % intervals.")]
        + figures.map { .note("\($0.sweptTitle): \(note($0))") })
  }

  private func chart(_ figure: StudyFigure) -> Chart? {
    guard axes.count == 1, let places = axes[0].places else { return nil }
    let axis = axes[0]
    let points: [(x: Double, ratio: Ratio)] = zip(places, axis.values).compactMap { x, value in
      self.points.first { $0.values[0] == value }?[figure].map { (x, $0) }
    }
    guard points.count > 1 else { return nil }
    let middle = LineChart.Series(
      name: figure.head, ink: .blue, points: points.map { ($0.x, $0.ratio.value) },
      band: points.map { ($0.x, $0.ratio.low, $0.ratio.high) })
    return Chart(
      title: "\(figure.sweptTitle) by \(axis.key)",
      body: .lines(
        LineChart(
          x: { Self.along(places, axis.values, isGeometric: axis.isGeometric, ticks: $0) },
          y: Self.height(figure, points.map(\.ratio)), unit: figure.sweptTitle, xUnit: axis.key,
          series: [middle])))
  }

  private static func height(_ figure: StudyFigure, _ ratios: [Ratio]) -> Scale {
    let high = ratios.map(\.high).max() ?? 1
    let low = ratios.map(\.low).min() ?? 0
    let scale = Scale.fromZero(
      to: max(high, 1e-9), ticks: 3, form: figure.unit == .share ? .share : .plain,
      text: figure.number)
    guard low < 0, scale.ticks.count > 1 else { return scale }
    // Adds as many whole steps below zero as the lowest value needs.
    let step = scale.ticks[1].value
    let below = Int(min(100, (-low / step).rounded(.up)))
    let ticks = (1...max(1, below)).reversed().map {
      Scale.Tick(value: -Double($0) * step, text: figure.number(-Double($0) * step))
    }
    return Scale(
      low: -Double(below) * step, high: scale.high, ticks: ticks + scale.ticks, form: scale.form)
  }

  private static func along(
    _ places: [Double], _ values: [String], isGeometric: Bool, ticks wanted: Int
  ) -> Scale {
    let each = max(1, (places.count + wanted - 1) / max(1, wanted))
    let ticks = zip(places, values).enumerated().filter { $0.offset % each == 0 }
      .map { Scale.Tick(value: $0.element.0, text: $0.element.1) }
    return Scale(
      low: places.min() ?? 0, high: places.max() ?? 1, isLogarithmic: isGeometric, ticks: ticks)
  }

  // MARK: All of it

  private var tables: [Block?] {
    let minutes = Figure.plain(freshWithinSeconds / 60)
    let legend = """
      Reachable phones. answered: of the pushes; uplift: percentage points of answered; fresh: \
      within \(minutes) min; battery, pushes: per phone-day; min: stale phone-minutes removed, \
      compared with no pushes; [95 % intervals]\(best == nil ? "." : "; *: best point.")
      """
    let without: [Block?] = withoutPushes.map(Block.text)
    let terminal = [.gap] + table(fitting: 100) + [.gap, .text(legend)]
    let markdown = table()
    // The table has only the two figures without a picture.
    let page = table([.removedPerPush, .removedPerJoule])
    return [
      .only([.terminal], terminal), .markdown(.table(markdown), .note(legend)),
      .only([.terminal, .markdown], without), model.terminal, .paper(model.section),
      .page(
        .section(
          "points", "All points",
          [
            .table(page),
            .note(
              """
              Reachable phones. uplift: percentage points of answered; battery and pushes: per \
              phone-day; min/push, min/J: stale phone-minutes removed per push and per joule of \
              the pushes; [95 % intervals] from 1,000 resamples of phones. *: best point.
              """),
          ])),
    ]
  }

  private var model: ModelTable {
    ModelTable(
      "point", reference: best ?? freshest ?? 0,
      points.map { point in
        .init(name: name(of: point), ensemble: point.ensemble) { point[$0]?.value }
      })
  }

  private var run: Block {
    let again = best.map { Block.code(command(for: points[$0])) }
    return .section(
      "run", "This sweep",
      [
        .code(Self.shell(command)),
        again.map { _ in .note("Run the best point alone:") }, again,
        .html(
          """
          <p class="note">Flotilla \(tool.version). <code>sweep.csv</code> has every figure with \
          its interval. Run <code>flotilla report</code> on this folder to render it again.</p>

          """),
      ])
  }

  /// The CSV of the sweep: a row for each point, then a row for each run without pushes.
  package var csv: String? {
    let figures = StudyFigure.swept
    let names = figures.map { $0.key.replacing("-", with: "_") }
    let points = self.points.enumerated().map { place, point in
      ["point"] + point.values + ["\(point.requested)"]
        + figures.flatMap { Table.fields(point[$0]) }
        + [place == best ? "yes" : "no", point.verdict.rawValue]
    }
    let without = baselines.map { baseline in
      ["without-pushes"] + baseline.values.map { $0 ?? "" } + ["0"]
        + figures.flatMap { figure in
          Table.fields(
            figure == .freshness
              ? baseline.fresh : figure == .battery ? baseline.battery : nil)
        } + ["no", baseline.verdict.rawValue]
    }
    return Table(
      head: ["kind"] + axes.map(\.key) + ["requested"]
        + names.flatMap { [$0, "\($0)_low", "\($0)_high"] } + ["best", "verdict"],
      rows: points + without
    ).csv
  }
}
