/// A limit for a figure, set before the measurement and never adapted to its results.
package struct BenchBar: Equatable, Sendable {
  /// An inclusive limit in the unit of the figure.
  package enum Limit: Equatable, Sendable {
    case atLeast(Double)
    case atMost(Double)
  }
  package enum Judged: Equatable, Sendable {
    case median
    case worst
  }
  package var figure: String
  package var limit: Limit
  package var judged: Judged

  package init(_ figure: String, _ limit: Limit, judged: Judged = .median) {
    self.figure = figure
    self.limit = limit
    self.judged = judged
  }

  package func isMet(by figure: BenchFigure) -> Bool {
    switch limit {
    case .atLeast(let least): judged(figure) >= least
    case .atMost(let most): judged(figure) <= most
    }
  }

  package func judged(_ figure: BenchFigure) -> Double {
    switch (judged, limit) {
    case (.median, _): figure.median
    case (.worst, .atLeast): figure.min
    case (.worst, .atMost): figure.max
    }
  }
}

package struct BarResult: Equatable, Sendable {
  package var bar: BenchBar
  package var isMet: Bool
}

extension BenchBar: Encodable {
  private enum Key: String, CodingKey { case figure, atLeast, atMost, judged }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(figure, forKey: .figure)
    switch limit {
    case .atLeast(let least): try container.encode(least, forKey: .atLeast)
    case .atMost(let most): try container.encode(most, forKey: .atMost)
    }
    switch judged {
    case .median: try container.encode("median", forKey: .judged)
    case .worst: try container.encode("worst", forKey: .judged)
    }
  }
}

extension BarResult: Encodable {
  private enum Key: String, CodingKey { case isMet }

  package func encode(to encoder: any Encoder) throws {
    try bar.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(isMet, forKey: .isMet)
  }
}
