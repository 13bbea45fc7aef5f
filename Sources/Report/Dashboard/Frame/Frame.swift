/// The meaning of a cell. The terminal chooses a style for each meaning, perhaps without colours.
package enum Tone: UInt8, Sendable, CaseIterable, BitwiseCopyable {
  case plain, faint, accent, good, warning, bad
}

/// The style of a cell. The tone alone carries no meaning, which words and shapes convey too.
package struct Style: Equatable, Sendable, BitwiseCopyable {
  package var tone = Tone.plain
  package var isBold = false
  package var isReversed = false

  package static let plain = Style()
  /// The style of labels and units.
  package static let faint = Style(tone: .faint)
  package static let bold = Style(isBold: true)
  package static let reversed = Style(isReversed: true)
  package static let title = Style(tone: .accent, isBold: true)
  package static func tone(_ tone: Tone) -> Style { Style(tone: tone) }
}

/// One character of one column.
package struct Cell: Equatable, Sendable, BitwiseCopyable {
  package var scalar: Unicode.Scalar = " "
  package var style = Style.plain
}

package struct Size: Equatable, Sendable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}

/// A screenful of styled cells: a value that a test can compare and a terminal can draw.
package struct Frame: Equatable, Sendable {
  package let size: Size
  /// The cells row by row: `columns × rows` of them.
  package private(set) var cells: [Cell]

  /// Creates a frame of plain spaces, empty for a negative size.
  package init(_ size: Size) {
    self.size = size
    cells = [Cell](repeating: Cell(), count: max(0, size.columns) * max(0, size.rows))
  }

  /// The cell at a row and column, from 0 at the top left. Traps outside of the frame.
  package subscript(row: Int, column: Int) -> Cell {
    get { cells[row * size.columns + column] }
    set { cells[row * size.columns + column] = newValue }
  }

  /// The lines of the frame, without styles and trailing spaces.
  package var text: String {
    (0..<size.rows).map { row in
      var line = String.UnicodeScalarView()
      for column in 0..<size.columns { line.append(self[row, column].scalar) }
      while line.last == " " { line.removeLast() }
      return String(line) + "\n"
    }.joined()
  }

  /// Replaces glyphs that the terminal may lack.
  package mutating func reduceToASCII() {
    for i in cells.indices where !cells[i].scalar.isASCII {
      cells[i].scalar = Self.ascii(cells[i].scalar)
    }
  }

  private static func ascii(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar {
    case "▁", "▂": "_"
    case "▃", "▄": "-"
    case "▅", "▆": "="
    case "▇", "█": "#"
    case "░", "·", "…": "."
    case "─", "—", "–", "━": "-"
    case "│": "|"
    case "┬", "┴", "┼", "├", "┤", "╭", "╮", "╰", "╯": "+"
    case "×": "x"
    case "µ": "u"
    case "≤": "<"
    case "▲": "^"
    case "▼": "v"
    case "▸": ">"
    default: "?"
    }
  }
}
