package import Figures

/// Renders the report of a comparison: a pure function of `compare.json` and of what draws its
/// picture.
package func comparisonHTML(_ record: ComparisonRecord, plot: Plotter?) -> String {
  let page = Page(plot: plot)
  let note: HTML =
    plot == nil
    ? "<p class=\"note\">No picture: gnuplot was not found when this report was made.</p>\n" : ""
  let sections = ComparisonSections(record)
  let title = "\(record.scenario.name): \(record.policies.count) policies compared"
  return document(
    title: title,
    """
    <h1>\(title)</h1>
    <p class="question">\(record.scenario.question)</p>
    <p>\(ComparisonWords.paired(record))</p>
    \(note)\(sections.picture(page))\(sections.knowledge(page))\(sections.costs(page))\
    \(sections.silence(page))\(sections.wakes(page))\(sections.differences(page))\
    \(sections.run(page))
    """)
}

/// The sentences of a comparison.
enum ComparisonWords {
  static let differences: [(String, StudyFigure)] = [
    ("fresh, points", .freshness), ("located, points", .located),
    ("missed stays, points", .staysMissed),
  ]
  static let costDifferences: [(String, StudyFigure)] = [
    ("battery, % a day", .battery), ("bytes a day", .bytes), ("wakes a day", .wakes),
  ]

  static func paired(_ record: ComparisonRecord) -> String {
    let phones = Figure.grouped(record.scenario.phones)
    let hours = Figure.plain(record.scenario.durationSeconds / 3_600)
    let reachable = Figure.grouped(record.phones["reachable"] ?? 0)
    let what = "\(phones) phones for \(hours) h, seed \(record.seed)"
    guard record.isPaired else {
      return "Not paired: the policies did not meet the same world (\(what)). Report this."
    }
    return
      "The same people, movements and permissions under every policy: \(what). Figures are of the "
      + "\(reachable) reachable phones unless they say otherwise: Always permission and a valid "
      + "push token."
  }
}

/// The parts of the page.
struct ComparisonSections {
  private let record: ComparisonRecord
  private let tables: ComparisonTables

  init(_ record: ComparisonRecord) {
    self.record = record
    tables = ComparisonTables(record)
  }

  private struct PolicyPoint {
    var name: String
    var battery: Ratio
    var freshness: Ratio
  }

  private var points: [PolicyPoint] {
    record.policies.compactMap { policy in
      guard let battery = policy.measured(.battery)?.value,
        let freshness = policy.measured(.freshness)?.value
      else { return nil }
      return PolicyPoint(name: policy.name, battery: battery, freshness: freshness)
    }
  }

  /// Places of those that no other beats in both, from the cheapest up.
  private func front(_ all: [PolicyPoint]) -> [Int] {
    var best = -1.0
    let order = all.indices.sorted {
      (all[$0].battery.value, -all[$0].freshness.value, $0)
        < (all[$1].battery.value, -all[$1].freshness.value, $1)
    }
    return order.filter { place in
      defer { best = max(best, all[place].freshness.value) }
      return all[place].freshness.value > best
    }
  }

  // MARK: Sections

  func picture(_ page: Page) -> HTML {
    let all = points
    guard !all.isEmpty else { return "" }
    let front = front(all)
    let minutes = Figure.plain(record.freshWithinSeconds / 60)
    let names = front.map { HTML.text(all[$0].name) }
    let sentence: HTML =
      all.count == 1
      ? "One policy alone."
      : """
      No other policy is both fresher and cheaper than \(names.listed). The line joins them: what \
      lies below and to the right of it is beaten.
      """
    return page.section(
      "picture", "Freshness against battery", sentence, chart: chart(all, front),
      tables: [],
      notes: [
        """
        Fresh: share of the reachable phones’ time in which the newest position was at most \
        \(minutes) min old. Battery: what the tracker takes of a full battery in a day. Bars are \
        95 % intervals; where there are none they are smaller than the point.
        """
      ])
  }

