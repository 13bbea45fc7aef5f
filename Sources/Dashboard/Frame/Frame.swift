/// What a cell means; the terminal decides how that looks, and it may have no colours.
package enum Tone: UInt8, Sendable, CaseIterable, BitwiseCopyable {
  case plain, faint, accent, good, warning, bad
}

/// How a cell is drawn. Nothing is said by tone alone: words and shapes carry the meaning.
package struct Style: Equatable, Sendable, BitwiseCopyable {
  /// Is what the cell means, which the terminal maps to a colour.
  package var tone = Tone.plain
  /// Draws the cell in bold.
  package var isBold = false
  /// Draws the cell with foreground and background exchanged.
  package var isReversed = false

  /// Is ordinary text.
  package static let plain = Style()
  /// Is text of less weight, such as labels and units.
  package static let faint = Style(tone: .faint)
  /// Is bold text in the ordinary tone.
  package static let bold = Style(isBold: true)
  /// Is text with foreground and background exchanged.
  package static let reversed = Style(isReversed: true)
  /// Is the style of panel titles: bold, in the accent tone.
  package static let title = Style(tone: .accent, isBold: true)
  /// Returns the style that has a tone and nothing else.
  package static func tone(_ tone: Tone) -> Style { Style(tone: tone) }
}

/// One character that is one column wide.
package struct Cell: Equatable, Sendable, BitwiseCopyable {
  /// Is the character, which must be one column wide.
  package var scalar: Unicode.Scalar = " "
  /// Is how the character is drawn.
  package var style = Style.plain
}

/// Columns and rows of a terminal.
package struct Size: Equatable, Sendable {
  /// Counts the columns.
  package var columns: Int
  /// Counts the rows.
  package var rows: Int

  /// Makes a size of so many columns and rows.
  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}

/// A screenful of styled cells: a value that a test can compare and a terminal can draw.
package struct Frame: Equatable, Sendable {
  /// Is the size of the frame in columns and rows.
  package let size: Size
  /// Holds the cells row by row, `columns × rows` of them.
  package private(set) var cells: [Cell]

  /// Makes a frame of plain spaces; a negative size gives an empty one.
  package init(_ size: Size) {
    self.size = size
    cells = [Cell](repeating: Cell(), count: max(0, size.columns) * max(0, size.rows))
  }

  /// Accesses the cell at a row and column, both counted from 0 at the top left; traps outside the
  /// frame.
  package subscript(row: Int, column: Int) -> Cell {
    get { cells[row * size.columns + column] }
    set { cells[row * size.columns + column] = newValue }
  }

  /// Line by line, without styles and without spaces at the ends of lines.
  package var text: String {
    (0..<size.rows).map { row in
      var line = String.UnicodeScalarView()
      for column in 0..<size.columns { line.append(self[row, column].scalar) }
      while line.last == " " { line.removeLast() }
      return String(line) + "\n"
    }.joined()
  }

  /// Every glyph that the terminal may not have is replaced by one of ASCII.
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
