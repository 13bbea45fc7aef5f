internal import Core
package import Figures

extension ComparisonRecord: Reported {
  package var report: Document {
    Document(
      title: "\(scenario.name): \(policies.count) policies compared", head: head, isWrapped: false,
      blocks: [
        picture, .paper(.text(paired)), .paper(model.section),
        .paper(knowledgeSection, costSection, systemSection, silence, wakesSection),
        .paper(differenceSection), made,
      ] + terminal)
  }

  private var head: PageHead {
    let facts = Facts(self)
    let badge =
      isPaired
      ? PageHead.Badge(worstOf: policies.map(\.verdict))
      : PageHead.Badge(text: "not paired", isGood: false)
    var head = PageHead(
      facts, badge, answer: fronts,
      tiles: [
        tile(facts, "Freshest", .freshness, isMore: true),
        tile(facts, "Best located", .located, isMore: true),
        tile(facts, "Fewest missed stays", .staysMissed, isMore: false),
        tile(facts, "Least battery a day", .battery, isMore: false),
        tile(facts, "Fewest bytes a day", .bytes, isMore: false),
        tile(facts, "Fewest pushes a day", .pushes, isMore: false),
      ])
    head.reasons = policies.filter { $0.verdict != .pass }.map {
      "\($0.name): \($0.verdict.rawValue.replacing("-", with: " "))"
    }
    return head
  }

  /// Returns a tile of the policy with the best value of a figure; nil if no policy has a value.
  private func tile(
    _ facts: Facts, _ title: String, _ figure: StudyFigure, isMore: Bool
  ) -> Tile? {
    let found = policies.indices.compactMap { place -> (place: Int, row: Int, value: Double)? in
      let row = policies[place].measures.firstIndex {
        $0.measure == figure.key && $0.population == .reachable
      }
      guard let row, let value = policies[place].measures[row].value?.value else { return nil }
      return (place, row, value)
    }
    let best = found.min { (isMore ? -$0.value : $0.value) < (isMore ? -$1.value : $1.value) }
    guard let best else { return nil }
    let first = found.first { $0.place == 0 }.map { $0.value }
    let note =
      best.place == 0
      ? "\(reference), the reference"
      : "\(policies[best.place].name)\(first.map { ", against \(figure.unit.text($0)) of \(reference)" } ?? "")"
    var tile = Tile(
      figure.key, title, facts, "policies.\(best.place).measures.\(best.row).value", figure.unit,
      note: .text(note))
    tile?.showModel(
      facts, "policies.\(best.place).ensemble.figures.\(figure.modelKey)", figure.unit)
    return tile
  }

  private var terminal: [Block?] {
    let known = """
      Server’s knowledge of \(Figure.grouped(phones["reachable"] ?? 0)) reachable phones (fresh: \
      within \(minutes) min; located: within \(Figure.quantity(locatedWithinMeters)) m; invented: \
      stays per phone-day)
      """
    let less = """
      Difference from \(reference), same phones, 95 % interval (~: not significant; shares in \
      points)
      """
    let differences = differences(
      [("fresh", .freshness), ("located", .located), ("battery %", .battery)])
    return [
      .terminal(
        .text(known), .gap, .table(table(Self.knowledge)), .gap,
        .text("Cost per phone-day"), .gap, .table(costs())),
      systems.map { .terminal(.gap, .text("iPhones and Android phones"), .gap, .table($0)) },
      policies.count > 1 ? .terminal(.gap, .text(less), .gap, .table(differences)) : nil,
      model.terminal,
    ]
  }

  private var minutes: String { Figure.plain(freshWithinSeconds / 60) }

  private var paired: String {
    let hours = Figure.plain(scenario.durationSeconds / 3_600)
    let what = "\(Figure.grouped(scenario.phones)) phones for \(hours) h, seed \(seed)"
    guard isPaired else {
      return "Not paired: the policies ran in different worlds (\(what)). Report this bug."
    }
    return """
      \(what), with the same people, movements and permissions for every policy. Unless noted, \
      figures cover the \(Figure.grouped(phones["reachable"] ?? 0)) reachable phones (Always \
      permission and a valid push token).
      """
  }

  // MARK: The picture

  /// Returns the Pareto front as indices of `points`, the cheapest first.
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

  private var points: [ScatterChart.Point] {
    policies.compactMap { policy in
      guard let battery = policy.measured(.battery)?.value,
        let fresh = policy.measured(.freshness)?.value
      else { return nil }
      return .init(policy.name, battery, "battery", .percent, fresh, "fresh", .share)
    }
  }

