internal import Core
internal import Figures

enum CondensedLines {
  static func all(_ scene: Scene) -> [[Word]] {
    let snapshot = scene.snapshot
    var lines: [[Word]] = []
    if let virtual = snapshot.virtual {
      lines.append(
        line("events", "\(Figure.grouped(virtual.events)), \(perSecond(virtual))"))
    }
    if let rates = snapshot.rates { lines.append(line("rate", text(rates))) }
    if let latency = snapshot.latency {
      let name = snapshot.source == .collect ? "ingest" : "response"
      lines.append(line(name, percentiles(latency.response)))
      if snapshot.source != .collect { lines.append(line("parts", parts(latency))) }
    }
    if let batches = snapshot.batches { lines.append(line("batches", text(batches))) }
    if let freshness = snapshot.freshness { lines.append(line("fresh", text(freshness))) }
    if let pushes = snapshot.pushes {
      let caused = pushes.outcomes?[WakeOutcome.caused.rawValue].map { ", \($0) caused" } ?? ""
      lines.append(
        line(
          "pushes",
          "\(pushes.requested) requested, \(pushes.answered) answered\(caused)\(pushes.silentWords)"
        ))
    }
    if let phones = snapshot.phones { lines.append(line("phones", text(phones))) }
    if let wire = snapshot.wire {
      lines.append(
        line(
          "wire",
          "\(wire.connections) open, up \(Figure.bytes(wire.bytesUpPerSecond))/s, "
            + Figure.bytes(wire.bytesUp)))
    }
    let errors = snapshot.errors.ranked
    lines.append(
      line(
        "errors",
        errors.isEmpty ? "none" : errors.map { "\($0.key) \($0.value)" }.joined(separator: ", ")))
    lines.append(
      line("cores", snapshot.summedProcesses.map(text).joined(separator: ", ")))
    return lines
  }

  private static func line(_ name: String, _ text: String) -> [Word] {
    [Word(name.padded(to: 9), .faint), Word(text)]
  }

  private static func perSecond(_ virtual: Snapshot.VirtualPace) -> String {
    "\(Figure.grouped(Int(virtual.eventsPerSecond)))/s"
  }

  private static func text(_ rates: Snapshot.Rates) -> String {
    let offered = rates.offered.map { " of \(Figure.grouped(Int($0.rounded())))" } ?? ""
    return "\(Figure.grouped(Int(rates.acknowledged.rounded())))\(offered) batches/s, "
      + "\(Figure.grouped(Int(rates.failed.rounded(.up)))) failed, \(rates.inFlight) in flight"
  }

  private static func percentiles(_ figures: RunRecord.Metrics) -> String {
    "p50 \(figures.text(.p50)), p90 \(figures.text(.p90)), p99 \(figures.text(.p99))"
  }

  private static func parts(_ latency: RunRecord.Latency) -> String {
    "lag \(latency.generatorLag.text(.p50)), connect \(latency.connect.text(.p50)), "
      + "service \(latency.service.text(.p50))"
  }

  private static func text(_ batches: Snapshot.StoredBatches) -> String {
    "\(Figure.grouped(batches.distinct)) stored, \(Figure.grouped(batches.duplicate)) duplicate, "
      + "\(Figure.grouped(batches.rejected)) rejected"
  }

  private static func text(_ freshness: RunRecord.Freshness) -> String {
    let fresh = freshness.reachable.share.map(Figure.percent) ?? "—"
    guard let located = freshness.reachable.located else { return "\(fresh) of reachable" }
    return "\(fresh) of reachable, located \(Figure.percent(located))"
  }

  private static func text(_ phones: Snapshot.PhoneStates) -> String {
    "\(phones.suspended) suspended, \(phones.notRunning) not running, \(phones.moving) moving"
  }

  private static func text(_ process: Snapshot.ProcessLoad) -> String {
    let cores = process.cores.map { Figure.plain(($0 * 100).rounded() / 100) } ?? "—"
    return "\(process.name) \(cores)"
  }
}
