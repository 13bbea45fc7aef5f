internal import Figures

/// Bytes on the wire.
struct TrafficSection {
  private let files: RunFiles

  init(_ files: RunFiles) { self.files = files }

  func html(_ page: Page) -> HTML? {
    let (record, traffic) = (files.record, files.record.traffic)
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
    var tables: [Fold] = [.facts("Traffic as a table", facts)]
    if let compressed = traffic.compressed {
      tables.append(.facts("What compression saved, by kind of message", Self.saved(compressed)))
    }
    if let plot {
      tables.append(.curve("Traffic over time as a table", plot.rows { Figure.bytes(Int($0)) }))
    }
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
      tables: tables)
  }
}

extension TrafficSection {
  /// What travelled compressed, in both directions.
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
}

/// What both processes cost.
struct MachineSection {
  private let files: RunFiles

  init(_ files: RunFiles) { self.files = files }

  func html(_ page: Page) -> HTML? {
    let machine = files.record.machine
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
    var tables: [Fold] = [.facts("Cost as a table", facts)]
    if let collectors = machine.collectors {
      tables.append(.facts("Collectors one by one", Self.table(of: collectors)))
    }
    if let generators = machine.generators {
      tables.append(
        .facts(
          "Generators one by one",
          Table(head: GeneratorFacts.head, rows: generators.map(\.cells))))
    }
    if let plot { tables.append(.curve("CPU over time as a table", plot.rows(Figure.quantity))) }
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
      tables: tables)
  }

  /// What the processes used on average; of several of one kind, all together.
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
}

/// What was asked, and how to ask it again.
struct RunSection {
  private let files: RunFiles

  init(_ files: RunFiles) { self.files = files }

  func html(_ page: Page) -> HTML? {
    let record = files.record
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
    var tables: [Fold] = [.facts("This run as a table", facts)]
    if !levels.rows.isEmpty { tables.insert(.facts("Promises as a table", levels), at: 0) }
    if !errors.isEmpty { tables.append(.facts("Errors as a table", errorTable)) }
    return page.section(
      "run", "This run",
      command.isEmpty ? "What was asked." : "Made by <code>\(command)</code>.", tables: tables)
      + text
  }
}

extension RecordedCounts {
  /// A row for each figure below a key, in the words of its line.
  fileprivate func rows(under key: String) -> [[String]] {
    Count.allCases.compactMap { count in
      guard count.row.path.first == key, let value = counts[count] else { return nil }
      let text = count.row.isBytes ? Figure.bytes(value) : Figure.grouped(value)
      return [String(count.row.sentence.dropLast()), text]
    }
  }
}
