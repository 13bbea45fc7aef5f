internal import Core
internal import Figures

extension Panel {
  /// - Parameter withProcesses: Whether to add CPU and memory, if no other panel shows them.
  static func rate(_ scene: Scene, withProcesses: Bool) -> Panel {
    let snapshot = scene.snapshot
    let peak = scene.history.acknowledged.max().map {
      ", peak \(Figure.grouped(Int($0.rounded())))"
    }
    return Panel(title: "Acked batches/s\(peak ?? "")") { canvas, frame in
      guard let rates = snapshot.rates else {
        drawVirtual(snapshot, canvas, &frame)
        if withProcesses { drawProcesses(scene, canvas, row: canvas.height - 2, &frame) }
        return
      }
      canvas.write(words(rates), on: &frame)
      let below = withProcesses ? 3 : 1
      let plot = canvas.part(row: 1, height: canvas.height - 1 - below)
      Sparkline(scene.history.acknowledged, width: plot.width)
        .draw(plot, .tone(.accent), on: &frame)
      canvas.write(waiting(rates), row: canvas.height - below, on: &frame)
      if withProcesses { drawProcesses(scene, canvas, row: canvas.height - 2, &frame) }
    }
  }

  private static func drawVirtual(
    _ snapshot: Snapshot, _ canvas: Canvas, _ frame: inout Frame
  ) {
    guard let virtual = snapshot.virtual else {
      canvas.write("No uploads yet.", .faint, on: &frame)
      return
    }
    canvas.write("No sockets in simulated time.", .faint, on: &frame)
    canvas.write("\(Figure.grouped(virtual.events)) events", row: 1, on: &frame)
    canvas.write(
      "\(Figure.grouped(Int(virtual.eventsPerSecond))) events/s", row: 2, on: &frame)
  }

  private static func words(_ rates: Snapshot.Rates) -> [Word] {
    let acknowledged = Figure.grouped(Int(rates.acknowledged.rounded()))
    var words = [Word(acknowledged, .bold)]
    if let offered = rates.offered {
      words.append(Word(" of \(Figure.grouped(Int(offered.rounded()))) offered", .faint))
    } else {
      words += [Word("  fixes ", .faint), Word(Figure.grouped(Int(rates.fixes.rounded())))]
    }
    let failed = Int(rates.failed.rounded(.up))
    words += [
      Word("  failed ", .faint),
      Word(Figure.grouped(failed), failed > 0 ? .tone(.bad) : .plain),
    ]
    return words
  }

  private static func waiting(_ rates: Snapshot.Rates) -> [Word] {
    var words = [Word("in flight ", .faint), Word(Figure.grouped(rates.inFlight))]
    if let waiting = rates.outboxFixes {
      words += [Word("  fixes waiting ", .faint), Word(Figure.grouped(waiting))]
    }
    return words
  }

  static func response(_ scene: Scene) -> Panel {
    let snapshot = scene.snapshot
    let isCollector = snapshot.source == .collect
    let isMeasured = ["measure", "drain"].contains(snapshot.progress.phase)
    let since = isMeasured ? "measured" : "so far"
    let title = isCollector ? "Ingest since the start" : "Response and its four parts, \(since)"
    return Panel(title: title) { canvas, frame in
      guard let latency = snapshot.latency else {
        canvas.write("No responses yet.", .faint, on: &frame)
        return
      }
      let table = isCollector ? 2 : latency.secured == nil ? 6 : 8
      drawLatency(latency, isCollector: isCollector, canvas, &frame)
      if isCollector { drawStored(snapshot, canvas.part(row: 2), &frame) }
      let top = isCollector ? 6 : table + 1
      let plot = canvas.part(row: top, height: canvas.height - top)
      guard plot.height >= 2, let last = scene.history.p90.last else { return }
      canvas.write("p90 of each second, now \(Figure.time(last))", row: top, .faint, on: &frame)
      Sparkline(scene.history.p90, width: plot.width)
        .draw(plot.part(row: 1), .tone(.accent), on: &frame)
    }
  }

  private static let levels: [(RunRecord.Latency.Level, String)] = [
    (.p50, "p50"), (.p90, "p90"), (.p99, "p99"), (.p999, "p99.9"),
  ]
  private static let levelWidth = 8

  private static func drawLatency(
    _ latency: RunRecord.Latency, isCollector: Bool, _ canvas: Canvas, _ frame: inout Frame
  ) {
    let label = 8
    for (index, level) in levels.enumerated() {
      canvas.writeRight(
        level.1, endingAt: label + (index + 1) * levelWidth, .faint, on: &frame)
    }
    let rows: [(String, RunRecord.Metrics)] =
      isCollector
      ? [("ack", latency.response)]
      : [
        ("response", latency.response), ("lag", latency.generatorLag),
        ("connect", latency.connect),
      ] + (latency.secured.map { [("TLS full", $0.full), ("TLS res.", $0.resumed)] } ?? [])
        + [("hold", latency.hold), ("service", latency.service)]
    for (offset, row) in rows.enumerated() {
      let style = offset == 0 ? Style.bold : .plain
      canvas.write(row.0, row: offset + 1, offset == 0 ? .plain : .faint, on: &frame)
      for (index, level) in levels.enumerated() {
        canvas.writeRight(
          text(row.1, level.0), endingAt: label + (index + 1) * levelWidth, row: offset + 1,
          row.1.generatorBound.contains(level.0.rawValue) ? .tone(.warning) : style, on: &frame)
      }
    }
  }

