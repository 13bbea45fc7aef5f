internal import Capacity
internal import Core
internal import Figures

/// The certainty of each headline: sampling error and parameter ranges, from a sensitivity study,
/// or for pushes from the run. The share of published figures within the model's intervals is from
/// `flotilla-lab calibrate`.
struct Sureness {
  @Boxed private var record: RunRecord
  private let facts: Facts
  private let study: SensitivityRecord?
  private let other: OtherFacts?
  private let evidence: OtherFacts?

  init(
    _ record: RunRecord, _ facts: Facts, _ study: SensitivityRecord?,
    _ evidence: Facts?
  ) {
    self.record = record
    self.facts = facts
    self.study = study
    other = study.map { OtherFacts(facts: Facts($0), file: "sensitivity.json") }
    self.evidence = evidence.map { OtherFacts(facts: $0, file: "claims/intervals.csv") }
  }

  func section(_ page: Page) -> HTML? {
    // A log is no sample of a model.
    guard record.scenario.log == nil,
      record.freshness.reachable.share != nil || record.wake.answered != nil
    else { return nil }
    let rows = study.map(studied) ?? (record.ensemble == nil ? sampled : modelled)
    let chart = Chart(
      title: "Headline figures with their intervals",
      body: .intervals(
        IntervalChart(
          rows: rows,
          unit: study == nil && record.ensemble == nil
            ? "95 % sampling interval"
            : "dark: 95 % sampling interval; light: model interval")
      ))
    return """
      <section id="sure">
      <h2>How sure</h2>
      <p>\(sentence)</p>
      \(score ?? "")\(rows.isEmpty ? "" : page.figure(chart))\(table ?? "")</section>

      """
  }

  private var sentence: HTML {
    if let other, let phones = other.cite("scenario.phones", .count),
      let length = other.cite("scenario.durationSeconds", .minutes)
    {
      return """
        From a sensitivity study of \(phones) phones for \(length). Sampling: the interval over \
        other phones of the same fleet. Model: the interval over all parameters, drawn from their \
        ranges.
        """
    }
    if let coverage = facts.cite("ensemble.coverage", .percent),
      let phones = facts.cite("ensemble.phones", .count),
      let sets = facts.cite("ensemble.done", .count)
    {
      return """
        Model: \(coverage) intervals over the model’s parameters, from \(sets) sets of \
        \(phones) phones. Sampling: intervals over other phones of the same fleet.
        """
    }
    let name = facts.cite("scenario.name", .text) ?? "SCENARIO"
    return """
      These intervals cover sampling only. For intervals of the model, run \
      <code>flotilla simulate \(name) --ensemble 32</code>, or <code>flotilla sensitivity \
      \(name)</code> and then <code>flotilla report RUN --sensitivity FOLDER</code>.
      """
  }

  /// Words such as "90 % intervals contained 41 of 57 published figures (71.9 %), a factor of 3.1
  /// wide."; nil without recorded intervals.
  private var score: HTML? {
    guard let evidence, let contained = evidence.cite("all.contained", .count),
      let made = evidence.cite("all.made", .count),
      let coverage = evidence.cite("coverage", .percent),
      let width = evidence.cite("width", .quantity)
    else { return nil }
    return """
      <p>The model also predicts published figures to which it was not fitted. 90 % intervals \
      contained \(contained) of \(made) published figures (\(coverage)), a factor of \(width) wide. \
      Intervals of the right width would contain 90 % of them.</p>

      """
  }

  private var modelled: [IntervalChart.Row] {
    let own: [StudyFigure: Ratio?] = [
      .answered: record.wake.answered, .answeredOfSilent: record.wake.answeredOfSilent,
    ]
    return StudyFigure.headlines.compactMap { figure in
      guard let value = figure.value(in: record) else { return nil }
      return row(
        figure, value,
        [own[figure] ?? nil, record.ensemble?.figures[figure.key]].map { ratio in
          ratio.map { Self.range($0.low, $0.high) }
        })
    }
  }

  private var sampled: [IntervalChart.Row] {
    [
      ("Pushes answered", record.wake.answered),
      ("of all silent phones", record.wake.answeredOfSilent),
      ("caused by the push", record.wake.caused), ("uplift", record.wake.uplift),
    ].compactMap { name, ratio in
      ratio.map {
        IntervalChart.Row(
          name: name, value: $0.value, sampled: Self.range($0.low, $0.high), high: 1,
          text: Words.ratio($0))
      }
    }
  }

  /// Returns the nonnegative part of an interval, even for a damaged record.
  private static func range(_ low: Double, _ high: Double) -> ClosedRange<Double> {
    max(0, low)...max(0, low, high)
  }

