internal import Core
internal import Figures

extension LoadSections {
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
        ["sent for each batch", bytes(traffic.bytesPerBatch)],
        ["sent for each fix", bytes(traffic.bytesPerFix)],
      ])
    return page.section(
      "traffic", "Bytes on the wire",
      """
      A batch cost \(bytes(traffic.bytesPerBatch)) to send and a fix \
      \(bytes(traffic.bytesPerFix)), with framing and registration, without TCP’s and IP’s own \
      headers.
      """,
      chart: plot?.chart(
        "traffic", "Bytes per second on the wire, over the time of the run",
        y: .fromZero(to: (plot?.top() ?? 1) / 1_024, ticks: 4, text: Figure.quantity)
          .times(1_024), unit: "KiB/s"),
      tables: [
        .facts("Traffic as a table", facts),
        traffic.compressed.map {
          .facts("What compression saved, by kind of message", Self.saved($0))
        },
        plot.map { .curve("Traffic over time as a table", $0.rows { Figure.bytes(Int($0)) }) },
      ])
  }

  static func saved(_ rows: [TrafficFigures.Compressed]) -> Table {
    Table(
      head: ["messages of", "messages", "before", "as sent", "saved"],
      rows: rows.map { row in
        let share = row.plainBytes > 0 ? Double(row.saved) / Double(row.plainBytes) : 0
        return [
          row.kind == "upload" ? "upload (payloads)" : row.kind, Figure.grouped(row.messages),
          Figure.bytes(row.plainBytes), Figure.bytes(row.bytes), Figure.percent(share),
        ]
      })
  }

  // MARK: What both processes cost

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
      "machine", "What the run cost this machine",
      """
      On average \(used.listed), of \(machine.cores); the machine has \
      \(Figure.bytes(machine.memoryBytes)) of memory and runs \(machine.system).\
      \(machine.waitingSentence.map { " \($0)" } ?? "")
      """,
      chart: plot?.chart(
        "machine", "CPU of generator and collector over the time of the run",
        y: .fromZero(to: plot?.top() ?? 1, ticks: 4, text: Figure.quantity), unit: "cores"),
      tables: [
        .facts("Cost as a table", facts),
        machine.collectors.map { .facts("Collectors one by one", Self.table(of: $0)) },
        machine.generators.map {
          .facts(
            "Generators one by one", Table(head: GeneratorFacts.head, rows: $0.map(\.cells)))
        },
        plot.map { .curve("CPU over time as a table", $0.rows(Figure.quantity)) },
      ])
  }

  /// Mean use by process; those of one kind are summed.
  private static func used(_ machine: RunRecord.Machine) -> [HTML] {
    let generators = (machine.generators ?? []).map(\.name)
    let parts = Set((machine.collectors ?? []).map(\.name) + generators)
    let others: [HTML] = machine.processes.sorted { $0.key > $1.key }
      .filter { !parts.contains($0.key) }
      .map { name, use in "the \(name) used \(Figure.quantity(use.coresUsed)) cores" }
    guard !generators.isEmpty else { return others }
    let cores = generators.compactMap { machine.processes[$0]?.coresUsed }.reduce(0, +)
    return ["the \(generators.count) generators used \(Figure.quantity(cores)) cores"] + others
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

  // MARK: What was asked, and how to ask it again

  var run: HTML? {
    var facts = Table(head: ["", ""])
    facts.rows = [
      ["started", record.timing.startedAt],
      ["took", "\(Figure.quantity(record.timing.wallSeconds)) s"],
      ["scenario time", "\(Figure.quantity(record.scenario.durationSeconds / 60)) min"],
      ["seed", "\(record.seed)"],
      ["world", record.digest.world ?? "—"], ["behaviour", record.digest.behaviour ?? "—"],
      ["program", "\(record.tool.name) \(record.tool.version)"],
    ]
    let errors = record.errors.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    let errorTable = Table(
      head: ["error", "times"], rows: errors.map { [$0.key, Figure.grouped($0.value)] })
    let levels = Table(
      head: ["promise", "limit", "found", ""],
      rows: record.slo.map { level in
        [
          Words.level(level.name), level.amount(level.limit),
          level.actual.map(level.amount) ?? "—", level.pass ? "kept" : "missed",
        ]
      })
    let command = record.command.joined(separator: " ")
    let text: HTML =
      record.scenario.text.isEmpty
      ? ""
      : """
      <details class="curve">
      <summary>The scenario, with its defaults</summary>
      <pre>\(record.scenario.text)</pre>
      </details>

      """
    return page.section(
      "run", "This run",
      command.isEmpty ? "What was asked." : "Made by <code>\(command)</code>.",
      tables: [
        levels.rows.isEmpty ? nil : .facts("Promises as a table", levels),
        .facts("This run as a table", facts),
        errors.isEmpty ? nil : .facts("Errors as a table", errorTable),
      ])
      + text
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
