/// A rectangle of a frame in which a panel draws. Drawing is clipped to the rectangle.
struct Canvas {
  /// The first column in the frame; `row` is the first row.
  let column: Int
  let row: Int
  let width: Int
  let height: Int

  init(column: Int = 0, row: Int = 0, width: Int, height: Int) {
    self.column = column
    self.row = row
    self.width = max(0, width)
    self.height = max(0, height)
  }

  func part(column: Int = 0, row: Int = 0, width: Int? = nil, height: Int? = nil) -> Canvas {
    Canvas(
      column: self.column + column, row: self.row + row,
      width: min(width ?? .max, self.width - column),
      height: min(height ?? .max, self.height - row))
  }

  /// Writes on one line, clipped at the right edge. Returns the column after the text.
  @discardableResult
  func write(
    _ text: String, at column: Int = 0, row: Int = 0, _ style: Style = .plain,
    on frame: inout Frame
  ) -> Int {
    var x = column
    guard (0..<height).contains(row), self.row + row < frame.size.rows else { return x }
    for scalar in text.unicodeScalars {
      if (0..<width).contains(x), self.column + x < frame.size.columns {
        frame[self.row + row, self.column + x] = Cell(scalar: scalar.oneColumn, style: style)
      }
      x += 1
    }
    return x
  }

  func put(
    _ scalar: Unicode.Scalar, at column: Int, row: Int, _ style: Style, on frame: inout Frame
  ) {
    guard (0..<width).contains(column), (0..<height).contains(row),
      self.column + column < frame.size.columns, self.row + row < frame.size.rows
    else { return }
    frame[self.row + row, self.column + column] = Cell(scalar: scalar, style: style)
  }

  /// Writes text so that it ends before the column `column`.
  func writeRight(
    _ text: String, endingAt column: Int, row: Int = 0, _ style: Style = .plain,
    on frame: inout Frame
  ) {
    write(text, at: column - text.unicodeScalars.count, row: row, style, on: &frame)
  }

  @discardableResult
  func write(_ words: [Word], at column: Int = 0, row: Int = 0, on frame: inout Frame) -> Int {
    words.reduce(column) { write($1.text, at: $0, row: row, $1.style, on: &frame) }
  }
}

struct Word {
  var text: String
  var style = Style.plain

  init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}

extension Unicode.Scalar {
  /// The scalar if a terminal shows it in one column, else "?".
  var oneColumn: Unicode.Scalar {
    switch value {
    case 0x20...0x7E, 0xA0...0x2FF, 0x370...0x3FF, 0x400...0x4FF, 0x2010...0x2027,
      0x2190...0x21FF, 0x2260...0x2265, 0x2500...0x25FF:
      self
    default: "?"
    }
  }
}

extension String {
  /// Returns the text in at most `width` columns; a truncated text ends in "…".
  func fitted(to width: Int) -> String {
    guard unicodeScalars.count > width else { return self }
    guard width > 0 else { return "" }
    var cut = String.UnicodeScalarView(unicodeScalars.prefix(width - 1))
    cut.append("…")
    return String(cut)
  }

  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - unicodeScalars.count))
  }
}
