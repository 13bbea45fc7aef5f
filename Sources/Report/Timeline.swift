package import Core
internal import Figures

/// The columns of `timeline.csv`. Older files lack some columns.
package struct Timeline: Equatable, Sendable {
  package private(set) var phases: [String] = []
  private var columns: [String: [Double?]] = [:]

  package init() {}

  /// Parses a file; an empty field is nil. Throws the line of a missing or non-finite field.
  package init(csv: String) throws(LineError) {
    let lines = csv.split(whereSeparator: \.isNewline)
    guard let header = lines.first else { return }
    let names = header.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard Set(names).count == names.count else {
      throw LineError(line: 1, why: "two columns have the same name.")
    }
    for (number, line) in lines.enumerated().dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      guard fields.count == names.count else {
        throw LineError(
          line: number + 1, why: "\(fields.count) fields, but \(names.count) columns.")
      }
      for (name, field) in zip(names, fields) {
        if name == "phase" {
          phases.append(String(field))
        } else if field.isEmpty {
          columns[name, default: []].append(nil)
        } else if let number = Double(field), number.isFinite {
          columns[name, default: []].append(number)
        } else {
          throw LineError(line: number + 1, why: "\(name) is '\(field)', not a number.")
        }
      }
    }
  }

  package var rows: Int { columns["scenario_s"]?.count ?? 0 }

  /// The values of a column; all are nil if the file lacks the column.
  package subscript(_ name: String) -> [Double?] {
    columns[name] ?? [Double?](repeating: nil, count: rows)
  }

  package func has(_ name: String) -> Bool { self[name].contains { $0 != nil } }

  /// Returns at most `rowsMax` rows, each the mean of consecutive rows of one phase.
  func condensed(to rowsMax: Int) -> Timeline {
    guard rows > rowsMax, rowsMax > 0 else { return self }
    let size = (rows + rowsMax - 1) / rowsMax
    var groups: [Range<Int>] = []
    var first = 0
    for i in 1...rows {
      let ends = i == rows || i - first == size || (!phases.isEmpty && phases[i] != phases[first])
      if ends {
        groups.append(first..<i)
        first = i
      }
    }
    var condensed = Timeline()
    condensed.phases = phases.isEmpty ? [] : groups.map { phases[$0.lowerBound] }
    condensed.columns = columns.mapValues { values in
      groups.map { group -> Double? in
        let some = values[group].compactMap(\.self)
        return some.isEmpty ? nil : some.reduce(0, +) / Double(some.count)
      }
    }
    // A row covers the time up to its own time, so that the last time of a group is its time, as is
    // the last value of what is counted so far.
    for name in ["scenario_s", "wall_s"] + TimelineRow.columnsSoFar {
      condensed.columns[name] = columns[name].map { values in
        groups.map { values[$0.upperBound - 1] }
      }
    }
    return condensed
  }
}
