import Foundation
import Testing

/// A page of the documentation, or the README, with the folder that its links start from.
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

  /// Where its Markdown links lead, below the root; addresses elsewhere are left out.
  var links: [String] {
    text.matches(of: #/\]\(([^)#\s]+)[^)]*\)/#).map { String($0.1) }
      .filter { !$0.contains("://") && !$0.hasPrefix("mailto:") }
      .map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
  }
}

@Suite("Documentation", .timeLimit(.minutes(10)))
struct LinkTests {
  @Test("every link of the README and of the pages leads to a file that is there")
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
}
