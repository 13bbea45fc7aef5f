internal import Core

struct Panel {
  let title: String
  let draw: (Canvas, inout Frame) -> Void

  /// - Parameter widths: The widths of the panels; with the lines in between, they fill the canvas.
  static func drawRow(_ panels: [Panel], widths: [Int], on canvas: Canvas, _ frame: inout Frame) {
    var column = 0
    for (index, panel) in panels.enumerated() {
      let width = widths[index]
      if index > 0 {
        canvas.write("┬", at: column - 1, .faint, on: &frame)
        for row in 1..<max(1, canvas.height) {
          canvas.write("│", at: column - 1, row: row, .faint, on: &frame)
        }
      }
      drawRule(panel.title, at: column, width: width, on: canvas, &frame)
      panel.draw(
        canvas.part(column: column + 1, row: 1, width: width - 2, height: canvas.height - 1),
        &frame)
      column += width + 1
    }
  }

  private static func drawRule(
    _ title: String, at column: Int, width: Int, on canvas: Canvas, _ frame: inout Frame
  ) {
    canvas.write(String(repeating: "─", count: width), at: column, .faint, on: &frame)
    canvas.write(" \(title.fitted(to: width - 4)) ", at: column + 1, .title, on: &frame)
  }
}

/// Named counts in a row: as many as fit, then the number of counts left out.
struct Flow {
  var items: [(name: String, count: Int, style: Style)]
  var number: (Int) -> String = Figure.grouped

  func draw(_ canvas: Canvas, row first: Int = 0, on frame: inout Frame) {
    var row = first
    var column = 0
    for (index, item) in items.enumerated() {
      let number = number(item.count)
      let width = item.name.unicodeScalars.count + 1 + number.count
      if column > 0, column + width > canvas.width {
        row += 1
        column = 0
      }
      guard row < canvas.height else {
        let left = "+\(items.count - index)"
        canvas.writeRight(
          left, endingAt: canvas.width, row: canvas.height - 1, .faint, on: &frame)
        return
      }
      column = canvas.write(
        [Word(item.name + " ", .faint), Word(number, item.style)], at: column, row: row,
        on: &frame)
      column += 2
    }
  }

  /// Draws a line for each count, with a bar for its share of the greatest count.
  func drawBars(_ canvas: Canvas, row first: Int = 0, on frame: inout Frame) {
    let name = items.map { $0.name.unicodeScalars.count }.max() ?? 0
    let digits = items.map { number($0.count).count }.max() ?? 0
    let most = Double(items.map(\.count).max() ?? 0)
    let bar = min(40, canvas.width - name - digits - 3)
    for (offset, item) in items.enumerated() {
      let row = first + offset
      canvas.write(item.name, row: row, .faint, on: &frame)
      canvas.writeRight(
        number(item.count), endingAt: name + 1 + digits, row: row, item.style, on: &frame)
      guard bar > 3, most > 0, item.count > 0 else { continue }
      let length = max(1, Int((Double(item.count) / most * Double(bar)).rounded()))
      canvas.write(
        String(repeating: "█", count: length), at: name + digits + 2, row: row, item.style,
        on: &frame)
    }
  }
}
