internal import Figures

/// A piece of HTML that is safe to put into a page.
///
/// A literal is markup; what is interpolated into it is text and gets escaped, unless it is HTML
/// already. So nothing that a record says can become markup.
package struct HTML: Equatable, Sendable, ExpressibleByStringInterpolation {
  /// Holds the markup, with all interpolated text escaped already.
  package private(set) var markup: String

  /// Makes HTML of a literal, which is markup and is not escaped.
  package init(stringLiteral markup: String) { self.markup = markup }
  /// Makes HTML of an interpolated literal, whose text parts were escaped as they were appended.
  package init(stringInterpolation: Interpolation) { markup = stringInterpolation.markup }

  /// Markup that another program made.
  init(trusted markup: String) { self.markup = markup }

  static func text(_ text: String) -> HTML { HTML(trusted: ForeignText.inHTML(text)) }

  /// Collects the markup of one interpolated literal and escapes the text put into it.
  package struct Interpolation: StringInterpolationProtocol {
    var markup: String

    /// Makes an empty interpolation with room for the literal's characters.
    package init(literalCapacity: Int, interpolationCount: Int) {
      markup = ""
      markup.reserveCapacity(literalCapacity)
    }

    /// Appends a literal part, which is markup and is not escaped.
    package mutating func appendLiteral(_ literal: String) { markup += literal }
    /// Appends text, escaped for element content and quoted attributes.
    package mutating func appendInterpolation(_ text: String) {
      markup += ForeignText.inHTML(text)
    }
    /// Appends HTML as it is.
    package mutating func appendInterpolation(_ html: HTML) { markup += html.markup }
    /// Appends pieces of HTML one after another, without a separator.
    package mutating func appendInterpolation(_ pieces: [HTML]) {
      for piece in pieces { markup += piece.markup }
    }
    /// Appends an integer in decimal digits without grouping.
    package mutating func appendInterpolation(_ number: Int) { markup += "\(number)" }
  }

  /// Returns the markup of both, one after the other.
  package static func + (a: HTML, b: HTML) -> HTML { HTML(trusted: a.markup + b.markup) }
  /// Appends the markup of the second to the first.
  package static func += (a: inout HTML, b: HTML) { a.markup += b.markup }
}

extension [HTML] {
  func joined(_ separator: HTML = "") -> HTML {
    var all: HTML = ""
    for (i, piece) in enumerated() { all += i > 0 ? separator + piece : piece }
    return all
  }

  /// "a", "a and b", "a, b and c".
  var listed: HTML {
    guard count > 1, let last else { return first ?? "" }
    return Array(dropLast()).joined(", ") + " and " + last
  }
}
