/// A sentence in which every figure keeps its key in `run.json`.
package struct Sentence: Equatable, Sendable, ExpressibleByStringInterpolation {
  package enum Piece: Equatable, Sendable {
    case words(String)
    case figure(key: String, form: Facts.Form, text: String)
  }

  package private(set) var pieces: [Piece]

  package init(stringLiteral words: String) { pieces = [.words(words)] }
  package init(stringInterpolation: Interpolation) { pieces = stringInterpolation.pieces }
  init(_ piece: Piece) { pieces = [piece] }

  package struct Interpolation: StringInterpolationProtocol {
    var pieces: [Piece] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ words: String) {
      if !words.isEmpty { pieces.append(.words(words)) }
    }
    package mutating func appendInterpolation(_ words: String) { appendLiteral(words) }
    package mutating func appendInterpolation(_ sentence: Sentence) { pieces += sentence.pieces }
  }

  package var text: String {
    pieces.map {
      switch $0 {
      case .words(let words): words
      case .figure(_, _, let text): text
      }
    }.joined()
  }

  static func + (a: Sentence, b: Sentence) -> Sentence { "\(a)\(b)" }
}

extension Facts {
  func piece(_ key: String, _ form: Form) -> Sentence? {
    text(key, form).map { Sentence(.figure(key: key, form: form, text: $0)) }
  }
}

extension [Sentence] {
  /// The sentences joined as a list: "a", "a and b", "a, b and c".
  var listed: Sentence {
    guard let first else { return "" }
    var all = first
    for (i, sentence) in enumerated().dropFirst() {
      all = all + (i == count - 1 ? " and " : ", ") + sentence
    }
    return all
  }

  func joined(_ separator: Sentence) -> Sentence {
    guard let first else { return "" }
    return dropFirst().reduce(first) { $0 + separator + $1 }
  }
}
