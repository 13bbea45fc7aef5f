/// Lays out a scene as a frame of a given size, without side effects, so that tests can check it.
package enum Layout {
  /// The least size of a screen; a smaller terminal shows only a note.
  package static let least = Size(columns: 60, rows: 15)
  private static let standard = Size(columns: 80, rows: 24)
  private static let wide = Size(columns: 130, rows: 40)

  package static func frame(_ scene: Scene, _ size: Size) -> Frame {
    var frame = Frame(size)
    let canvas = Canvas(width: size.columns, height: size.rows)
    if !size.holds(least) {
      drawTooSmall(size, scene.role, canvas, &frame)
      return frame
    }
    if scene.navigation.view != .overview {
      PhoneViews.draw(scene, on: canvas, &frame)
    } else if size.holds(wide) {
      drawWide(scene, canvas, &frame)
    } else if size.holds(standard) {
      drawStandard(scene, canvas, &frame)
    } else {
      drawCondensed(scene, canvas, &frame)
    }
    if scene.hasKeys { Panel.drawKeys(scene, on: canvas.part(row: size.rows - 1), &frame) }
    if scene.showsHelp { Panel.drawHelp(scene.role, on: canvas, &frame) }
    return frame
  }

  /// Returns a frame as text for a pipe, without key hints and trailing empty lines.
  package static func page(_ scene: Scene, _ size: Size, isASCII: Bool) -> String {
    var scene = scene
    scene.hasKeys = false
    var frame = frame(scene, size)
    if isASCII { frame.reduceToASCII() }
    var lines = frame.text.split(separator: "\n", omittingEmptySubsequences: false)
    while lines.last == "" { lines.removeLast() }
    return lines.joined(separator: "\n")
  }

  private static func drawTooSmall(
    _ size: Size, _ role: Scene.Role, _ canvas: Canvas, _ frame: inout Frame
  ) {
    let lines = [
      "Terminal too small: \(size.columns) × \(size.rows);",
      "the dashboard needs \(least.columns) × \(least.rows).",
      role == .run ? "The run continues; q stops it." : "q quits.",
    ]
    for (row, line) in lines.enumerated() {
      canvas.write(line.fitted(to: size.columns), row: row, on: &frame)
    }
  }

  // MARK: Two columns

  /// The heights of the three rows of panels: in 24 lines these are 7, 5 and 5, and 3 for the log.
  private struct Heights {
    var top = 7
    var middle = 5
    var bottom = 5

    init(rows: Int) {
      let extra = rows - standard.rows
      let curve = min(8, extra / 3)
      top += curve
      middle += min(9, (extra - curve) / 2)
    }
  }

  private static func drawStandard(_ scene: Scene, _ canvas: Canvas, _ frame: inout Frame) {
    let heights = Heights(rows: canvas.height)
    // Gives the table of percentiles the 42 columns that it needs, or half of a wider canvas.
    let right = max(42, canvas.width / 2)
    let widths = [canvas.width - right - 1, right]
    let rows: [([Panel], Int)] = [
      ([.rate(scene, withProcesses: true), .response(scene)], heights.top),
      ([.freshness(scene), .pushes(scene, asBars: heights.middle >= 12)], heights.middle),
      ([.phones(scene, asBars: false), .wire(scene, withErrors: true)], heights.bottom),
    ]
    draw(scene, rows, widths: widths, canvas, &frame)
  }

  /// Draws the head, rows of panels, and the log in the rest of the canvas above the key hints.
  private static func draw(
    _ scene: Scene, _ rows: [([Panel], Int)], widths: [Int], _ canvas: Canvas,
    _ frame: inout Frame
  ) {
    Panel.drawHead(scene, on: canvas, &frame)
    var row = Panel.headHeight
    for (panels, height) in rows {
      Panel.drawRow(panels, widths: widths, on: canvas.part(row: row, height: height), &frame)
      row += height
    }
    let part = canvas.part(row: row, height: canvas.height - 1 - row)
    guard scene.snapshot.generators.count > 1 else {
      return Panel.drawRow([.log(scene)], widths: [canvas.width], on: part, &frame)
    }
    let width = Panel.generatorsWidth
    Panel.drawRow(
      [.generators(scene), .log(scene)], widths: [width, canvas.width - 1 - width], on: part,
      &frame)
  }

  // MARK: Three columns

  private static func drawWide(_ scene: Scene, _ canvas: Canvas, _ frame: inout Frame) {
    let third = (canvas.width - 2) / 3
    let widths = [canvas.width - 2 - 2 * third, third, third]
    let rows: [([Panel], Int)] = [
      ([.rate(scene, withProcesses: false), .response(scene), .promises(scene)], 12),
      (
        [.freshness(scene), .pushes(scene, asBars: true), .phones(scene, asBars: true)],
        canvas.height >= 50 ? 15 : 11
      ),
      ([.processes(scene), .wire(scene, withErrors: false), .errors(scene)], 9),
    ]
    draw(scene, rows, widths: widths, canvas, &frame)
  }

  // MARK: One column

  private static func drawCondensed(_ scene: Scene, _ canvas: Canvas, _ frame: inout Frame) {
    Panel.drawHead(scene, on: canvas, &frame)
    let lines = CondensedLines.all(scene)
    let body = canvas.part(column: 1, row: Panel.headHeight, width: canvas.width - 2)
    for (row, line) in lines.enumerated() where row < canvas.height - 5 {
      body.write(line, row: row, on: &frame)
    }
    let used = min(lines.count, canvas.height - 5)
    let log = body.part(row: used, height: canvas.height - 1 - Panel.headHeight - used)
    for (row, line) in scene.log.suffix(max(0, log.height)).enumerated() {
      log.write(line.fitted(to: log.width), row: row, .faint, on: &frame)
    }
  }
}

extension Size {
  func holds(_ other: Size) -> Bool { columns >= other.columns && rows >= other.rows }
}
