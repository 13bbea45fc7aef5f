internal import Core
internal import Figures

/// The panel of the generator processes, if a run has several.
extension Panel {
  static let generatorsWidth = 54

  /// Returns a row for each generator, the one with the most lag first, in case not all rows fit.
  static func generators(_ scene: Scene) -> Panel {
    let rows = scene.snapshot.generators.enumerated().sorted {
      (lag($1.element), $0.offset) < (lag($0.element), $1.offset)
    }.map(\.element)
    return Panel(title: "\(rows.count) generators: batches/s, lag, cores, memory") {
      canvas, frame in
      for (row, process) in rows.enumerated() {
        guard row < canvas.height else {
          let left = "+\(rows.count - row)"
          canvas.writeRight(left, endingAt: canvas.width, row: row - 1, .faint, on: &frame)
          return
        }
        draw(process, on: canvas, row: row, &frame)
      }
    }
  }

  private static func lag(_ process: Snapshot.ProcessLoad) -> Int64 {
    process.sending?.lagMaxMicroseconds ?? -1
  }

  private static func draw(
    _ process: Snapshot.ProcessLoad, on canvas: Canvas, row: Int, _ frame: inout Frame
  ) {
    guard let sending = process.sending else { return }
    canvas.write(process.name, row: row, .faint, on: &frame)
    let rate = Figure.grouped(Int(sending.batchesPerSecond.rounded()))
    canvas.writeRight(rate, endingAt: 22, row: row, on: &frame)
    let lag = sending.lagMaxMicroseconds
    canvas.writeRight(
      lag.map { Figure.time(Double($0)) } ?? "—", endingAt: 31, row: row,
      (lag ?? 0) > lagWarned ? .tone(.warning) : .plain, on: &frame)
    let cores = process.cores.map { Figure.plain(($0 * 100).rounded() / 100) } ?? "—"
    canvas.writeRight(cores, endingAt: 38, row: row, on: &frame)
    canvas.writeRight(
      Figure.bytes(process.residentBytes), endingAt: 49, row: row, .faint, on: &frame)
  }

  /// The lag in µs above which a generator is marked, as it may make a run invalid.
  private static let lagWarned: Int64 = 50_000
}

extension Snapshot {
  /// The processes that send; empty if there is only one.
  var generators: [ProcessLoad] { processes.filter { $0.sending != nil } }

  /// The processes of the run, in which several sending processes are summed as "generators".
  var summedProcesses: [ProcessLoad] {
    let senders = generators
    guard senders.count > 1 else { return processes }
    let cores = senders.compactMap(\.cores)
    let sum = ProcessLoad(
      name: "generators", cores: cores.isEmpty ? nil : cores.reduce(0, +),
      residentBytes: senders.reduce(0) { $0 + $1.residentBytes }, waited: senders[0].waited)
    return [sum] + processes.filter { $0.sending == nil }
  }
}
