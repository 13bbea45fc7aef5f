import TestSupport
import Testing

/// Errors of docc that CI would not find, since it does not run `make docs`.
@Suite("Catalogues", .quick)
struct CatalogueTests {
  @Test("no article has the name of a type of its module, since docc would drop it")
  func names() throws {
    let types = Dictionary(grouping: SourceTree.swiftFiles.filter { !$0.isTest }, by: \.room)
      .mapValues { files in
        let declared = files.flatMap { Declarations($0.lines).topLevel }
        return Set(declared.filter { !$0.isExtension }.map(\.name))
      }
    let articles = try DocumentationPage.all.filter { $0.path.contains(".docc/") && !$0.isIndex }
    #expect(articles.count > 15)
    for article in articles {
      let room = String(article.path.split(separator: "/")[1])
      let known = try #require(types[room], "\(article): no room of this name")
      #expect(!known.contains(article.name), "\(article): \(article.name) is a type of \(room)")
    }
  }

  @Test("only the first page of a catalogue has topics, so that there are no cycles")
  func topics() throws {
    for page in try DocumentationPage.all where !page.isIndex {
      #expect(!page.text.contains("\n## Topics"), "\(page): a list of its own is See Also")
    }
  }
}
