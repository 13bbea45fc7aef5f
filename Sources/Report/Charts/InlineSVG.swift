/// Makes gnuplot's SVG fit to stand in a page: no prolog, no ids that could clash, and colours
/// that follow the page's.
enum InlineSVG {
  /// nil: not what gnuplot writes.
  static func html(_ svg: String, title: String, canvas: Canvas) -> HTML? {
    guard let box = piece(of: svg, from: "viewBox=\"", to: "\""),
      let start = svg.firstRange(of: "<g id=\"gnuplot_canvas\">"),
      let end = svg.ranges(of: "</svg>").last
    else { return nil }
    var body = String(svg[start.upperBound..<end.lowerBound])
    body = removing(body, from: "<defs>", to: "</defs>")
    body = removing(body, from: "<rect x=\"0\" y=\"0\"", to: "/>")
    body = removing(body, from: "<title>", to: "</title>")
    // Ids are of use to scripts only, and there is none.
    body = removing(body, from: " id=\"", to: "\"")
    body = removing(body, from: " font-family=\"", to: "\"")
    body = removing(body, from: " fill-rule=\"", to: "\"")
    body = coloured(body)
    let head: HTML = """
      <svg class="\(canvas.name)" viewBox="\(String(box))" role="img" aria-label="\(title)">
      <g>
      """
    return head + HTML(trusted: lines(body)) + "</svg>\n"
  }

  /// Gnuplot writes white space and empty groups that mean nothing.
  private static func lines(_ body: String) -> String {
    var kept: [Substring] = []
    for line in body.split(whereSeparator: \.isNewline) {
      let text = line.drop { $0 == " " || $0 == "\t" }
      if text.isEmpty { continue }
      if text == "</g>", let last = kept.last, last.hasPrefix("<g "), last.hasSuffix("\">"),
        !last.dropFirst().contains("<")
      {
        kept.removeLast()
      } else {
        kept.append(text)
      }
    }
    return kept.joined(separator: "\n") + "\n"
  }

  /// Placeholders become the page's variables, whether gnuplot wrote "#010203", "rgb(1,2,3)"
  /// or "rgb(  1,   2,   3)".
  private static func coloured(_ body: String) -> String {
    var text = body
    for ink in Ink.allCases {
      let variable = "var(\(ink.variable))"
      let number = ink.rawValue + 1
      text = text.replacing(ink.placeholder, with: variable)
      text = text.replacing(ink.placeholder.uppercased(), with: variable)
      text = text.replacing("rgb(1,2,\(number))", with: variable)
      let padded = number < 10 ? "  \(number)" : number < 100 ? " \(number)" : "\(number)"
      text = text.replacing("rgb(  1,   2, \(padded))", with: variable)
    }
    return text.replacing("\"black\"", with: "\"var(--text)\"")
      .replacing("'black'", with: "\"var(--text)\"")
  }

  private static func piece(of text: String, from: String, to: String) -> Substring? {
    guard let start = text.firstRange(of: from) else { return nil }
    let rest = text[start.upperBound...]
    guard let end = rest.firstRange(of: to) else { return nil }
    return rest[..<end.lowerBound]
  }

  private static func removing(_ text: String, from: String, to: String) -> String {
    var kept = ""
    var rest = text[...]
    while let start = rest.firstRange(of: from) {
      kept += rest[..<start.lowerBound]
      rest = rest[start.upperBound...]
      guard let end = rest.firstRange(of: to) else { return kept }
      rest = rest[end.upperBound...]
    }
    return kept + rest
  }
}
