/// What a figure of a row is held against. A bar is written down before the program is measured,
/// and never moved towards what it does.
package struct BenchBar: Equatable, Sendable {
  /// Names the side on which a figure must stay, in the figure's own unit; the limit itself is met.
  package enum Limit: Equatable, Sendable {
    case atLeast(Double)
    case atMost(Double)
  }
  /// Which of a figure's samples count.
  package enum Judged: Equatable, Sendable {
    case median
    /// The one that is farthest on the wrong side.
    case worst
  }
  /// Names the figure of the row that the bar is for.
  package var figure: String
  /// Says which values meet the bar.
  package var limit: Limit
  /// Says which of the figure's samples the bar is compared with.
  package var judged: Judged

  /// Makes a bar for a figure, by its median unless said otherwise.
  package init(_ figure: String, _ limit: Limit, judged: Judged = .median) {
    self.figure = figure
    self.limit = limit
    self.judged = judged
  }

  /// Is true where the sample that counts is within the limit.
  package func isMet(by figure: BenchFigure) -> Bool {
    switch limit {
    case .atLeast(let least): judged(figure) >= least
    case .atMost(let most): judged(figure) <= most
    }
  }

  /// The sample that counts.
  package func judged(_ figure: BenchFigure) -> Double {
    switch (judged, limit) {
    case (.median, _): figure.median
    case (.worst, .atLeast): figure.min
    case (.worst, .atMost): figure.max
    }
  }
}

/// A bar and what became of it.
package struct BarResult: Equatable, Sendable {
  /// Is the bar that was compared.
  package var bar: BenchBar
  /// Is true where the figure was measured and is within the limit.
  package var isMet: Bool
}

extension BenchBar: Encodable {
  private enum Key: String, CodingKey { case figure, atLeast, atMost, judged }

  /// Encodes figure, judged sample and the limit under `atLeast` or `atMost`.
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

  /// Encodes the bar's fields with `isMet` beside them.
  package func encode(to encoder: any Encoder) throws {
    try bar.encode(to: encoder)
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(isMet, forKey: .isMet)
  }
}
