package import Figures

/// What a comparison says, as tables: the same for the terminal, for Markdown and for the page.
struct ComparisonTables {
  let record: ComparisonRecord
  let population: ComparisonRecord.Population

  init(_ record: ComparisonRecord, _ population: ComparisonRecord.Population = .reachable) {
    self.record = record
    self.population = population
  }

  /// What the server knew of the phones.
  var knowledge: Table {
    table(
      [
        ("fresh", .freshness), ("moving", .freshnessMoving), ("located", .located),
        ("error p50", .errorMedian), ("p95", .errorP95), ("mean", .errorMean),
        ("missed", .staysMissed), ("invented", .staysInvented),
      ])
  }

  /// What it cost, a phone and day.
  var costs: Table {
    var table = table(
      [
        ("battery", .battery), ("fixes", .fixes), ("batches", .batches), ("bytes", .bytes),
        ("wakes", .wakes), ("pushes", .pushes),
      ])
    table.head.append("answered")
    for (i, policy) in record.policies.enumerated() {
      table.rows[i].append(policy.answered.map { Figure.percent($0.value) } ?? "—")
    }
    return table
  }

  /// Minutes a phone and day that were not fresh, by cause; causes that never occurred are left
  /// out.
  var stale: Table {
    table(StaleCause.allCases.map { ($0.rawValue.replacing("-", with: " "), .stale($0)) })
      .withoutEmptyColumns
  }

  var wakes: Table {
    table(WakeCause.allCases.map { ($0.rawValue.replacing("-", with: " "), .wakesBy($0)) })
      .withoutEmptyColumns
  }

  /// The others less the first, with 95 % intervals; `~`: it may be nothing.
  func differences(_ measures: [(String, StudyFigure)]) -> Table {
    var table = Table(head: ["policy"] + measures.map(\.0))
    for policy in record.policies.dropFirst() {
      table.rows.append(
        [policy.name]
          + measures.map { _, measure in
            policy.measured(measure, of: population)?.difference
              .map(measure.unit.difference) ?? "—"
          })
    }
    return table
  }

  private func table(_ measures: [(String, StudyFigure)]) -> Table {
    Table(
      head: ["policy"] + measures.map(\.0),
      rows: record.policies.map { policy in
        [policy.name]
          + measures.map { _, measure in
            policy.measured(measure, of: population)?.value
              .map { measure.unit.cell($0.value) } ?? "—"
          }
      })
  }
}

extension Table {
  /// Without columns that say nothing but zero.
  fileprivate var withoutEmptyColumns: Table {
    let kept = head.indices.filter { column in
      column == 0 || rows.contains { $0[column] != "0" && $0[column] != "—" }
    }
    return Table(head: kept.map { head[$0] }, rows: rows.map { row in kept.map { row[$0] } })
  }

  /// Columns in line, two spaces apart; the first to the left, numbers to the right.
  var lines: [String] {
    let all = [head] + rows
    let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    return all.map { row in
      row.enumerated().map { column, cell in
        let pad = String(repeating: " ", count: widths[column] - cell.count)
        return column == 0 ? cell + pad : pad + cell
      }.joined(separator: "  ")
    }
  }

  var markdown: [String] {
    let rule = "|" + head.indices.map { $0 == 0 ? "---|" : "---:|" }.joined()
    return [ForeignText.inMarkdown(row: head), rule] + rows.map(ForeignText.inMarkdown(row:))
  }
}

/// A comparison on standard output: lines that fit a terminal and a pipe alike.
package func comparisonLines(_ record: ComparisonRecord) -> [String] {
  let tables = ComparisonTables(record)
  let minutes = Figure.plain(record.freshWithinSeconds / 60)
  let phones = Figure.grouped(record.phones["reachable"] ?? 0)
  var lines = [
    "What the server knew of \(phones) reachable phones "
      + "(fresh: within \(minutes) min; located: within "
      + "\(Figure.quantity(record.locatedWithinMeters)) m; invented stays a day)",
    "",
  ]
  lines += tables.knowledge.lines + ["", "What it cost, a phone and day", ""]
  lines += tables.costs.lines
  guard record.policies.count > 1 else { return lines }
  lines += [
    "",
    "Less \(record.reference), same phones, 95 % interval (~: may be nothing; shares in points)",
    "",
  ]
  lines +=
    tables.differences(
      [("fresh", .freshness), ("located", .located), ("battery %", .battery)]
    ).lines
  return lines
}

/// `compare.csv`: a row for each policy, population and measure.
package func comparisonCSV(_ record: ComparisonRecord) -> String {
  var lines = [
    "policy,population,measure,unit,value,low,high,difference,difference_low,difference_high"
  ]
  func fields(_ ratio: Ratio?) -> [String] {
    guard let ratio else { return ["", "", ""] }
    return [ratio.value, ratio.low, ratio.high].map { "\($0)" }
  }
  for policy in record.policies {
    for one in policy.measures {
      let words = [policy.name, one.population.rawValue, one.measure, one.unit.rawValue]
      lines.append(
        (words + fields(one.value) + fields(one.difference)).joined(separator: ","))
    }
  }
  return lines.joined(separator: "\n") + "\n"
}

/// `summary.md` of a comparison.
package func comparisonMarkdown(_ record: ComparisonRecord) -> String {
  let tables = ComparisonTables(record)
  var lines = ["# \(record.scenario.name): \(record.policies.count) policies compared", ""]
  lines += [ComparisonWords.paired(record), ""]
  let parts: [(String, Table)] = [
    ("What the server knew", tables.knowledge), ("What it cost, a phone and day", tables.costs),
    ("Minutes that were not fresh, a phone and day, by cause", tables.stale),
    ("Wakes a phone and day, by cause", tables.wakes),
  ]
  for (title, table) in parts { lines += ["## \(title)", ""] + table.markdown + [""] }
  if record.policies.count > 1 {
    lines += ["## Less \(record.reference)", ""]
    for measures in [ComparisonWords.differences, ComparisonWords.costDifferences] {
      lines += tables.differences(measures).markdown + [""]
    }
  }
  return ForeignText.inMarkdown(lines.joined(separator: "\n"))
}
