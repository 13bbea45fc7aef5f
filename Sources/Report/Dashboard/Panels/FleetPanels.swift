internal import Core
internal import Figures

extension Panel {
  static func freshness(_ scene: Scene) -> Panel {
    let freshness = scene.snapshot.freshness
    return Panel(title: "Fresh and located phone-time") { canvas, frame in
      guard let freshness else {
        canvas.write("No data before the live part.", .faint, on: &frame)
        return
      }
      let hasLocated = freshness.locatedMeters != nil
      let share = canvas.width - (hasLocated ? 9 : 0)
      let limit = (freshness.withinSeconds ?? 0) / 60
      canvas.writeRight("≤ \(Figure.plain(limit)) min", endingAt: share, .faint, on: &frame)
      if let reach = freshness.locatedMeters {
        canvas.writeRight(
          "≤ \(Figure.plain(reach)) m", endingAt: canvas.width, .faint, on: &frame)
      }
      let rows: [(String, RunRecord.Freshness.Population)] =
        [
          ("reachable", freshness.reachable), ("installed", freshness.installed),
        ] + (scene.snapshot.source == .collect ? [] : [("moving", freshness.moving)])
      for (offset, row) in rows.enumerated() {
        drawPopulation(row.0, row.1, share, row: offset + 1, canvas, &frame)
      }
      let plot = canvas.part(row: 5, height: canvas.height - 5)
      guard plot.height >= 2 else { return }
      canvas.write("fresh reachable so far, full height 100 %", row: 5, .faint, on: &frame)
      Sparkline(scene.history.fresh, width: plot.width, top: 1)
        .draw(plot.part(row: 1), .tone(.accent), on: &frame)
    }
  }

  private static func drawPopulation(
    _ name: String, _ population: RunRecord.Freshness.Population, _ column: Int, row: Int,
    _ canvas: Canvas, _ frame: inout Frame
  ) {
    canvas.write(name, row: row, .faint, on: &frame)
    if let share = population.share {
      let width = column - 10 - 9
      if width >= 3 {
        Gauge(share: share)
          .draw(canvas, at: 10, row: row, width: width, .tone(.accent), on: &frame)
      }
      canvas.writeRight(Figure.percent(share), endingAt: column, row: row, .bold, on: &frame)
    } else {
      canvas.writeRight("—", endingAt: column, row: row, on: &frame)
    }
    guard column < canvas.width else { return }
    canvas.writeRight(
      population.located.map(Figure.percent) ?? "—", endingAt: canvas.width, row: row,
      on: &frame)
  }

  /// - Parameter asBars: Whether each outcome has a separate line.
  static func pushes(_ scene: Scene, asBars: Bool) -> Panel {
    let pushes = scene.snapshot.pushes
    return Panel(title: "Silent pushes") { canvas, frame in
      guard let pushes else {
        let isSimulation = scene.snapshot.source == .simulate
        canvas.write(
          isSimulation ? "Counted at the end." : "No data before the live part.", .faint,
          on: &frame)
        return
      }
      var words = [
        Word("requested ", .faint), Word(Figure.grouped(pushes.requested), .bold),
        Word("  answered ", .faint),
      ]
      if pushes.eligible > 0 {
        let share = Double(pushes.answered) / Double(pushes.eligible)
        words.append(Word(Figure.percent(share), .bold))
        // Omits a text that does not fit, since a truncated number would be wrong.
        for of in [" of \(Figure.grouped(pushes.eligible))", pushes.silentWords] {
          let used = words.reduce(0) { $0 + $1.text.unicodeScalars.count }
          if used + of.count <= canvas.width { words.append(Word(of, .faint)) }
        }
      } else {
        words.append(Word("—"))
      }
      canvas.write(words, on: &frame)
      let flow = Flow(items: outcomes(pushes))
      var row = 1
      if let sender = scene.snapshot.sender {
        canvas.write(Self.words(sender), row: row, on: &frame)
        row += 1
      }
      if asBars {
        flow.drawBars(canvas, row: row + 1, on: &frame)
      } else {
        flow.draw(canvas, row: row, on: &frame)
      }
    }
  }

  private static func words(_ sender: Snapshot.SenderRates) -> [Word] {
    var words = [
      Word("sender ", .faint), Word("\(Figure.quantity(sender.requestsPerSecond))/s", .bold),
      Word("  accepted ", .faint), Word(Figure.grouped(sender.accepted)),
    ]
    let refused = sender.refused.values.reduce(0, +)
    if refused > 0 {
      words += [Word("  refused ", .faint), Word(Figure.grouped(refused), .tone(.warning))]
    }
    if sender.faults > 0 {
      words += [Word("  faults ", .faint), Word(Figure.grouped(sender.faults), .tone(.warning))]
    }
    return words
  }

