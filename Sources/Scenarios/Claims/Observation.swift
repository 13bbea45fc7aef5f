/// What a source saw, and how well it could see it.
package struct Observation: Equatable, Sendable {
  /// The source's figure, in the unit of the claim's band.
  package internal(set) var value: Double
  package internal(set) var error: ObservationError
  package internal(set) var of: ObservedOf
  /// Claims about one quantity have the same group, such as `idle-draw`.
  package internal(set) var group: String
}

/// One standard deviation of a source's figure round what it measured.
package enum ObservationError: Equatable, Sendable {
  /// Of the logarithm: `x1.25` is ln 1.25.
  case factor(Double)
  /// In the unit of the figure: `±3`.
  case absolute(Double)
}

extension ObservationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .factor(let factor): "x\(Quantity.number(factor))"
    case .absolute(let deviation): "±\(Quantity.number(deviation))"
    }
  }
}

/// What a figure is one draw of.
package enum ObservedOf: Equatable, Sendable {
  /// A median, mean or percentile over many phones or events.
  case populationMedian
  case populationShare
  /// One owner's phone: comparable with the spread over phones, not with their middle.
  case onePhone
  /// The largest or smallest of this many phones.
  case extreme(of: Int)
  /// "Less than" or "more than": the band has one end.
  case bound
}

extension ObservedOf: CustomStringConvertible {
  /// Without the extreme, which has a number.
  static let words: [(String, ObservedOf)] = [
    ("population-median", .populationMedian), ("population-share", .populationShare),
    ("one-phone", .onePhone), ("bound", .bound),
  ]

  /// As a claim's file has it.
  package var description: String {
    if case .extreme(let count) = self { return "extreme of \(count)" }
    return Self.words.first { $0.1 == self }?.0 ?? ""
  }
}