  private func chart(_ all: [PolicyPoint], _ front: [Int]) -> Chart {
    let low = all.map(\.battery.low).min() ?? 0
    let high = all.map(\.battery.high).max() ?? 1
    let isWide = low > 0 && high / low > 6
    let words = { (value: Double) in "\(Figure.quantity(value)) %" }
    return Chart(
      name: "front", title: "Freshness against battery a day, a point for each policy",
      body: .scatter(
        ScatterChart(
          x: isWide
            ? .oneTwoFive(from: low, to: high, text: words)
            : .fromZero(to: high * 1.05, ticks: 5, text: words),
          y: .shares(
            from: all.map(\.freshness.low).min() ?? 0,
            to: all.map(\.freshness.high).max() ?? 1),
          unit: "fresh, share of reachable phones' time",
          xUnit: "battery a day" + (isWide ? ", each step double or more" : ""),
          points: all.enumerated().map { i, one in
            .init(
              name: one.name, x: one.battery.value, y: one.freshness.value,
              xRange: one.battery.low...one.battery.high,
              yRange: one.freshness.low...one.freshness.high, isReference: i == 0)
          },
          front: front)))
  }

  func knowledge(_ page: Page) -> HTML {
    let reach = Figure.quantity(record.locatedWithinMeters)
    return section(
      "knowledge", "What the server knew", [tables.knowledge],
      """
      Moving: fresh while the person was on the way. Located: the newest position lay within \
      \(reach) m of the truth. Error: metres between the two, over the phones’ time. Missed: \
      share of stays of 20 min and more of which the stored fixes show less than half. Invented: \
      stays a phone and day in the stored fixes (within 200 m of the first fix for 20 min or more) \
      in which the phone rested there for less than half the time.
      """,
      fold: ("The same of all installed phones", ComparisonTables(record, .installed).knowledge))
  }

  func costs(_ page: Page) -> HTML {
    section(
      "costs", "What it cost, a phone and day", [tables.costs],
      """
      Battery: what tracking takes of a full one. Fixes: those the app kept. Bytes: of the upload \
      messages, each encoded as it would travel, without connections and acknowledgements. \
      Answered: of the silent pushes, those after which a fresh fix came in time.
      """,
      fold: ("The same of all installed phones", ComparisonTables(record, .installed).costs))
  }

  func silence(_ page: Page) -> HTML {
    section(
      "silence", "Why phones were not fresh", [tables.stale],
      "Minutes a phone and day; each minute has exactly one cause.",
      fold: ("The same of all installed phones", ComparisonTables(record, .installed).stale))
  }

  func wakes(_ page: Page) -> HTML {
    section(
      "wakes", "What gave the app time to run", [tables.wakes],
      """
      Times a phone and day that a suspended or ended app was woken, by cause; timers count when \
      they come due while the app runs in the background.
      """)
  }

  func differences(_ page: Page) -> HTML {
    guard record.policies.count > 1 else { return "" }
    let costs = tables.differences(ComparisonWords.costDifferences)
    return section(
      "differences", "Less \(record.reference)",
      [
        tables.differences(ComparisonWords.differences), costs,
      ],
      """
      The difference on the same phones with its 95 % interval, from \(1_000) resamples of phones. \
      ~: the interval holds zero, the difference may be nothing.
      """)
  }

  func run(_ page: Page) -> HTML {
    let table = Table(
      head: ["policy", "verdict of its run", "record"],
      rows: record.policies.map { [$0.name, $0.verdict.rawValue, "\($0.name)/run.json"] })
    return """
      <section id="run">
      <h2>How this was made</h2>
      <pre>\(record.command.joined(separator: " "))</pre>
      \(table.html)
      <p class="note">Flotilla \(record.tool.version), digest of the world \(record.world). Each \
      policy’s run has its own record; <code>flotilla report</code> on its folder renders it.</p>
      </section>

      """
  }

  private func section(
    _ id: String, _ title: String, _ tables: [Table], _ note: HTML, fold: (String, Table)? = nil
  ) -> HTML {
    let more: [HTML] = fold.map { [Fold.facts($0.0, $0.1).html] } ?? []
    return """
      <section id="\(id)">
      <h2>\(title)</h2>
      \(tables.map(\.html))
      \(more)<p class="note">\(note)</p>
      </section>

      """
  }
}
