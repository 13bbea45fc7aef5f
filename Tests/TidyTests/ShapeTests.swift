import Testing

/// How large what one has to keep in mind may grow.
@Suite("Sizes of folders and functions", .timeLimit(.minutes(10)))
struct ShapeTests {
  static let filesInAFolderMax = 20
  static let functionLinesMax = 60

  static var sources: [SourceTree.File] { SourceTree.swiftFiles.filter { !$0.isTest } }

  @Test("a folder has twenty Swift files at most")
  func folders() {
    let folders = Dictionary(grouping: Self.sources) { file in
      file.path.split(separator: "/").dropLast().joined(separator: "/")
    }
    for (folder, files) in folders where files.count > Self.filesInAFolderMax {
      Issue.record("\(folder) has \(files.count) Swift files; make folders by what they do")
    }
  }

  @Test("a function has sixty lines at most")
  func functions() {
    for file in Self.sources {
      for body in Declarations(file.lines).bodies where body.lines > Self.functionLinesMax {
        Issue.record("\(file):\(body.line): \(body.lines) lines of \(body.head)")
      }
    }
  }

  // MARK: The eyes themselves

  private static let sample = """
    import A

    /// A thing.
    package struct Thing: Sendable {
      var a: Int { 1 }
      var b: Int {
        2
      }
      func one() -> Int { 1 }
      package static func two(
        _ a: Int, c: (Int) -> Int = { $0 }
      ) -> Int {
        switch a {
        case 1: 1
        case _: 2
        }
      }
      init?<T>(
        _ t: T
      )
      where T: Sendable {
        nil
      }
    }

    protocol Named {
      func name() -> String
      func other(
        _ a: Int
      ) -> Int
      var x: Int { get }
    }

    extension Thing.Part {
      func three() {
      }
    }
    """.split(separator: "\n", omittingEmptySubsequences: false)

  @Test("declarations are found by their lines")
  func declarations() {
    let found = Declarations(Self.sample)
    #expect(
      found.topLevel == [
        .init(name: "Thing", isExtension: false, lines: 21),
        .init(name: "Named", isExtension: false, lines: 7),
        .init(name: "Thing", isExtension: true, lines: 4),
      ])
    #expect(found.bodies.map(\.line) == [6, 10, 18, 35])
    #expect(found.bodies.map(\.lines) == [3, 8, 6, 2])
  }
}