  /// Returns the outcomes: first caused and raced, then the others by falling frequency.
  private static func outcomes(
    _ pushes: Snapshot.PushFunnel
  ) -> [(name: String, count: Int, style: Style)] {
    var rest = pushes.outcomes ?? [:]
    var items: [(name: String, count: Int, style: Style)] = []
    if let caused = rest.removeValue(forKey: WakeOutcome.caused.rawValue) {
      items.append(("caused", caused, .tone(.good)))
    }
    if let raced = rest.removeValue(forKey: WakeOutcome.raced.rawValue) {
      items.append(("raced", raced, .tone(.good)))
    }
    if pushes.outcomes != nil { items.append(("open", pushes.open, .plain)) }
    items += rest.ranked.map { ($0.key, $0.value, .tone(.warning)) }
    if pushes.withheld > 0 { items.append(("held out", pushes.withheld, .faint)) }
    return items
  }

  static func phones(_ scene: Scene, asBars: Bool) -> Panel {
    guard let phones = scene.snapshot.phones else {
      let why =
        scene.role.isReplay
        ? "Not recorded per second."
        : scene.snapshot.source == .collect
          ? "A collector sees uploads only." : "No data before the live part."
      return Panel(title: "Phones") { canvas, frame in
        canvas.write(why, .faint, on: &frame)
      }
    }
    return Panel(title: "\(Figure.grouped(phones.installed)) phones") { canvas, frame in
      let flow = Flow(items: [
        ("suspended", phones.suspended, .plain), ("not running", phones.notRunning, .plain),
        ("background", phones.background, .plain), ("foreground", phones.foreground, .plain),
        ("moving", phones.moving, .tone(.accent)),
        ("reachable", phones.reachable, .tone(.accent)),
        ("offline", phones.offline, .tone(.warning)),
        ("switched off", phones.switchedOff, .tone(.warning)),
      ])
      if asBars { flow.drawBars(canvas, on: &frame) } else { flow.draw(canvas, on: &frame) }
    }
  }

  static func processes(_ scene: Scene) -> Panel {
    Panel(title: "CPU and memory") { canvas, frame in
      drawProcesses(scene, canvas, row: 0, &frame)
      var row = scene.snapshot.summedProcesses.count + 1
      for process in scene.snapshot.summedProcesses where row + 1 < canvas.height {
        let cores = scene.history.cores[process.name] ?? []
        let most = Figure.plain(((cores.max() ?? 0) * 100).rounded() / 100)
        canvas.write(process.name, row: row, .faint, on: &frame)
        canvas.write("peak \(most)", row: row + 1, .faint, on: &frame)
        let plot = canvas.part(column: max(11, nameWidth(scene) + 1), row: row, height: 2)
        Sparkline(cores, width: plot.width).draw(plot, .tone(.accent), on: &frame)
        row += 3
      }
    }
  }

  /// The mean number of threads waiting for a core from which the panel shows it.
  private static let waitedShown = 0.05

  private static func nameWidth(_ scene: Scene) -> Int {
    scene.snapshot.summedProcesses.map(\.name.count).max() ?? 0
  }

  static func drawProcesses(_ scene: Scene, _ canvas: Canvas, row: Int, _ frame: inout Frame) {
    let end = max(15, nameWidth(scene) + 6)
    for (offset, process) in scene.snapshot.summedProcesses.enumerated() {
      let row = row + offset
      guard row < canvas.height else { return }
      canvas.write(process.name, row: row, .faint, on: &frame)
      let cores = process.cores.map { Figure.plain(($0 * 100).rounded() / 100) } ?? "—"
      canvas.writeRight(cores, endingAt: end, row: row, on: &frame)
      canvas.write(" cores", at: end, row: row, .faint, on: &frame)
      // Shows the number of waiting threads in place of the memory.
      if let waited = process.waited, waited >= waitedShown {
        let text = "waits \(Figure.plain((waited * 100).rounded() / 100))"
        canvas.writeRight(text, endingAt: 32, row: row, .tone(.warning), on: &frame)
      } else {
        canvas.writeRight(
          Figure.bytes(process.residentBytes), endingAt: 32, row: row, .faint, on: &frame)
      }
    }
  }

  static func promises(_ scene: Scene) -> Panel {
    Panel(title: "SLOs so far") { canvas, frame in
      let levels = scene.snapshot.outlook.levels
      if levels.isEmpty {
        let isCollector = scene.snapshot.source == .collect
        canvas.write(
          scene.role.isReplay
            ? "Judged at the end of the record."
            : isCollector
              ? "The run's own screen has the SLOs."
              : "No data before the measured part.", .faint, on: &frame)
      }
      for (row, level) in levels.enumerated() {
        let (word, tone): (String, Tone) =
          switch level.standing {
          case .open: ("open", .faint)
          case .met: ("met", .good)
          case .narrow: ("narrow", .warning)
          case .missed: ("missed", .bad)
          }
        canvas.write(
          [
            Word(word.padded(to: 8), Style(tone: tone, isBold: true)),
            Word(level.title.padded(to: 14), .faint),
            Word((level.actual.map(level.text) ?? "—").padded(to: 12)),
            Word(level.bound, .faint),
          ],
          row: row, on: &frame)
      }
    }
  }
}
