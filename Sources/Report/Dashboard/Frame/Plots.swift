/// A curve of values as columns of eighth blocks, with the newest value at the right edge.
struct Sparkline {
  private static let eighths: [Unicode.Scalar] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
  let values: ArraySlice<Double>
  let top: Double

  /// - Parameter top: The value of a full column; nil for the greatest value shown.
  init(_ values: [Double], width: Int, top: Double? = nil) {
    self.values = values.suffix(max(0, width))
    self.top = top ?? self.values.max() ?? 0
  }

  func draw(_ canvas: Canvas, _ style: Style, on frame: inout Frame) {
    let first = canvas.width - values.count
    for (offset, value) in values.enumerated() {
      let eighths = height(value, rows: canvas.height)
      for row in 0..<canvas.height {
        let part = min(8, max(0, eighths - 8 * (canvas.height - 1 - row)))
        guard part > 0 else { continue }
        canvas.put(Self.eighths[part], at: first + offset, row: row, style, on: &frame)
      }
    }
  }

  /// Returns the height of a column in eighths of a row: at least one for a value above zero.
  private func height(_ value: Double, rows: Int) -> Int {
    guard value > 0, top > 0 else { return 0 }
    return max(1, Int((value / top * Double(rows * 8)).rounded()))
  }
}

struct Gauge {
  /// The share of the bar that is filled, 0 … 1.
  let share: Double

  func draw(
    _ canvas: Canvas, at column: Int, row: Int, width: Int, _ style: Style, on frame: inout Frame
  ) {
    // Rounds down, so that only a share of 1 fills the whole bar.
    let full = Int((min(1, max(0, share)) * Double(width)).rounded(share < 1 ? .down : .up))
    let bar = String(repeating: "█", count: full)
    let rest = String(repeating: "░", count: max(0, width - full))
    canvas.write([Word(bar, style), Word(rest, .faint)], at: column, row: row, on: &frame)
  }
}
