/// A source's figure, the error of the figure, and the quantity that the figure describes.
package struct Observation: Equatable, Sendable {
  /// The source's figure, in the unit of the claim's band.
  package internal(set) var value: Double
  package internal(set) var error: ObservationError
  package internal(set) var of: ObservedOf
  /// Claims about one quantity have the same group, such as `idle-draw`.
  package internal(set) var group: String
}

/// The standard deviation of a source's figure around the measured quantity.
package enum ObservationError: Equatable, Sendable {
  /// The deviation of the figure's natural logarithm, written as `x1.25` for ln 1.25.
  case factor(Double)
  /// The deviation in the unit of the figure, written as `±3`.
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

/// The quantity of which a figure is one sample.
package enum ObservedOf: Equatable, Sendable {
  /// A median, mean or percentile over many phones or events.
  case populationMedian
  case populationShare
  /// The figure of one phone, to be compared with the spread over phones, not with their median.
  case onePhone
  /// The largest or smallest figure of this many phones.
  case extreme(of: Int)
  /// A figure given as "less than" or "more than", for which the claim's band has one end.
  case bound
}

extension ObservedOf: CustomStringConvertible {
  /// The words of all cases but `extreme`, which has a number.
  static let words: [(String, ObservedOf)] = [
    ("population-median", .populationMedian), ("population-share", .populationShare),
    ("one-phone", .onePhone), ("bound", .bound),
  ]

  /// The notation in a claim's file.
  package var description: String {
    if case .extreme(let count) = self { return "extreme of \(count)" }
    return Self.words.first { $0.1 == self }?.0 ?? ""
  }
}
