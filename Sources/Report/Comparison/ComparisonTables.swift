internal import Core
internal import Figures

extension ComparisonRecord {
  typealias Column = (String, StudyFigure)

  static let knowledge: [Column] = [
    ("fresh", .freshness), ("moving", .freshnessMoving), ("located", .located),
    ("error p50", .errorMedian), ("p95", .errorP95), ("mean", .errorMean),
    ("missed", .staysMissed), ("invented", .staysInvented),
  ]
  static let causes: [Column] = StaleCause.allCases.map {
    ($0.rawValue.replacing("-", with: " "), .stale($0))
  }
  static let wakes: [Column] = WakeCause.allCases.map {
    ($0.rawValue.replacing("-", with: " "), .wakesBy($0))
  }

  func table(_ columns: [Column], _ population: Population = .reachable) -> Table {
    table(policies[...], columns, population) { unit, one in one.value.map { unit.cell($0.value) } }
  }

  /// Returns the other policies minus the first, with 95 % intervals. `~`: perhaps no difference.
  func differences(_ columns: [Column]) -> Table {
    table(policies.dropFirst(), columns, .reachable) { $1.difference.map($0.difference) }
  }

  private func table(
    _ policies: ArraySlice<Policy>, _ columns: [Column], _ population: Population,
    _ text: (FigureUnit, Measured) -> String?
  ) -> Table {
    Table(
      head: ["policy"] + columns.map(\.0),
      rows: policies.map { policy in
        [policy.name]
          + columns.map { _, measure in
            policy.measured(measure, of: population).flatMap { text(measure.unit, $0) } ?? "—"
          }
      })
  }

  func costs(_ population: Population = .reachable) -> Table {
    var table = table(
      [
        ("battery", .battery), ("fixes", .fixes), ("batches", .batches), ("bytes", .bytes),
        ("wakes", .wakes), ("pushes", .pushes),
      ], population)
    table.head += ["answered", "of all silent"]
    for (i, policy) in policies.enumerated() {
      table.rows[i] += [policy.answered, policy.answeredOfSilent].map {
        $0.map { Figure.percent($0.value) } ?? "—"
      }
    }
    return table
  }

  /// The figures of iPhones and of Android phones with each policy; nil for a fleet with one system.
  var systems: Table? {
    guard policies.contains(where: { $0.systems != nil }) else { return nil }
    let rows = policies.flatMap { policy in
      (policy.systems ?? []).filter { $0.profile == nil }.map { [policy.name] + $0.cells }
    }
    return Table(
      head: ["policy"] + SystemFigures.head, rows: rows,
      words: [1, SystemFigures.wordsColumn + 1])
  }

  /// The figures of the policies over sets of the model's parameters.
  var model: ModelTable {
    ModelTable(
      "policy", reference: 0,
      policies.map { policy in
        .init(name: policy.name, ensemble: policy.ensemble) { figure in
          switch figure {
          case .answered: policy.answered?.value
          case .answeredOfSilent: policy.answeredOfSilent?.value
          case _: policy.measured(figure)?.value?.value
          }
        }
      })
  }

  package var csv: String? {
    let isModelled = policies.contains { $0.ensemble != nil }
    let rows = policies.flatMap { policy in
      policy.measures.map { one -> [String] in
        let key = "\(one.population.rawValue)-\(one.measure)"
        var fields = [policy.name, one.population.rawValue, one.measure, one.unit.rawValue]
        fields += Table.fields(one.value) + Table.fields(one.difference)
        if isModelled {
          fields += Table.fields(policy.ensemble?.figures[key]).dropFirst()
          fields += Table.fields(policy.ensemble?.differences?[key]).dropFirst()
        }
        return fields
      }
    }
    var head = [
      "policy", "population", "measure", "unit", "value", "low", "high", "difference",
      "difference_low", "difference_high",
    ]
    if isModelled {
      head += ["model_low", "model_high", "model_difference_low", "model_difference_high"]
    }
    return Table(head: head, rows: rows).csv
  }
}