  private var fronts: String {
    let points = self.points
    let names = Self.front(points).map { points[$0].name }
    guard points.count > 1, let last = names.last else { return "" }
    let listed =
      names.count == 1 ? last : "\(names.dropLast().joined(separator: ", ")) and \(last)"
    return "No other policy is both fresher and cheaper than \(listed)."
  }

  private var picture: Block? {
    let points = self.points
    guard !points.isEmpty else { return nil }
    return .page(
      .section(
        "picture", "Freshness against battery",
        points.count == 1
          ? "There is only one policy."
          : "Square: \(reference), the reference. Line: Pareto front.",
        chart: Self.chart(points, Self.front(points)),
        notes: [
          """
          Fresh: share of reachable phone-time with a position at most \(minutes) min old. \
          Battery: share of a full battery that the tracker uses per day. Bars are 95 % intervals, \
          invisible if smaller than the point.
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
      title: "Freshness against battery a day, one point per policy",
      body: .scatter(
        ScatterChart(
          x: isWide
            ? .oneTwoFive(from: low, to: high, text: words)
            : .fromZero(to: high * 1.05, ticks: 5, text: words),
          y: .shares(
            from: points.map(\.yRange.lowerBound).min() ?? 0,
            to: points.map(\.yRange.upperBound).max() ?? 1),
          unit: "fresh share of reachable phone-time",
          xUnit: "battery a day" + (isWide ? ", logarithmic" : ""),
          points: points, front: front)))
  }

  // MARK: Sections

  private func installed(_ table: Table) -> Block {
    .fold(.facts("All installed phones", table))
  }

  private var knowledgeSection: Block {
    .section(
      "knowledge", "Server’s knowledge",
      [
        .table(table(Self.knowledge)), installed(table(Self.knowledge, .installed)),
        .note(
          """
          Moving: fresh while the phone moves. Located: the newest position is within \
          \(Figure.quantity(locatedWithinMeters)) m of the true position. Error: distance in \
          metres between newest and true position, over phone-time. Missed: share of stays of \
          20 min or more of which the stored fixes cover less than half. Invented: stays per \
          phone-day in the stored fixes (within 200 m of the first fix for 20 min or more) where \
          the phone rested for less than half the time.
          """),
      ])
  }

  private var costSection: Block {
    .section(
      "costs", "Cost per phone-day",
      [
        .table(costs()), installed(costs(.installed)),
        .note(
          """
          Battery: share of a full battery that tracking uses. Fixes: kept by the app. Bytes: \
          encoded upload messages, without connections and acknowledgements. Answered: share of \
          silent pushes followed by a fresh fix in time.
          """),
      ])
  }

  private var systemSection: Block? {
    systems.map {
      .section(
        "systems", "iPhones and Android phones",
        "A policy with an Android counterpart gives it to the Android phones.", open: $0)
    }
  }

  /// The stale time by cause. Causes that never occurred are omitted.
  private var silence: Block {
    .section(
      "silence", "Why phones were not fresh",
      [
        .table(table(Self.causes).withoutEmptyColumns),
        installed(table(Self.causes, .installed).withoutEmptyColumns),
        .note("Minutes per phone-day; each minute has exactly one cause."),
      ])
  }

  private var wakesSection: Block {
    .section(
      "wakes", "Wakes by cause",
      [
        .table(table(Self.wakes).withoutEmptyColumns),
        .note(
          """
          Wakes of a suspended or ended app per phone-day. Timers count if they fire while the \
          app runs in the background.
          """),
      ])
  }

  private var differenceSection: Block? {
    guard policies.count > 1 else { return nil }
    return .section(
      "differences", "Difference from \(reference)",
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
          Difference on the same phones with its 95 % interval, from 1,000 resamples of phones. \
          ~: not significant (the interval includes 0).
          """),
      ])
  }

  private var made: Block {
    let table = Table(
      policies,
      [
        "policy": { $0.name }, "verdict": { $0.verdict.rawValue },
        "record": { "\($0.name)/run.json" },
      ])
    return .page(
      .section(
        "run", "This comparison",
        [
          command.isEmpty ? nil : .code(command.joined(separator: " ")), .table(table),
          .html(
            """
            <p class="note">Flotilla \(tool.version), world digest \(world). Run <code>flotilla \
            report</code> on a policy’s folder for a report of its run.</p>

            """),
        ]))
  }
}
