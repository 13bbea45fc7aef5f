/// Prepares gnuplot's SVG for a page: no prolog, no clashing ids, the page's colours. Reads bytes:
/// a report has a megabyte of SVG.
enum InlineSVG {
  /// nil if it is not gnuplot's output.
  static func html(_ svg: String, title: String, canvas: ChartCanvas) -> HTML? {
    let lines = svg.utf8.split(separator: UInt8(ascii: "\n"))
    guard let head = lines.first(where: { contains($0, "viewBox=\"") }),
      let box = String(head)?.split(separator: "viewBox=\"").last?.split(separator: "\"").first,
      let first = lines.firstIndex(where: { contains($0, "<g id=\"gnuplot_canvas\">") })
    else { return nil }
    let body = body(lines[first...])
    let html: HTML = """
      <svg class="\(canvas.name)" viewBox="\(String(box))" role="img" aria-label="\(title)">
      \(HTML(trusted: String(decoding: body, as: UTF8.self)))</svg>

      """
    return html
  }

  private static func body(_ lines: ArraySlice<Substring.UTF8View>) -> [UInt8] {
    var body: [UInt8] = []
    var isDefining = false
    var openGroup: Int?
    for line in lines {
      let text = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      if text.isEmpty { continue }
      if text.starts(with: "<defs>".utf8) { isDefining = true }
      if isDefining {
        isDefining = !contains(text, "</defs>")
        continue
      }
      if text.starts(with: "<rect x=\"0\" y=\"0\"".utf8) || text.starts(with: "<title>".utf8) {
        continue
      }
      if text.starts(with: "</svg>".utf8) { break }
      if let start = openGroup, text.elementsEqual("</g>".utf8) {
        body.removeLast(body.count - start)
        openGroup = nil
        continue
      }
      let isGroup =
        text.starts(with: "<g fill".utf8) && text.last == UInt8(ascii: ">")
        && !text.dropFirst().contains(UInt8(ascii: "<"))
      openGroup = isGroup ? body.count : nil
      append(Array(text), to: &body)
      body.append(UInt8(ascii: "\n"))
    }
    return body
  }

  /// Unused ids, and fonts, which are the page's.
  private static let dropped = [" id=\"", " font-family=\"", " fill-rule=\""].map { Array($0.utf8) }
  private static let rgb = Array("rgb(".utf8)
  private static let black = Array("black".utf8)
  private static let variables = Ink.allCases.map { Array("var(\($0.variable))".utf8) }

  private static func append(_ line: [UInt8], to body: inout [UInt8]) {
    var i = 0
    while i < line.count {
      switch line[i] {
      case UInt8(ascii: " "):
        if let name = dropped.first(where: { line[i...].starts(with: $0) }) {
          i += name.count
          while i < line.count, line[i] != UInt8(ascii: "\"") { i += 1 }
          i += 1
          continue
        }
      case UInt8(ascii: "r") where line[i...].starts(with: rgb):
        if let (ink, end) = colour(line, from: i + rgb.count) {
          body += variables[ink]
          i = end
          continue
        }
      case UInt8(ascii: "b") where line[i...].starts(with: black):
        body += variables[Ink.text.rawValue]
        i += black.count
        continue
      default: break
      }
      body.append(line[i])
      i += 1
    }
  }

  /// The ink behind "  1,   2,   4)", and where the text continues.
  private static func colour(_ line: [UInt8], from start: Int) -> (ink: Int, end: Int)? {
    guard let close = line[start...].firstIndex(of: UInt8(ascii: ")")) else { return nil }
    let numbers = line[start..<close].split(separator: UInt8(ascii: ",")).map { field in
      Int(String(decoding: field.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? -1
    }
    guard numbers.count == 3, numbers[0] == 1, numbers[1] == 2,
      Ink(rawValue: numbers[2] - 1) != nil
    else { return nil }
    return (numbers[2] - 1, close + 1)
  }

  private static func contains(_ line: Substring.UTF8View, _ word: String) -> Bool {
    guard let first = word.utf8.first else { return true }
    var rest = line[...]
    while let at = rest.firstIndex(of: first) {
      rest = rest[at...]
      if rest.starts(with: word.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
