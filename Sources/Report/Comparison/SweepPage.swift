package import Figures

/// Renders the report of a sweep: a pure function of `sweep.json` and of what draws its pictures.
package func sweepHTML(_ record: SweepRecord, plot: Plotter?) -> String {
  let title = SweepWords.title(record)
  let sections = SweepSections(record, Page(plot: plot))
  let unfinished: HTML =
    record.points.count < record.planned
    ? """
    <p>Stopped early: \(record.points.count) of \(record.planned) points were done and are \
    shown.</p>

    """ : ""
  let parts: [HTML] = SweepSections.figures.map(sections.section)
  return document(
    title: title,
    """
    <h1>\(title)</h1>
    <p class="question">\(record.scenario.question)</p>
    <p><strong>\(SweepWords.answer(record))</strong></p>
    <p>\(SweepWords.lives(record))</p>
    \(unfinished)\(parts)\(sections.table)\(sections.run)
    """)
}

/// The parts of the page.
private struct SweepSections {
  static let figures: [StudyFigure] = [
    .answered, .uplift, .freshness, .battery, .pushes, .removedPerPush,
  ]

  private let record: SweepRecord
  private let page: Page

  init(_ record: SweepRecord, _ page: Page) {
    self.record = record
    self.page = page
  }

  // MARK: A figure

  func section(_ figure: StudyFigure) -> HTML {
    let isSilent = record.points.allSatisfy { $0[figure] == nil }
    let picture: HTML =
      isSilent ? "<p>No point can say it.</p>\n" : chart(figure).map(page.figure) ?? maps(figure)
    return """
      <section id="\(figure.key)">
      <h2>\(title(figure))</h2>
      \(picture)<p class="note">\(note(figure))</p>
      </section>

      """
  }

  private func title(_ figure: StudyFigure) -> String {
    switch figure {
    case .answered: "Answered, % of the pushes"
    case .freshness: "Fresh, % of the time"
    case .battery: "Battery, % a day"
    case _: figure.title
    }
  }

  private func note(_ figure: StudyFigure) -> String {
    let minutes = Figure.plain(record.freshWithinSeconds / 60)
    return switch figure {
    case .answered:
      "Of the silent pushes to reachable phones, those after which a fresh fix came in time."
    case .uplift:
      "Answered with the push less answered without it: what the push itself brought about."
    case .freshness:
      """
      Share of the reachable phones’ time in which the newest position was at most \(minutes) min \
      old.\(SweepWords.withoutPushes(record).map { " " + $0 }.joined())
      """
    case .battery: "What tracking takes of a full battery, on a reachable phone."
    case .pushes: "To reachable phones."
    case _: "Against the same phones without pushes (push.scheduler none). —: no pushes."
    }
  }

  // MARK: Maps

  private func maps(_ figure: StudyFigure) -> HTML {
    let slices = slices
    let pieces: [HTML] = slices.map { slice in
      let name = slice.sorted { $0.key < $1.key }
        .map { "\(record.shortKeys[$0.key]) \(record.shown($0.value, of: $0.key))" }.joined(
          separator: ", ")
      let head: HTML = slice.isEmpty ? "" : "<p class=\"slice\">\(name)</p>\n"
      return "\(head)\(SweepMap(record, figure, slice: slice).html)"
    }
    return "\(pieces)\(SweepMap(record, figure).legend)"
  }

  /// All combinations of the axes beyond the first two; one empty one when there are none.
  private var slices: [[Int: String]] {
    var slices: [[Int: String]] = [[:]]
    for (place, axis) in record.axes.enumerated().dropFirst(2) {
      slices = slices.flatMap { slice in
        axis.values.map { slice.merging([place: $0]) { $1 } }
      }
    }
    return slices
  }

  // MARK: One axis of numbers

