internal import Core
package import Figures

extension ComparisonRecord: Reported {
  package var report: Document {
    Document(
      title: "\(scenario.name): \(policies.count) policies compared", isWrapped: false,
      blocks: [
        .page(.question(scenario.question)), .paper(.text(paired)), .without("picture"), picture,
        .paper(knowledgeSection, costSection, silence, wakesSection, differenceSection), made,
      ] + terminal)
  }

  private var terminal: [Block?] {
    let known = """
      What the server knew of \(Figure.grouped(phones["reachable"] ?? 0)) reachable phones \
      (fresh: within \(minutes) min; located: within \(Figure.quantity(locatedWithinMeters)) m; \
      invented stays a day)
      """
    let less =
      "Less \(reference), same phones, 95 % interval (~: may be nothing; shares in points)"
    let differences = differences(
      [("fresh", .freshness), ("located", .located), ("battery %", .battery)])
    return [
      .terminal(
        .text(known), .gap, .table(table(Self.knowledge)), .gap,
        .text("What it cost, a phone and day"), .gap, .table(costs())),
      policies.count > 1 ? .terminal(.gap, .text(less), .gap, .table(differences)) : nil,
    ]
  }

  private var minutes: String { Figure.plain(freshWithinSeconds / 60) }

  private var paired: String {
    let hours = Figure.plain(scenario.durationSeconds / 3_600)
    let what = "\(Figure.grouped(scenario.phones)) phones for \(hours) h, seed \(seed)"
    guard isPaired else {
      return "Not paired: the policies did not meet the same world (\(what)). Report this."
    }
    return """
      The same people, movements and permissions under every policy: \(what). Figures are of the \
      \(Figure.grouped(phones["reachable"] ?? 0)) reachable phones unless they say otherwise: \
      Always permission and a valid push token.
      """
  }

  // MARK: The picture

  /// The Pareto front as indices, from the cheapest up.
  private static func front(_ points: [ScatterChart.Point]) -> [Int] {
    var best = -1.0
    let order = points.indices.sorted {
      (points[$0].x, -points[$0].y, $0) < (points[$1].x, -points[$1].y, $1)
    }
    return order.filter { place in
      defer { best = max(best, points[place].y) }
      return points[place].y > best
    }
  }

  private var picture: Block? {
    let points = policies.compactMap { policy -> ScatterChart.Point? in
      guard let battery = policy.measured(.battery)?.value,
        let fresh = policy.measured(.freshness)?.value
      else { return nil }
      return .init(
        name: policy.name, x: battery.value, y: fresh.value, xRange: battery.low...battery.high,
        yRange: fresh.low...fresh.high)
    }
    guard !points.isEmpty else { return nil }
    let front = Self.front(points)
    let names = front.map { points[$0].name }
    let listed =
      names.count == 1
      ? names[0] : "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1])"
    return .page(
      .section(
        "picture", "Freshness against battery",
        points.count == 1
          ? "One policy alone."
          : """
          No other policy is both fresher and cheaper than \(listed). The line joins them: what \
          lies below and to the right of it is beaten.
          """, chart: Self.chart(points, front),
        notes: [
          """
          Fresh: share of the reachable phones’ time in which the newest position was at most \
          \(minutes) min old. Battery: what the tracker takes of a full battery in a day. Bars \
          are 95 % intervals; where there are none they are smaller than the point.
          """
        ]))
  }

  private static func chart(_ points: [ScatterChart.Point], _ front: [Int]) -> Chart {
    var points = points
    points[0].isReference = true
    let low = points.map(\.xRange.lowerBound).min() ?? 0
    let high = points.map(\.xRange.upperBound).max() ?? 1
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
            from: points.map(\.yRange.lowerBound).min() ?? 0,
            to: points.map(\.yRange.upperBound).max() ?? 1),
          unit: "fresh, share of reachable phones' time",
          xUnit: "battery a day" + (isWide ? ", each step double or more" : ""),
          points: points, front: front)))
  }

  // MARK: Sections

  private func installed(_ table: Table) -> Block {
    .fold(.facts("The same of all installed phones", table))
  }

  private var knowledgeSection: Block {
    .section(
      "knowledge", "What the server knew",
      [
        .table(table(Self.knowledge)), installed(table(Self.knowledge, .installed)),
        .note(
          """
          Moving: fresh while the person was on the way. Located: the newest position lay within \
          \(Figure.quantity(locatedWithinMeters)) m of the truth. Error: metres between the two, \
          over the phones’ time. Missed: share of stays of 20 min and more of which the stored \
          fixes show less than half. Invented: stays a phone and day in the stored fixes (within \
          200 m of the first fix for 20 min or more) in which the phone rested there for less than \
          half the time.
          """),
      ])
  }

  private var costSection: Block {
    .section(
      "costs", "What it cost, a phone and day",
      [
        .table(costs()), installed(costs(.installed)),
        .note(
          """
          Battery: what tracking takes of a full one. Fixes: those the app kept. Bytes: of the \
          upload messages, each encoded as it would travel, without connections and \
          acknowledgements. Answered: of the silent pushes, those after which a fresh fix came in \
          time.
          """),
      ])
  }

  /// Causes that never occurred are omitted.
  private var silence: Block {
    .section(
      "silence", "Why phones were not fresh",
      [
        .table(table(Self.causes).withoutEmptyColumns),
        installed(table(Self.causes, .installed).withoutEmptyColumns),
        .note("Minutes a phone and day; each minute has exactly one cause."),
      ])
  }

  private var wakesSection: Block {
    .section(
      "wakes", "What gave the app time to run",
      [
        .table(table(Self.wakes).withoutEmptyColumns),
        .note(
          """
          Times a phone and day that a suspended or ended app was woken, by cause; timers count \
          when they come due while the app runs in the background.
          """),
      ])
  }

  private var differenceSection: Block? {
    guard policies.count > 1 else { return nil }
    return .section(
      "differences", "Less \(reference)",
      [
        .table(
          differences(
            [
              ("fresh, points", .freshness), ("located, points", .located),
              ("missed stays, points", .staysMissed),
            ])),
        .table(
          differences(
            [("battery, % a day", .battery), ("bytes a day", .bytes), ("wakes a day", .wakes)])),
        .note(
          """
          The difference on the same phones with its 95 % interval, from 1000 resamples of phones. \
          ~: the interval holds zero, the difference may be nothing.
          """),
      ])
  }

  private var made: Block {
    let table = Table(
      policies,
      [
        "policy": { $0.name }, "verdict of its run": { $0.verdict.rawValue },
        "record": { "\($0.name)/run.json" },
      ])
    return .page(
      .section(
        "run", "How this was made",
        [
          .code(command.joined(separator: " ")), .table(table),
          .html(
            """
            <p class="note">Flotilla \(tool.version), digest of the world \(world). Each policy’s \
            run has its own record; <code>flotilla report</code> on its folder renders it.</p>

            """),
        ]))
  }
}
