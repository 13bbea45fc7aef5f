internal import Core
internal import Figures

extension RunSections {
  /// What differs between iPhones and Android phones; nil for a fleet with one system.
  var systems: HTML? {
    guard let systems = record.systems, let sentence = record.systemSentence else { return nil }
    return page.section(
      "systems", "iPhones and Android phones", "\(sentence).", open: Table(systems),
      tables: [
        .facts("Causes of stale time by system", Self.causes(systems)),
        .facts("Ends of pushes by system", Self.ends(systems)),
      ],
      notes: [
        """
        Fresh: of the reachable phones’ time. Stale mostly: the most common cause, with its share \
        of the stale time of all phones. Requests/s: in scenario time. Pushes to phones whose \
        policy ignores them are not judged. OS profiles have rows of their own where a system has \
        several.
        """
      ])
  }

  private static func causes(_ systems: [SystemFigures]) -> Table {
    let sums = systems.map { $0.stale.values.reduce(0, +) }
    let causes = StaleCause.allCases.filter { cause in
      systems.contains { $0.stale[cause.rawValue] ?? 0 > 0 }
    }
    return table(
      "cause", causes, systems, { $0.words(on: $1) },
      { cause, place in
        sums[place] > 0 ? (systems[place].stale[cause.rawValue] ?? 0) / sums[place] : nil
      })
  }

  private static func ends(_ systems: [SystemFigures]) -> Table {
    let outcomes = WakeOutcome.allCases.filter { outcome in
      systems.contains { $0.pushes?.outcomes[outcome.rawValue] ?? 0 > 0 }
    }
    return table(
      "end", outcomes, systems, { outcome, _ in outcome.name },
      { outcome, place in
        guard let pushes = systems[place].pushes, pushes.requested > 0 else { return nil }
        return Double(pushes.outcomes[outcome.rawValue] ?? 0) / Double(pushes.requested)
      })
  }

  /// Returns a row for each thing, with the words of both systems where they differ.
  private static func table<Thing>(
    _ head: String, _ things: [Thing], _ systems: [SystemFigures],
    _ words: (Thing, SystemKind) -> String, _ share: (Thing, Int) -> Double?
  ) -> Table {
    Table(
      head: [head] + systems.map(\.name),
      rows: things.map { thing in
        let names = SystemKind.allCases.map { words(thing, $0) }
        let name = Set(names).count == 1 ? names[0] : names.joined(separator: "; Android: ")
        return [name]
          + systems.indices.map { share(thing, $0).map(Figure.percent) ?? "—" }
      })
  }
}

extension Table {
  /// Creates a row for each system or OS profile.
  init(_ systems: [SystemFigures]) {
    self.init(
      head: SystemFigures.head, rows: systems.map(\.cells), words: [SystemFigures.wordsColumn])
  }
}
