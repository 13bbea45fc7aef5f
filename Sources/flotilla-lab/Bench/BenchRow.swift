package struct BenchRow: Equatable, Sendable {
  package enum Parameter: Equatable, Sendable {
    case count(Int)
    case word(String)
  }
  package var bench: String
  package var parameters: [(name: String, value: Parameter)]
  package var figures: [(name: String, value: BenchFigure)]
  package var bars: [BenchBar] = []

  package static func == (a: BenchRow, b: BenchRow) -> Bool {
    a.bench == b.bench && a.parameters.elementsEqual(b.parameters, by: ==)
      && a.figures.elementsEqual(b.figures, by: ==) && a.bars == b.bars
  }

  /// The result of each bar; a figure that could not be measured misses its bar.
  package var results: [BarResult] {
    bars.map { bar in BarResult(bar: bar, isMet: self[bar.figure].map(bar.isMet) ?? false) }
  }

  package subscript(figure: String) -> BenchFigure? {
    figures.first { $0.name == figure }?.value
  }
}

/// In JSON, parameters and figures are fields of the row, next to the list `bars`.
extension BenchRow: Encodable {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

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
