/// One line of a bench: what was done, with which parameters, and what came out.
package struct BenchRow: Equatable, Sendable {
  /// Holds the value of a parameter.
  package enum Parameter: Equatable, Sendable {
    case count(Int)
    case word(String)
  }
  /// Names the benchmark.
  package var bench: String
  /// Lists the parameters in the order in which a table shows them.
  package var parameters: [(name: String, value: Parameter)]
  /// Lists the figures in the order in which a table shows them; each name ends in its unit.
  package var figures: [(name: String, value: BenchFigure)]
  /// What its figures are held against; most rows and most figures have none.
  package var bars: [BenchBar] = []

  /// Compares names, values and bars, in their order.
  package static func == (a: BenchRow, b: BenchRow) -> Bool {
    a.bench == b.bench && a.parameters.elementsEqual(b.parameters, by: ==)
      && a.figures.elementsEqual(b.figures, by: ==) && a.bars == b.bars
  }

  /// A figure that could not be measured misses its bar.
  package var results: [BarResult] {
    bars.map { bar in BarResult(bar: bar, isMet: self[bar.figure].map(bar.isMet) ?? false) }
  }

  /// Returns the figure of that name; `nil` where it was not measured.
  package subscript(figure: String) -> BenchFigure? {
    figures.first { $0.name == figure }?.value
  }
}

/// In JSON the parameters and figures are fields of the row, `bars` a list beside them.
extension BenchRow: Encodable {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Encodes bench, parameters and figures as fields of one object, and the bars with their
  /// results.
  package func encode(to encoder: any Encoder) throws {
    var row = encoder.container(keyedBy: Key.self)
    try row.encode(bench, forKey: Key(stringValue: "bench"))
    for (name, value) in parameters {
      switch value {
      case .count(let count): try row.encode(count, forKey: Key(stringValue: name))
      case .word(let word): try row.encode(word, forKey: Key(stringValue: name))
      }
    }
    for (name, value) in figures { try row.encode(value, forKey: Key(stringValue: name)) }
    if !bars.isEmpty { try row.encode(results, forKey: Key(stringValue: "bars")) }
  }
}
