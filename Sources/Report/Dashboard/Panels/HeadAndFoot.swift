internal import Core
internal import Figures

extension Panel {
  static let headHeight = 3

  static func drawHead(_ scene: Scene, on canvas: Canvas, _ frame: inout Frame) {
    drawTitle(scene, scene.snapshot.detail, on: canvas, &frame)
    drawProgress(scene.snapshot.progress, canvas, &frame)
    drawOutlook(scene.snapshot.outlook, on: canvas.part(row: 2), &frame)
  }

  static func drawTitle(
    _ scene: Scene, _ detail: String, on canvas: Canvas, _ frame: inout Frame
  ) {
    let snapshot = scene.snapshot
    let title = "flotilla \(snapshot.source.rawValue)"
    let clock = snapshot.progress.scenarioTime
    let column = canvas.write(
      [
        Word(title, .title), Word("  "),
        Word(snapshot.name.fitted(to: canvas.width / 2 - title.count), .bold),
      ], at: 1, on: &frame)
    let room = canvas.width - column - clock.count - 5
    canvas.write(detail.fitted(to: room), at: column + 2, .faint, on: &frame)
    canvas.writeRight(clock, endingAt: canvas.width - 1, .bold, on: &frame)
  }

  private static func drawProgress(
    _ progress: Snapshot.Progress, _ canvas: Canvas, _ frame: inout Frame
  ) {
    let column = canvas.write(progress.phase.padded(to: 10), at: 1, row: 1, .bold, on: &frame) + 1
    var text = "\(duration(progress.elapsedSeconds)) gone"
    if let left = progress.leftSeconds { text += ", \(duration(left)) left" }
    guard let share = progress.share else {
      canvas.write(text, at: column, row: 1, on: &frame)
      return
    }
    text = Figure.percent(share) + "  " + text
    let end = canvas.width - 1
    let width = end - column - 31
    if width >= 8 {
      Gauge(share: share)
        .draw(canvas, at: column, row: 1, width: width, .tone(.accent), on: &frame)
    }
    canvas.writeRight(text, endingAt: end, row: 1, on: &frame)
  }

  static func drawOutlook(_ outlook: Outlook, on canvas: Canvas, _ frame: inout Frame) {
    let standing = Style(tone: outlook.standing.tone, isBold: true)
    let lead = outlook.standing.isVerdict ? "Verdict so far: " : ""
    let column = canvas.write(
      [Word(lead, .faint), Word(outlook.standing.rawValue, standing), Word(" — ", .faint)], at: 1,
      on: &frame)
    canvas.write(outlook.reason.fitted(to: canvas.width - column - 1), at: column, on: &frame)
  }

  /// Returns a duration such as "48 s", "12 min 30 s" or "3 h 5 min".
  static func duration(_ seconds: Double) -> String {
    let whole = max(0, Int(min(seconds, 1e9).rounded()))
    switch whole {
    case ..<60: return "\(whole) s"
    case ..<3_600: return "\(whole / 60) min \(whole % 60) s"
    default: return "\(whole / 3_600) h \(whole / 60 % 60) min"
    }
  }

  static func log(_ scene: Scene) -> Panel {
    Panel(title: "Log") { canvas, frame in
      for (row, line) in scene.log.suffix(canvas.height).enumerated() {
        canvas.write(line.fitted(to: canvas.width), row: row, on: &frame)
      }
    }
  }

  static func drawKeys(_ scene: Scene, on canvas: Canvas, _ frame: inout Frame) {
    if scene.isStopping {
      canvas.write(
        [
          Word(" STOPPING ", .reversed),
          Word(" draining, then writing the report; Ctrl-C quits immediately"),
        ], on: &frame)
      return
    }
    if let typed = scene.navigation.typed {
      let last = scene.choice.phones - 1
      let range = last >= 0 ? ", 0 to \(last)" : ""
      canvas.write(
        [
          Word(" PHONE ", .reversed), Word(" number\(range): "), Word(typed + "_", .bold),
          Word("   Enter opens, Esc cancels", .faint),
        ], on: &frame)
      return
    }
    if scene.isFrozen {
      canvas.write(
        [Word(" FROZEN ", .reversed), Word(" the run continues; space unfreezes")], on: &frame)
      return
    }
    var keys = keys(scene)
    func width(_ gap: Int) -> Int {
      keys.reduce(1 - gap) { $0 + $1.0.count + 1 + $1.1.count + gap }
    }
    while width(2) > canvas.width, keys.count > 1 { keys.removeLast() }
    let gap = width(3) <= canvas.width ? 3 : 2
    var column = 1
    for (key, meaning) in keys {
      column = canvas.write(
        [Word(key, .bold), Word(" \(meaning)", .faint)], at: column, on: &frame)
      column += gap
    }
  }

