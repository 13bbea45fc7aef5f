internal import Core
internal import Figures

extension RunSections {
  var traffic: HTML? {
    let traffic = record.traffic
    guard record[.bytesSent] ?? 0 > 0 else { return nil }
    let plot = TimelinePlot(
      files,
      [
        .init(
          key: "bytes_sent_per_s", name: record.target == nil ? "to collector" : "to server",
          ink: .blue),
        .init(key: "bytes_received_per_s", name: "to phones", ink: .orange),
      ])
    let bytes: (Double?) -> String = { $0.map { "\(Figure.quantity($0)) B" } ?? "—" }
    let facts = Table(
      head: ["", "whole run"],
      rows: record.figures.rows(under: "traffic") + [
        ["sent per batch", bytes(traffic.bytesPerBatch)],
        ["sent per fix", bytes(traffic.bytesPerFix)],
      ])
    return page.section(
      "traffic", "Bytes on the wire",
      """
      \(bytes(traffic.bytesPerBatch)) per batch, \(bytes(traffic.bytesPerFix)) per fix. \
      Both include framing and registration, but no TCP and IP headers.
      """,
      chart: plot?.chart(
        "Bytes per second on the wire over time",
        y: .fromZero(to: (plot?.top() ?? 1) / 1_024, ticks: 4, text: Figure.quantity)
          .times(1_024), unit: "KiB/s"),
      tables: [
        .facts("Traffic as a table", facts),
        traffic.compressed.map {
          .facts("Savings by compression, by kind of message", Self.saved($0))
        },
        plot.map { .curve("Traffic over time as a table", $0.rows { Figure.bytes($0) }) },
      ])
  }

  static func saved(_ rows: [TrafficFigures.Compressed]) -> Table {
    Table(
      head: ["kind", "messages", "uncompressed", "sent", "saved"],
      rows: rows.map { row in
        let share = row.plainBytes > 0 ? Double(row.saved) / Double(row.plainBytes) : 0
        return [
          row.kind == "upload" ? "upload (payloads)" : row.kind, Figure.grouped(row.messages),
          Figure.bytes(row.plainBytes), Figure.bytes(row.bytes), Figure.percent(share),
        ]
      })
  }

  // MARK: CPU and memory of the processes

  var machine: HTML? {
    let machine = record.machine
    guard !machine.processes.isEmpty else { return nil }
    let plot = TimelinePlot(
      files,
      [
        .init(key: "generator_cores", name: "generator", ink: .vermilion),
        .init(key: "collector_cores", name: "collector", ink: .blue),
      ])
    let named = machine.processes.sorted { $0.key > $1.key }
    let facts = Table(
      head: ["", "CPU time", "cores used", "peak memory"],
      rows: named.map { name, use in
        [
          name, "\(Figure.quantity(use.cpuSeconds)) s", Figure.quantity(use.coresUsed),
          Figure.bytes(use.peakResidentBytes),
        ]
      })
    let used = Self.used(machine)
    return page.section(
      "machine", "CPU and memory",
      """
      Mean CPU use: \(used.listed), of \(machine.cores) cores; \
      \(Figure.bytes(machine.memoryBytes)) of memory, \(machine.system).\
      \(machine.waitingSentence.map { " \($0)" } ?? "")
      """,
      chart: plot?.chart(
        "CPU of generator and collector over time",
        y: .fromZero(to: plot?.top() ?? 1, ticks: 4, text: Figure.quantity), unit: "cores"),
      tables: [
        .facts("CPU and memory as a table", facts),
        machine.collectors.map { .facts("Each collector", Self.table(of: $0)) },
        machine.generators.map {
          .facts(
            "Each generator", Table(head: GeneratorFacts.head, rows: $0.map(\.cells)))
        },
        plot.map { .curve("CPU over time as a table", $0.rows(Figure.quantity)) },
      ])
  }

  /// Returns the mean use by process. Processes of one kind are summed.
  private static func used(_ machine: RunRecord.Machine) -> [HTML] {
    let generators = (machine.generators ?? []).map(\.name)
    let parts = Set((machine.collectors ?? []).map(\.name) + generators)
    let others: [HTML] = machine.processes.sorted { $0.key > $1.key }
      .filter { !parts.contains($0.key) }
      .map { name, use in "\(name) \(Figure.quantity(use.coresUsed))" }
    guard !generators.isEmpty else { return others }
    let cores = generators.compactMap { machine.processes[$0]?.coresUsed }.reduce(0, +)
    return ["\(generators.count) generators \(Figure.quantity(cores))"] + others
  }

  private static func table(of collectors: [CollectorFacts]) -> Table {
    let count: (Int?) -> String = { $0.map { Figure.grouped($0) } ?? "—" }
    return Table(
      head: ["", "address", "batches", "retries", "connections refused", "restarts"],
      rows: collectors.map {
        [
          $0.name, $0.address, count($0.acknowledgedBatches), count($0.retries),
          count($0.connectFailures), count($0.restarts),
        ]
      })
  }

  // MARK: The run, and how to repeat it

  var made: HTML? {
    var facts = Table(head: ["", ""])
    facts.rows = [
      ["started", record.timing.startedAt],
      ["took", "\(Figure.quantity(record.timing.wallSeconds)) s"],
      ["simulated time", "\(Figure.quantity(record.scenario.durationSeconds / 60)) min"],
      ["seed", "\(record.seed)"],
      ["digest plan", record.digest.world ?? "—"],
      ["digest history", record.digest.behaviour ?? "—"],
      ["program", "\(record.tool.name) \(record.tool.version)"],
    ]
    let errors = record.errors.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    let errorTable = Table(
      head: ["event", "times"],
      rows: errors.map { [$0.key.replacing("-", with: " "), Figure.grouped($0.value)] })
    let levels = Table(
      head: ["SLO", "limit", "actual", ""],
      rows: record.slo.map { level in
        [
          Words.level(level.name), level.amount(level.limit),
          level.actual.map(level.amount) ?? "—", record.judged(level).rawValue,
        ]
      })
    let command = record.command.joined(separator: " ")
    return page.section(
      "run", "This run",
      command.isEmpty ? "Settings of this run." : "Command: <code>\(command)</code>",
      tables: [
        levels.rows.isEmpty ? nil : .facts("SLOs as a table", levels),
        .facts("This run as a table", facts),
        errors.isEmpty ? nil : .facts("Simulated events and errors as a table", errorTable),
      ])
      + (record.scenario.text.isEmpty ? "" : record.scenarioFold)
  }
}

extension RecordedCounts {
  fileprivate func rows(under key: String) -> [[String]] {
    Count.allCases.compactMap { count in
      guard count.row.path.first == key, let value = counts[count] else { return nil }
      let text = count.row.isBytes ? Figure.bytes(value) : Figure.grouped(value)
      return [String(count.row.sentence.dropLast()), text]
    }
  }
}

extension RunRecord {
  var scenarioFold: HTML {
    """
    <details class="curve">
    <summary>Scenario with defaults</summary>
    <pre>\(scenario.text)</pre>
    </details>

    """
  }
}