  private func studied(_ study: SensitivityRecord) -> [IntervalChart.Row] {
    study.figures.compactMap { figure in
      figure.value.map { value in
        row(
          figure.name, value,
          [
            figure.sampled.map { Self.range($0.low, $0.high) },
            figure.model.map { Self.range($0.low, $0.high) },
          ])
      }
    }
  }

  /// - Parameter ranges: The interval due to sampling, then the one due to the model.
  private func row(
    _ figure: StudyFigure, _ value: Double, _ ranges: [ClosedRange<Double>?]
  ) -> IntervalChart.Row {
    let isShare = figure.unit == .share
    func text(_ value: Double) -> String {
      isShare ? Figure.percent(value) : Figure.quantity(value)
    }
    let high = isShare ? 1 : 1.1 * max(value, ranges.compactMap { $0?.upperBound }.max() ?? 0)
    let outer = ranges[1] ?? ranges[0]
    let bounds = outer.map { " (\(text($0.lowerBound)) – \(text($0.upperBound)))" } ?? ""
    return IntervalChart.Row(
      name: figure.title, value: value, sampled: ranges[0], model: ranges[1],
      high: max(high, 1e-9), text: text(value) + bounds)
  }

  // MARK: Evidence

  private static func areas(_ figure: StudyFigure) -> [String] {
    switch figure {
    case .freshness: ["background", "latency"]
    case .answered: ["push"]
    case .battery: ["energy"]
    case .batches: ["movement", "background"]
    case _: []
    }
  }

  /// Returns text such as "push 6 of 13"; nil without recorded intervals.
  private func evidence(_ figure: StudyFigure) -> HTML? {
    guard let evidence else { return nil }
    let parts: [HTML] = Self.areas(figure).compactMap { area in
      guard let contained = evidence.cite("areas.\(area).contained", .count),
        let made = evidence.cite("areas.\(area).made", .count)
      else { return nil }
      return "\(HTML.text(area)) \(contained) of \(made)"
    }
    return parts.isEmpty ? nil : parts.listed
  }

  /// The table of values and intervals by key, with the published figures in these intervals.
  private var table: HTML? {
    let rows = study.map { study in study.figures.indices.compactMap { row(study, $0) } } ?? bare
    guard !rows.isEmpty else { return nil }
    let heads: HTML =
      study == nil
      ? ""
      : "<th scope=\"col\">value</th><th scope=\"col\">sampling</th>"
        + "<th scope=\"col\">model</th>"
    return """
      <div class="scroll"><table><thead><tr><th scope="col"></th>\(heads)\
      <th scope="col">published figures in the intervals</th></tr></thead>
      <tbody>
      \(rows)</tbody></table></div>

      """
  }

  private var bare: [HTML] {
    let headlines: [(StudyFigure, Bool)] = [
      (.freshness, record.freshness.reachable.share != nil),
      (.answered, record.wake.answered != nil),
      (.battery, record.energy.perPhoneDay != nil),
    ]
    return headlines.compactMap { figure, isThere in
      guard isThere, let said = evidence(figure) else { return nil }
      return "<tr><th scope=\"row\">\(figure.title)</th><td>\(said)</td></tr>\n"
    }
  }

  private func row(_ study: SensitivityRecord, _ place: Int) -> HTML? {
    guard let other else { return nil }
    let figure = study.figures[place]
    let form: Facts.Form = figure.name.unit == .share ? .percent : .quantity
    guard let value = other.cite("figures.\(place).value", form) else { return nil }
    let unit: HTML = figure.name == .battery ? " %" : ""
    func range(_ key: String) -> HTML {
      guard let low = other.cite("figures.\(place).\(key).low", form),
        let high = other.cite("figures.\(place).\(key).high", form)
      else { return "not known" }
      return "\(low) – \(high)\(unit)"
    }
    let few = tooFew(study, place, other).map { " (\($0))" as HTML } ?? ""
    return """
      <tr><th scope="row">\(figure.name.title)</th><td>\(value)\(unit)</td>\
      <td>\(range("sampled"))</td><td>\(range("model"))\(few)</td>\
      <td>\(evidence(figure.name) ?? "—")</td></tr>

      """
  }

  /// Returns a note that an interval rests on too few points; nil if it has enough.
  private func tooFew(
    _ study: SensitivityRecord, _ place: Int, _ other: OtherFacts
  ) -> HTML? {
    let enough = SensitivityRecord.Model.pointsWanted
    let key =
      study.figures[place].model == nil ? "runs.pointsDone" : "figures.\(place).model.points"
    let points = study.figures[place].model?.points ?? study.runs.pointsDone
    guard points < enough, let count = other.cite(key, .count) else { return nil }
    return points == 1 ? "\(count) point is too few" : "\(count) points are too few"
  }
}
