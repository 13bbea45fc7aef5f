import Foundation
import TestSupport
import Testing

/// A documentation page or the README, with the base folder of its links.
struct DocumentationPage: CustomStringConvertible {
  let path: String
  let text: String
  var description: String { path }
  var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }

  static var all: [DocumentationPage] {
    get throws {
      try (["README.md", "proto/PROTOCOL.md"] + catalogues).map {
        DocumentationPage(path: $0, text: try SourceTree.text($0))
      }
    }
  }

  private static var catalogues: [String] {
    get throws {
      try SourceTree.names(in: "Sources").sorted().flatMap { room -> [String] in
        let catalogue = "Sources/\(room)/\(room).docc"
        guard let names = try? SourceTree.names(in: catalogue) else { return [] }
        return names.filter { $0.hasSuffix(".md") }.sorted().map { "\(catalogue)/\($0)" }
      }
    }
  }

  /// The targets of its Markdown links below the root, without external addresses.
  var links: [String] {
    text.matches(of: #/\]\(([^)#\s]+)[^)]*\)/#).map { String($0.1) }
      .filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
      .map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
  }

  /// The pages of its `<doc:…>` references and `doc:` links.
  var references: [String] {
    text.matches(of: #/[<(]doc:([^>#)\s]+)/#).map { String($0.1) }
  }

  /// `Rules.md` is `Rules`.
  var name: String { String(path.split(separator: "/").last?.dropLast(3) ?? "") }

  /// The first page of a catalogue, which lists the others.
  var isIndex: Bool { text.hasPrefix("# ``") }
}

@Suite("Documentation", .quick)
struct LinkTests {
  @Test("every link of the README and the pages leads to an existing file")
  func links() throws {
    let root = SourceTree.root
    let pages = try DocumentationPage.all
    #expect(pages.count > 15)
    #expect(pages.flatMap(\.links).count > 15)
    for page in pages {
      for link in page.links {
        let file = root.appendingPathComponent(link).standardizedFileURL
        #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(link) is not there")
      }
    }
  }

  @Test("the README has at most 150 lines, the two commands among the first 40")
  func readme() throws {
    let lines = try SourceTree.text("README.md").split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 151)
    let start = lines.prefix(40)
    #expect(start.contains { $0.hasPrefix("make load SCENARIO=city") })
    #expect(start.contains { $0.hasPrefix("make test") })
  }

  @Test("every reference of a page leads to a page of its catalogue, as docc requires")
  func references() throws {
    let pages = try DocumentationPage.all
    #expect(pages.flatMap(\.references).count > 25)
    for page in pages {
      let known = Set(pages.filter { $0.folder == page.folder }.map(\.name))
      let dead = page.references.filter { !known.contains($0) }
      #expect(dead.isEmpty, "\(page) refers to \(dead.joined(separator: ", "))")
    }
  }

  @Test("the first page of a catalogue lists all others")
  func topics() throws {
    let pages = try DocumentationPage.all.filter { $0.path.contains(".docc/") }
    for (folder, pages) in Dictionary(grouping: pages, by: \.folder) {
      let first = pages.first(where: \.isIndex)
      let index = try #require(first, "\(folder) has no first page")
      let missing = Set(pages.filter { !$0.isIndex }.map(\.name)).subtracting(index.references)
      #expect(missing.isEmpty, "\(index) does not list \(missing.sorted())")
    }
  }

  @Test("every rule on a page is in the rule catalogue")
  func rules() throws {
    let known = Set(CataloguedRule.all.map(\.id))
    let families = Set(CataloguedRule.all.map(\.family))
    for page in try DocumentationPage.all {
      let unknown = RuleCatalogueTests.rules(in: page.text).filter {
        families.contains(RuleCatalogueTests.family(of: $0)) && !known.contains($0)
      }
      #expect(unknown.isEmpty, "\(page) names \(unknown.sorted().joined(separator: ", "))")
    }
  }

  @Test("pictures are small, and all are used")
  func pictures() throws {
    let pages = try DocumentationPage.all
    let shown = Set(pages.flatMap(\.links).filter { $0.hasSuffix(".png") })
    let files = try Set(pages.map(\.folder)).filter { $0.hasSuffix(".docc") }.flatMap { folder in
      try SourceTree.names(in: folder).filter { $0.hasSuffix(".png") }.map { "\(folder)/\($0)" }
    }
    #expect(Set(files) == shown)
    for file in files {
      let data = try Data(contentsOf: SourceTree.root.appendingPathComponent(file))
      #expect(data.count <= 150_000, "\(file) has \(data.count) bytes")
    }
  }
}
