/// A sentence whose every figure goes together with its key in `run.json`.
package struct Sentence: Equatable, Sendable, ExpressibleByStringInterpolation {
  /// Is a part of a sentence: words, or a figure with its key and form.
  package enum Piece: Equatable, Sendable {
    case words(String)
    case figure(key: String, form: Facts.Form, text: String)
  }

  /// Holds the sentence's parts in reading order.
  package private(set) var pieces: [Piece]

  /// Makes a sentence of words without a figure.
  package init(stringLiteral words: String) { pieces = [.words(words)] }
  /// Makes a sentence from the parts that the interpolation collected.
  package init(stringInterpolation: Interpolation) { pieces = stringInterpolation.pieces }
  init(_ piece: Piece) { pieces = [piece] }

  /// Collects the parts of an interpolated sentence.
  package struct Interpolation: StringInterpolationProtocol {
    var pieces: [Piece] = []

    /// Makes an empty collection; both estimates are ignored.
    package init(literalCapacity: Int, interpolationCount: Int) {}

    /// Appends words; empty ones leave no part.
    package mutating func appendLiteral(_ words: String) {
      if !words.isEmpty { pieces.append(.words(words)) }
    }
    /// Appends a string's words, which then are no figure.
    package mutating func appendInterpolation(_ words: String) { appendLiteral(words) }
    /// Appends another sentence's parts, its figures with their keys.
    package mutating func appendInterpolation(_ sentence: Sentence) { pieces += sentence.pieces }
  }

  /// As a terminal or a Markdown file has it.
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
  /// The value as a piece of a sentence; nil when the record has none.
  func piece(_ key: String, _ form: Form) -> Sentence? {
    text(key, form).map { Sentence(.figure(key: key, form: form, text: $0)) }
  }
}

extension [Sentence] {
  /// "a", "a and b", "a, b and c".
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
