internal import CNcurses

/// The terminal through curses: draws frames, reads keys, and can give the terminal back for a
/// while. `Screen` owns the only curses screen, and must be used on a single thread.
final class Screen {
  private let handle: OpaquePointer
  private let hasColors: Bool
  /// Whether to replace glyphs that are not ASCII.
  let isASCII: Bool
  private var shown: Frame?

  init?(wantsColors: Bool, isASCII: Bool) {
    guard let handle = flotilla_screen_open() else { return nil }
    self.handle = handle
    self.isASCII = isASCII
    hasColors = wantsColors && flotilla_screen_colors() != 0
    guard hasColors else { return }
    for tone in Tone.allCases { init_pair(tone.pair, tone.foreground, -1) }
  }

  var size: Size {
    var columns: Int32 = 0
    var rows: Int32 = 0
    flotilla_screen_size(&columns, &rows)
    return Size(columns: Int(columns), rows: Int(rows))
  }

  /// Adapts to a new size and redraws a disturbed screen.
  func fit() {
    flotilla_screen_fit()
    flotilla_screen_redraw()
    shown = nil
  }

  func draw(_ frame: Frame) {
    var frame = frame
    if isASCII { frame.reduceToASCII() }
    let last = shown?.size == frame.size ? shown : nil
    for row in 0..<frame.size.rows {
      for column in 0..<frame.size.columns {
        let cell = frame[row, column]
        if let last, last[row, column] == cell { continue }
        put(cell, row, column)
      }
    }
    flotilla_screen_show()
    shown = frame
  }

  private func put(_ cell: Cell, _ row: Int, _ column: Int) {
    let style = cell.style
    flotilla_screen_put(
      Int32(row), Int32(column), wchar_t(cell.scalar.value), style.isBold ? 1 : 0,
      style.isReversed ? 1 : 0, style.tone == .faint ? 1 : 0, hasColors ? style.tone.pair : 0)
  }

  /// Returns the next typed character, without other keys; nil if none is waiting.
  func key() -> Unicode.Scalar? {
    while true {
      let key = flotilla_screen_key()
      if key == -1 { return nil }
      if key > 0, let scalar = Unicode.Scalar(UInt32(key)) { return scalar }
    }
  }

  /// Restores the terminal, which the next `draw` takes again.
  func leave() {
    endwin()
    shown = nil
  }

  func close() {
    endwin()
    delscreen(handle)
  }
}

extension Tone {
  fileprivate var pair: Int16 { Int16(rawValue) + 1 }

  /// The number of the curses colour; -1 for the terminal's default.
  fileprivate var foreground: Int16 {
    switch self {
    case .plain, .faint: -1
    case .accent: Int16(COLOR_CYAN)
    case .good: Int16(COLOR_GREEN)
    case .warning: Int16(COLOR_YELLOW)
    case .bad: Int16(COLOR_RED)
    }
  }
}
