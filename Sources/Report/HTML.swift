internal import Core

/// HTML that is safe in a page: literals are markup, and interpolated text is escaped.
package struct HTML: Equatable, Sendable, ExpressibleByStringInterpolation {
  package private(set) var markup: String

  package init(stringLiteral markup: String) { self.markup = markup }
  package init(stringInterpolation: Interpolation) { markup = stringInterpolation.markup }

  /// Creates markup from another program, without escaping it.
  init(trusted markup: String) { self.markup = markup }

  static func text(_ text: String) -> HTML { HTML(trusted: ForeignText.inHTML(text)) }

  package struct Interpolation: StringInterpolationProtocol {
    var markup: String

    package init(literalCapacity: Int, interpolationCount: Int) {
      markup = ""
      markup.reserveCapacity(literalCapacity)
    }

    package mutating func appendLiteral(_ literal: String) { markup += literal }
    /// Appends text, escaped for element content and quoted attributes.
    package mutating func appendInterpolation(_ text: String) {
      markup += ForeignText.inHTML(text)
    }
    package mutating func appendInterpolation(_ html: HTML) { markup += html.markup }
    package mutating func appendInterpolation(_ pieces: [HTML]) {
      for piece in pieces { markup += piece.markup }
    }
    package mutating func appendInterpolation(_ number: Int) { markup += "\(number)" }
  }

  package static func + (a: HTML, b: HTML) -> HTML { HTML(trusted: a.markup + b.markup) }
  package static func += (a: inout HTML, b: HTML) { a.markup += b.markup }
}

extension [HTML] {
  func joined(_ separator: HTML = "") -> HTML {
    var all: HTML = ""
    for (i, piece) in enumerated() { all += i > 0 ? separator + piece : piece }
    return all
  }

  /// The elements joined as a list: "a", "a and b", "a, b and c".
  var listed: HTML {
    guard count > 1, let last else { return first ?? "" }
    return Array(dropLast()).joined(", ") + " and " + last
  }
}