  /// Returns the key hints, the most needed first, since hints without room are not drawn.
  private static func keys(_ scene: Scene) -> [(String, String)] {
    let ends = [("q", "quit"), ("?", "help")]
    let chosen = [("Esc", "back"), ("arrows", "choose"), ("Enter", "open")]
    if scene.navigation.view != .overview, scene.whyNoPhones != nil {
      return ends + [("Esc", "back"), ("c", "cohorts")]
    }
    switch scene.navigation.view {
    case .overview: return ends + overviewKeys(scene)
    case .cohorts: return ends + chosen + [("s", "states"), ("p", "phone")]
    case .states: return ends + chosen + [("c", "cohorts"), ("p", "phone")]
    case .phones: return ends + chosen + [("n b", "turn page"), ("s", "states"), ("p", "phone")]
    case .phone:
      return ends
        + [("Esc", "back"), ("n b", "next, previous phone"), ("c", "cohorts"), ("s", "states")]
    }
  }

  private static func overviewKeys(_ scene: Scene) -> [(String, String)] {
    switch scene.role {
    case .run, .watched:
      let rate = Figure.plain(scene.framesPerSecond)
      let views =
        scene.snapshot.source == .load
        ? [("c", "cohorts"), ("s", "states"), ("p", "phone")] : []
      return views + [("space", "freeze"), ("+ -", "refresh \(rate)/s")]
    case .replay(let speed, let isPaused):
      return [
        ("space", isPaused ? "resume" : "pause"), ("+ -", "speed, \(Figure.plain(speed)) ×"),
        ("< >", "jump"), ("c", "cohorts"),
      ]
    }
  }

  private static func help(_ role: Scene.Role) -> [String] {
    switch role {
    case .run:
      [
        "q      stop: drain, then write the report",
        "       (same as Ctrl-C; a second Ctrl-C quits)",
        "?      this help; any key closes it",
        "space  freeze the screen; the run continues",
        "+ -    higher or lower refresh rate",
      ] + views + words
    case .watched:
      [
        "q      quit; the collector continues",
        "       (same as Ctrl-C)",
        "?      this help; any key closes it",
        "space  freeze the screen; the collector continues",
        "+ -    higher or lower refresh rate",
      ] + views + words
    case .replay:
      [
        "q      quit (same as Ctrl-C)",
        "?      this help; any key closes it",
        "space  pause or resume",
        "+ -    double or halve the speed",
        "< >    jump back or forward by 10 % of the run",
      ] + views + words
    }
  }

  private static let views = [
    "c s p  cohorts, phones by state, a phone by number",
    "Enter  open the line that arrows (or j k) choose",
    "n b    next, previous page or phone;  Esc  back",
  ]

  private static let words = [
    "",
    "Response: from the intended time to the durable",
    "ack = lag (of this generator) + connect + hold",
    "(slot, backoff) + service.",
    "Fresh: the newest stored fix is recent enough.",
    "Located: the newest fix is near the true position.",
    "\"late\": generator lag determines that figure.",
  ]

  static func drawHelp(_ role: Scene.Role, on canvas: Canvas, _ frame: inout Frame) {
    let help = help(role)
    let width = min(canvas.width, 54)
    let height = min(canvas.height, help.count + 2)
    let box = canvas.part(
      column: (canvas.width - width) / 2, row: (canvas.height - height) / 2, width: width,
      height: height)
    let line = String(repeating: "─", count: max(0, width - 2))
    for row in 0..<height {
      let isEdge = row == 0 || row == height - 1
      let inside = isEdge ? line : String(repeating: " ", count: max(0, width - 2))
      let left = row == 0 ? "╭" : row == height - 1 ? "╰" : "│"
      let right = row == 0 ? "╮" : row == height - 1 ? "╯" : "│"
      box.write(left + inside + right, row: row, on: &frame)
    }
    box.write(" Help ", at: 2, .title, on: &frame)
    for (row, text) in help.prefix(max(0, height - 2)).enumerated() {
      box.write(text.fitted(to: width - 4), at: 2, row: row + 1, on: &frame)
    }
  }
}

extension Outlook.Standing {
  var tone: Tone {
    switch self {
    case .early, .serving, .recorded: .plain
    case .onCourse: .good
    case .stopping: .accent
    case .narrow, .missing, .generatorBound: .warning
    case .problem, .silent: .bad
    }
  }

  var isVerdict: Bool {
    switch self {
    case .early, .onCourse, .narrow, .missing, .generatorBound: true
    case .stopping, .serving, .problem, .silent, .recorded: false
    }
  }
}
