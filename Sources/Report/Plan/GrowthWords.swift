internal import Capacity
internal import Figures

/// What fleets of several sizes take, as a table: a line a quantity, a column a size.
struct GrowthWords {
  private let growth: GrowthRecord

  init(_ growth: GrowthRecord) { self.growth = growth }

  /// Names the columns: the quantity, the sizes, and what its line rests on.
  var head: [String] {
    ["phones"] + growth.rows.map { Figure.quantity($0.phones) } + ["rests on"]
  }

  var rows: [[String]] {
    let resources = Set(growth.rows.flatMap(\.ranksByResource.keys)).sorted()
    let asked = resources.map { name in
      line("  \(name) asks for", basis(of: name)) { row in
        row.ranksByResource[name].map { Figure.grouped($0) }
      }
    }
    return [
      line("batches/s, busiest minute", "simulated") { Figure.quantity($0.batchesPerSecond) },
      line("ranks", "the most of these") { "\(Figure.grouped($0.ranks)), \($0.ranksLimitedBy)" },
    ] + asked + machine + backend
  }

  private var machine: [[String]] {
    [
      line("memory of the ranks", "measured") { Figure.bytes(Int($0.rankMemoryBytes)) },
      line("cores of the ranks", isSendingKnown ? "measured" : "sending not measured") {
        $0.rankCores.map(Figure.quantity)
      },
      line("network, out of the ranks", "simulated; headers assumed") {
        Figure.bits($0.networkOutBitsPerSecond)
      },
      line("network, into the ranks", "assumed") { Figure.bits($0.networkInBitsPerSecond) },
      line("adding seconds at the first, cores", "measured") { Figure.quantity($0.reduceCores) },
    ]
  }

  private var backend: [[String]] {
    let core = growth.parts.first { $0.name == "a core of collectors" }
    let hasDatabase = growth.rows.contains { $0.databases != nil }
    return [
      line("collectors", core?.basis.rawValue ?? "—") { $0.collectors.map { Figure.grouped($0) } },
      line("PostgreSQL shards", hasDatabase ? "measured" : "not measured: --store postgresql") {
        $0.databases.map { Figure.grouped($0) }
      },
      line("  cores of theirs", hasDatabase ? "measured" : "not measured") {
        $0.databaseCores.map { Figure.grouped($0) }
      },
      line("stored a day", "simulated; a batch's bytes as below") {
        Figure.bytes(Int($0.storageBytesPerDay))
      },
    ]
  }

  private var isSendingKnown: Bool { growth.rows.contains { $0.rankCores != nil } }

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
    [name] + growth.rows.map { text($0) ?? "—" } + [basis]
  }

  /// Rows of the numbers behind the table.
  var parts: [[String]] {
    growth.parts.map { part in
      [
        part.name, part.value.map { "\(Figure.quantity($0)) \(part.unit)" } ?? "—",
        part.value == nil ? "not measured" : part.basis.rawValue, part.source,
      ]
    }
  }

  static let partsHead = ["part", "value", "", "where it comes from"]

  /// Says what an instance is and how much of it is planned with.
  var instance: String {
    let one = growth.instance
    return """
      A rank has an instance of \(one.name) to itself, with \(one.cores) \
      \(one.cores == 1 ? "core" : "cores"), \(Figure.bytes(Int(one.memoryBytes))) and \
      \(Figure.bits(one.networkBits)), of which \(Figure.percent(growth.plannedShare)) are planned \
      with; --prices names another
      """
  }

  // MARK: The terminal

  var lines: [String] {
    ["Growth on paper. \(instance)."] + Self.columns([head] + rows)
      + ["", "From these parts:"] + Self.columns(parts)
      + ["", "Not measured:"] + growth.notMeasured.map { "  \($0)" }
  }

  private static func columns(_ rows: [[String]]) -> [String] {
    let widths = (rows.first ?? []).indices.map { column in
      rows.map { $0[column].count }.max() ?? 0
    }
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      return "  " + cells.joined(separator: "  ").trimmed
    }
  }

  // MARK: The page

  func html(_ page: Page) -> HTML {
    page.section(
      "growth", "Growth on paper",
      """
      What fleets of these sizes take, by arithmetic from parts of which each says whether it was \
      measured. \(instance).
      """,
      open: Table(head: head, rows: rows, words: [head.count - 1]),
      tables: [
        .facts(
          "The parts as a table", Table(head: Self.partsHead, rows: parts, words: [2, 3]))
      ],
      notes: growth.notMeasured.map { "Not measured. \($0)" })
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
