package import Capacity
internal import Core
internal import Figures

extension SensitivityRecord: Reported {
  package var report: Document { report(top: 20) }

  /// - Parameter top: The greatest number of parameters in a text table, but not on the page.
  package func report(top: Int) -> Document {
    let title = SensitivityWords.title(self)
    let varied = SensitivityWords.varied(self)
    let held = Table(
      self.held, words: [1],
      ["parameter": { $0.path }, "reason": { $0.reason.rawValue }])
    let method: [Block?] = [
      .text(SensitivityWords.lives(self)), .text(varied),
      SensitivityWords.refused(self).map(Block.note),
    ]
    let known: [Block?] = [
      .terminal(.text(title)), .only([.terminal, .markdown], method), .gap,
      .only([.terminal, .markdown], [.table(SensitivityWords.headlines(self))]),
    ]
    let last = Block.page(
      .section(
        "method", "Method",
        method + [
          .table(SensitivityWords.headlines(self)),
          .note(
            """
            Sampled: 95 % interval from resampled phones. Model: 5th to 95th percentile with all \
            parameters drawn uniformly from their ranges at once.
            """),
        ]))
    let kept = Block.section(
      "held", "Fixed parameters",
      """
      \(varied) Compare parameters without a range, such as a choice of two behaviours of an \
      operating system, with a sweep.
      """, tables: [.facts("Fixed parameters", held)])
    let parts: [Block?] = figures.flatMap { text($0, top: top) + [.page(page($0))] }
    return Document(title: title, head: head, blocks: known + parts + [last, .page(kept)])
  }

  private var head: PageHead {
    let facts = Facts(self)
    let badge: PageHead.Badge? =
      runs.losses > 0
      ? PageHead.Badge(.loss) : isInterrupted ? PageHead.Badge(.interrupted) : nil
    let first = figures.first { ($0.effects.first?.meanAbsolute ?? 0) > 0 }
    return PageHead(
      facts, badge, answer: first.flatMap(largest) ?? "No parameter has an effect.",
      tiles: figures.indices.map { tile(facts, $0) })
  }

  /// Returns "Largest effect on fresh phone-time: 6 percentage points when … goes from … to …".
  private func largest(_ figure: Figure) -> String? {
    figure.effects.first { $0.meanAbsolute > 0 }.map { effect in
      let parameter = parameters[effect.parameter]
      // Drops the period of the parameter's sentence, which becomes part of another sentence.
      let words = parameter.doc.hasSuffix(".") ? parameter.doc.dropLast() : parameter.doc[...]
      let doc = words.isEmpty ? "" : " (\(words))"
      return """
        Largest effect on \(figure.name.title): \
        \(SensitivityWords.effect(effect.meanAbsolute, figure.name)) \
        \(SensitivityWords.unit(figure.name)) when \(parameter.path)\(doc) goes from \
        \(parameter.low) to \(parameter.high).
        """
    }
  }

  private func tile(_ facts: Facts, _ place: Int) -> Tile? {
    let figure = figures[place]
    let unit = figure.name.unit
    let name = figure.name.title
    guard let value = facts.cite("figures.\(place).value", in: unit) else { return nil }
    let top = figure.effects.first { $0.meanAbsolute > 0 }
    let note: HTML? = top.map { "largest effect: \(parameters[$0.parameter].path)" }
    return Tile(
      id: figure.name.rawValue, title: name.prefix(1).uppercased() + name.dropFirst(), value: value,
      interval: facts.range("figures.\(place).model", in: unit).map { "\($0) by the model" }
        ?? facts.range("figures.\(place).sampled", in: unit).map { "\($0) by sampling" },
      note: note)
  }

  /// Returns a table below a line such as "Fresh phone-time, percentage points over the whole …".
  private func text(_ figure: Figure, top: Int) -> [Block] {
    let name = figure.name.title
    let heading = """
      \(name.prefix(1).uppercased())\(name.dropFirst()), \(SensitivityWords.unit(figure.name)) \
      over the whole range of each parameter:
      """
    let effects = { SensitivityWords.effects(self, figure, top: top, half: $0) }
    let parts: [Block?] =
      figure.effects.isEmpty
      ? [.text(figure.value == nil ? "This run has no such figure." : "No step was made.")]
      : [
        .terminal(.table(effects(7))), .markdown(.table(effects(0))),
        SensitivityWords.rest(figure, top: top).map(Block.note),
        SensitivityWords.otherSeed(figure).map(Block.note),
      ]
    return [.gap, .only([.terminal, .markdown], [.section("", heading, parts)])]
  }

  private static let bars = 15

  private func page(_ figure: Figure) -> Block {
    let name = figure.name.title
    let unit = SensitivityWords.unit(figure.name)
    let moving = figure.effects.filter { $0.meanAbsolute > 0 }
    guard !moving.isEmpty else {
      return .section(figure.name.rawValue, "Sensitivity of \(name)", "No parameter has an effect.")
    }
    let bars = moving.prefix(Self.bars).map { effect in
      BarChart.Bar(
        name: parameters[effect.parameter].path,
        value: figure.name.unit == .share ? effect.meanAbsolute * 100 : effect.meanAbsolute,
        text: "\(SensitivityWords.effect(effect.meanAbsolute, figure.name)), "
          + SensitivityWords.direction(effect.direction),
        ink: effect.direction == .both ? .orange : effect.mean > 0 ? .blue : .vermilion)
    }
    let effects = SensitivityWords.effects(self, figure, top: moving.count, half: 0)
    return .section(
      figure.name.rawValue, "Sensitivity of \(name)",
      largest(figure) ?? "",
      chart: Chart(
        title: "Effect of each parameter's whole range on \(name)",
        body: .bars(BarChart(bars: bars, unit: "\(unit) (μ*)"))),
      tables: [.facts("All parameters with an effect", effects)],
      notes: [
        SensitivityWords.rest(figure, top: moving.count), SensitivityWords.otherSeed(figure),
      ])
  }

  package var csv: String? {
    let rows = figures.flatMap { figure in
      figure.effects.map { effect in
        let one = parameters[effect.parameter]
        return [
          figure.name.rawValue, one.path, one.value, one.low, one.high, one.scale.rawValue,
          one.confidence, "\(effect.steps)", "\(effect.meanAbsolute)", "\(effect.mean)",
          Table.field(effect.deviation), "\(effect.least)", "\(effect.most)", one.source,
        ]
      }
    }
    return Table(
      head: [
        "figure", "parameter", "value", "low", "high", "scale", "confidence", "steps", "mu_star",
        "mu", "sigma", "least", "most", "source",
      ], rows: rows
    ).csv
  }
}
