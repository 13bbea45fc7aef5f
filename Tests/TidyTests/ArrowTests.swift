internal import TestSupport
internal import Testing

/// The allowed imports of each module, in two documents and in the code.
@Suite("Imports between modules", .quick)
struct ArrowTests {
  /// `Room(name: "Wire", mayImport: ["SimulationCore", …], …)`, however it is broken into lines;
  /// the other imports of its tests are not included.
  static func manifestArrows() throws -> [String: Set<String>] {
    let text = try SourceTree.text("Package.swift")
    var arrows: [String: Set<String>] = [:]
    for piece in text.components(after: "Room(") {
      guard let body = piece.firstRange(of: "]").map({ piece[..<$0.lowerBound] }) else { continue }
      let words = body.quotedWords
      guard let name = words.first, body.contains("name:") else { continue }
      arrows[name] = Set(words.dropFirst())
    }
    return arrows
  }

  /// Rows such as `| Wire | bytes in, bytes out | SimulationCore, Telemetry |`.
  static func tableArrows() throws -> [String: Set<String>] {
    var arrows: [String: Set<String>] = [:]
    let page = try SourceTree.text("Sources/flotilla/flotilla.docc/Design.md")
    for line in page.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { cell in
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
          .filter { $0.offset % 2 == 1 }.map { String($0.element) }
      }
      guard cells.count >= 3, let name = cells[0].first else { continue }
      arrows[name] = Set(cells[2])
    }
    return arrows
  }

  @Test("Package.swift matches the table of modules")
  func documentsAgree() throws {
    let manifest = try Self.manifestArrows()
    let table = try Self.tableArrows()
    #expect(manifest.count >= 5)
    for (room, expected) in manifest {
      #expect(table[room]?.sorted() == expected.sorted(), "Design.md's row of \(room)")
    }
    let unknown = Set(table.keys).subtracting(manifest.keys)
    #expect(unknown.isEmpty, "Design.md has rows of rooms that do not exist")
  }

  @Test("a module imports only what Package.swift allows, and the toolchain")
  func codeAgrees() throws {
    let manifest = try Self.manifestArrows()
    let own = Set(try SourceTree.names(in: "Sources"))
    for file in SourceTree.swiftFiles where !file.isTest {
      guard let allowed = manifest[file.room] else { continue }
      for (index, line) in file.lines.enumerated() {
        let words = line.split(separator: " ")
        guard let at = words.firstIndex(of: "import"), at <= 2, words.count > at + 1 else {
          continue
        }
        let module = String(words[at + 1])
        if own.contains(module), module != file.room, !allowed.contains(module) {
          Issue.record("\(file):\(index + 1): \(file.room) may not import \(module)")
        }
      }
    }
  }

  @Test("imports have no cycle")
  func noCircles() throws {
    var open = try Self.manifestArrows()
    while let free = open.first(where: { $0.value.isDisjoint(with: open.keys) })?.key {
      open[free] = nil
    }
    #expect(open.isEmpty, "these rooms import each other: \(open.keys.sorted())")
  }

  @Test("the command line imports no C module")
  func commandLineHasNoC() {
    for file in SourceTree.swiftFiles where BannedToken.programs.contains(file.room) {
      for line in file.lines {
        let module = line.split(separator: " ").drop { $0 != "import" }.dropFirst().first ?? ""
        // C modules are called CZstd, CUV and so on; Collector is a room.
        if module.first == "C", module.dropFirst().first?.isUppercase == true {
          Issue.record("\(file): \(line)")
        }
      }
    }
  }
}

extension String {
  /// The pieces that follow each occurrence of `mark`.
  fileprivate func components(after mark: String) -> [Substring] {
    ranges(of: mark).map { self[$0.upperBound...] }
  }
}

extension Substring {
  /// The words between double quotes, in order.
  fileprivate var quotedWords: [String] {
    split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}