  /// nil: there is nothing to draw a line along, or nobody to draw it.
  private func chart(_ figure: StudyFigure) -> Chart? {
    guard page.plot != nil, record.axes.count == 1, let places = record.axes[0].places else {
      return nil
    }
    let axis = record.axes[0]
    var points: [(x: Double, ratio: Ratio)] = []
    for (x, value) in zip(places, axis.values) {
      guard let ratio = record.points.first(where: { $0.values[0] == value })?[figure] else {
        continue
      }
      points.append((x, ratio))
    }
    guard points.count > 1 else { return nil }
    let edge = { (place: KeyPath<Ratio, Double>, name: String) in
      LineChart.Series(
        name: name, ink: .grey, points: points.map { ($0.x, $0.ratio[keyPath: place]) },
        isDashed: true)
    }
    let middle = LineChart.Series(
      name: figure.head, ink: .blue, points: points.map { ($0.x, $0.ratio.value) })
    return Chart(
      name: figure.key.replacing("-", with: "_"), title: "\(title(figure)) over \(axis.key)",
      body: .lines(
        LineChart(
          x: { [isGeometric = axis.isGeometric, values = axis.values] count in
            Self.along(places, values, isGeometric: isGeometric, ticks: count)
          }, y: height(figure, points.map(\.ratio)), unit: title(figure), xUnit: axis.key,
          series: [edge(\.low, "95 %"), edge(\.high, "95 %"), middle])))
  }

  private func height(_ figure: StudyFigure, _ ratios: [Ratio]) -> Scale {
    let high = ratios.map(\.high).max() ?? 1
    let low = ratios.map(\.low).min() ?? 0
    let text = { (value: Double) in SweepTables.number(value, figure) }
    let scale = Scale.fromZero(to: max(high, 1e-9), ticks: 5, text: text)
    guard low < 0, scale.ticks.count > 1 else { return scale }
    // Whole steps below zero, as many as are needed.
    let step = scale.ticks[1].value
    let below = Int((-low / step).rounded(.up))
    let ticks = (1...max(1, below)).reversed().map {
      Scale.Tick(value: -Double($0) * step, text: text(-Double($0) * step))
    }
    return Scale(low: -Double(below) * step, high: scale.high, ticks: ticks + scale.ticks)
  }

  /// The axis has a tick at every value, or at as many as there is room for.
  private static func along(
    _ places: [Double], _ values: [String], isGeometric: Bool, ticks wanted: Int
  ) -> Scale {
    let each = max(1, (places.count + wanted - 1) / max(1, wanted))
    let ticks = zip(places, values).enumerated().filter { $0.offset % each == 0 }
      .map { Scale.Tick(value: $0.element.0, text: $0.element.1) }
    return Scale(
      low: places[0], high: places[places.count - 1], isLogarithmic: isGeometric, ticks: ticks)
  }

  // MARK: All of it

  var table: HTML {
    // The others have a picture with their intervals.
    let table = SweepTables(record).table {
      $0 == .removedPerPush || $0 == .removedPerJoule ? .interval : .value
    }
    return """
      <section id="points">
      <h2>Every point</h2>
      \(table.html)
      <p class="note">Of reachable phones. uplift: percentage points of answered; battery and \
      pushes: a phone and day; min/push, min/J: stale phone-minutes that there are without pushes, \
      per push and per joule that the pushes cost; [95 % intervals], from 1,000 resamples of \
      phones. *: the answer.</p>
      </section>

      """
  }

  var run: HTML {
    let best = record.best.map { record.points[$0] }
    let again: HTML =
      best.map { point in
        """
        <p class="note">The answer alone, with a report of its own:</p>
        <pre>\(SweepWords.command(for: point, in: record))</pre>

        """
      } ?? ""
    return """
      <section id="run">
      <h2>How this was made</h2>
      <pre>\(SweepWords.shell(record.command))</pre>
      \(again)<p class="note">Flotilla \(record.tool.version). <code>sweep.csv</code> has every \
      figure with its interval; <code>flotilla report</code> on this folder renders it again.</p>
      </section>

      """
  }
}
