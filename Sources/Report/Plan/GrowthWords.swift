internal import Capacity
internal import Core

extension GrowthRecord {
  /// The table of growth: a line for each quantity with its basis, a column for each fleet size.
  var table: Table {
    let resources = Set(rows.flatMap(\.ranksByResource.keys)).sorted()
    let asked = resources.map { name in
      line("  for \(name)", basis(of: name)) { row in
        row.ranksByResource[name].map { Figure.grouped($0) }
      }
    }
    let lines = [
      line("batches/s, busiest minute", "simulated") { Figure.quantity($0.batchesPerSecond) },
      line("ranks", "the largest of these") { "\(Figure.grouped($0.ranks)), \($0.ranksLimitedBy)" },
    ]
    return Table(
      head: ["phones"] + rows.map { Figure.quantity($0.phones) } + ["basis"],
      rows: lines + asked + machine + backend, words: [rows.count + 1])
  }

  private var machine: [[String]] {
    [
      line("memory of the ranks", "measured") { Figure.bytes($0.rankMemoryBytes) },
      line("cores of the ranks", isSendingKnown ? "measured" : "sending not measured") {
        $0.rankCores.map(Figure.quantity)
      },
      line("network out of the ranks", "simulated; headers assumed") {
        Figure.bits($0.networkOutBitsPerSecond)
      },
      line("network into the ranks", "assumed") { Figure.bits($0.networkInBitsPerSecond) },
      line("merging at the first rank, cores", "measured") { Figure.quantity($0.reduceCores) },
    ]
  }

  private var backend: [[String]] {
    let core = parts.first { $0.name == "a core of collectors" }
    let hasDatabase = rows.contains { $0.databases != nil }
    return [
      line("collectors", core?.basis.rawValue ?? "—") { $0.collectors.map { Figure.grouped($0) } },
      line("PostgreSQL shards", hasDatabase ? "measured" : "not measured; use --store postgresql") {
        $0.databases.map { Figure.grouped($0) }
      },
      line("  their cores", hasDatabase ? "measured" : "not measured") {
        $0.databaseCores.map { Figure.grouped($0) }
      },
      line("stored a day", "simulated; bytes per batch below") {
        Figure.bytes($0.storageBytesPerDay)
      },
    ]
  }

  private var isSendingKnown: Bool { rows.contains { $0.rankCores != nil } }

  private func basis(of resource: String) -> String {
    switch resource {
    case "network": "simulated; headers assumed"
    case "connections": "simulated; ports assumed"
    case _: "measured"
    }
  }

  private func line(
    _ name: String, _ basis: String, _ text: (GrowthRecord.Row) -> String?
  ) -> [String] {
    [name] + rows.map { text($0) ?? "—" } + [basis]
  }

  private var partTable: Table {
    Table(
      parts, words: [2, 3],
      [
        "part": { $0.name },
        "value": { part in part.value.map { "\(Figure.quantity($0)) \(part.unit)" } },
        "": { $0.value == nil ? "not measured" : $0.basis.rawValue },
        "source": { $0.source },
      ])
  }

  private var instanceSentence: String {
    let one = instance
    return """
      Each rank runs on one \(one.name) instance with \(one.cores) \
      \(one.cores == 1 ? "core" : "cores"), \(Figure.bytes(one.memoryBytes)) and \
      \(Figure.bits(one.networkBits)), planned at \(Figure.percent(plannedShare)) use; choose \
      another with --prices
      """
  }

  var lines: Block {
    var parts = partTable
    parts.head = parts.head.map { _ in "" }
    return .terminal(
      .text("Growth (calculated). \(instanceSentence)."), .list(Self.leftAligned(table)), .gap,
      .text("Inputs:"), .list(Self.leftAligned(parts)), .gap, .text("Not measured:"),
      .list(notMeasured))
  }

  private static func leftAligned(_ table: Table) -> [String] {
    Table(head: table.head, rows: table.rows, words: Set(table.head.indices)).lines
  }

  var section: Block {
    .section(
      "growth", "Growth",
      """
      Resources of fleets of these sizes, calculated from the inputs below. \(instanceSentence).
      """,
      open: table, tables: [.facts("Inputs", partTable)],
      notes: notMeasured.map { "Not measured: \($0)" })
  }
}