  /// Returns a percentile as the record does, in seven columns.
  private static func text(_ figures: RunRecord.Metrics, _ level: RunRecord.Latency.Level) -> String
  {
    figures.generatorBound.contains(level.rawValue) ? "late" : figures.text(level)
  }

  private static func drawStored(_ snapshot: Snapshot, _ canvas: Canvas, _ frame: inout Frame) {
    guard let batches = snapshot.batches else { return }
    canvas.write(
      [
        Word("received ", .faint), Word(Figure.grouped(batches.received)),
        Word("  stored ", .faint), Word(Figure.grouped(batches.distinct), .bold),
      ], on: &frame)
    canvas.write(
      [
        Word("duplicate ", .faint), Word(Figure.grouped(batches.duplicate)),
        Word("  rejected ", .faint),
        Word(Figure.grouped(batches.rejected), batches.rejected > 0 ? .tone(.bad) : .plain),
      ], row: 1, on: &frame)
    canvas.write(
      [Word("fixes stored ", .faint), Word(Figure.grouped(batches.fixes))], row: 2, on: &frame)
    let p99 = batches.commitP99Microseconds.map { ", p99 \(Figure.time($0))" } ?? ""
    canvas.write(
      [Word("commits ", .faint), Word(Figure.grouped(batches.commits) + p99)], row: 3, on: &frame)
  }

  /// - Parameter withErrors: Whether the last line shows the errors, if no other panel does.
  static func wire(_ scene: Scene, withErrors: Bool) -> Panel {
    let snapshot = scene.snapshot
    return Panel(title: withErrors ? "Wire and errors" : "Wire") { canvas, frame in
      if let wire = snapshot.wire {
        let room = drawWire(wire, isCollector: snapshot.source == .collect, canvas, &frame)
        drawSaved(wire, withErrors ? room : canvas.part(row: 3), &frame)
      } else {
        canvas.write("No traffic in simulated time.", .faint, on: &frame)
      }
      if withErrors { errorFlow(snapshot).draw(canvas, row: 3, on: &frame) }
      if withErrors, snapshot.errors.isEmpty { canvas.write("no errors", row: 3, on: &frame) }
    }
  }

  /// Draws connections and bytes. Returns the part of the last line that is still free.
  private static func drawWire(
    _ wire: Snapshot.WireMetrics, isCollector: Bool, _ canvas: Canvas, _ frame: inout Frame
  ) -> Canvas {
    var links = [Word("connections ", .faint), Word(Figure.grouped(wire.connections))]
    if let connects = wire.connects {
      links += [
        Word(isCollector ? "  accepted " : "  opened ", .faint), Word(Figure.grouped(connects)),
      ]
    }
    canvas.write(links, on: &frame)
    canvas.write(
      [
        Word("up ", .faint), Word("\(Figure.bytes(wire.bytesUpPerSecond))/s"),
        Word(" \(Figure.bytes(wire.bytesUp))", .faint),
        Word("  down ", .faint), Word("\(Figure.bytes(Int(wire.bytesDownPerSecond)))/s"),
      ], row: 1, on: &frame)
    var words: [Word] = []
    if let bytes = wire.bytesPerFix {
      words += [Word("per fix ", .faint), Word("\(Figure.plain((bytes * 10).rounded() / 10)) B")]
    }
    if let ratio = wire.ratio, wire.saved == nil {
      let text = Figure.plain((ratio * 100).rounded() / 100)
      words += [Word("  compressed ", .faint), Word("\(text) : 1")]
    }
    let column = canvas.write(words, row: 2, on: &frame)
    return canvas.part(column: words.isEmpty ? 0 : column + 2, row: 2, height: 1)
  }

  private static func drawSaved(
    _ wire: Snapshot.WireMetrics, _ canvas: Canvas, _ frame: inout Frame
  ) {
    guard let saved = wire.saved else { return }
    let column = canvas.write("saved ", .faint, on: &frame)
    Flow(items: saved.ranked.map { ($0.key, $0.value, .plain) }, number: Figure.bytes)
      .draw(canvas.part(column: column), on: &frame)
  }

  static func errors(_ scene: Scene) -> Panel {
    Panel(title: "Errors") { canvas, frame in
      if scene.snapshot.errors.isEmpty { canvas.write("none", on: &frame) }
      errorFlow(scene.snapshot).drawBars(canvas, on: &frame)
    }
  }

  private static func errorFlow(_ snapshot: Snapshot) -> Flow {
    Flow(items: snapshot.errors.ranked.map { ($0.key, $0.value, .tone(.bad)) })
  }
}
