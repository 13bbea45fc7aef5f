internal import Foundation
internal import Testing

/// The house speaks the field's words; `Words.md` says what each means.
@Suite("Words", .timeLimit(.minutes(10)))
struct WordTests {
  /// Every page of documentation and every scenario.
  private static let pages: [SourceTree.File] = {
    let root = SourceTree.root.path
    return ["Sources", "scenarios", "proto", "README.md"].flatMap { top -> [SourceTree.File] in
      let below = FileManager.default.enumerator(atPath: "\(root)/\(top)")?.allObjects
      let paths = (below as? [String])?.map { "\(top)/\($0)" } ?? []
      return (paths.isEmpty ? [top] : paths).filter {
        $0.hasSuffix(".md") || $0.hasSuffix(".yaml")
      }.compactMap { path in
        guard !path.hasSuffix("/Words.md"), let text = try? SourceTree.text(path) else {
          return nil
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return SourceTree.File(path: path, lines: lines)
      }
    }
  }()

  private static let sources = SourceTree.swiftFiles.filter { $0.room != "TidyTests" }

  @Test("no sentence and no name holds a private word")
  func everywhere() {
    let banned = Self.table(BannedWord.everywhere)
    #expect(Self.pages.count > 30)
    for file in Self.sources + Self.pages {
      for (index, line) in file.lines.enumerated() {
        for part in Words.components(of: line) {
          guard let instead = banned[part] else { continue }
          Issue.record("\(file):\(index + 1): '\(part)'; write \(instead)")
        }
      }
    }
  }

  @Test("no name of code holds a private word, in any room")
  func names() {
    let banned = Self.table(BannedWord.everywhere + BannedWord.inNames)
    for file in Self.sources {
      for (index, line) in file.lines.enumerated() where !Self.isProse(line) {
        for name in Words.names(in: Words.code(line)) where !BannedWord.keys.contains(name) {
          for part in Words.parts(name) {
            guard let instead = banned[part] else { continue }
            Issue.record("\(file):\(index + 1): '\(name)'; write \(instead)")
          }
        }
      }
    }
  }

  @Test("the name of every type of error ends in Error")
  func errors() {
    var count = 0
    for file in Self.sources {
      for (index, line) in file.lines.enumerated() {
        guard let name = Self.errorType(in: line) else { continue }
        count += 1
        if !name.hasSuffix("Error") {
          Issue.record("\(file):\(index + 1): \(name) is an error; its name ends in Error")
        }
      }
    }
    #expect(count > 30)
  }

  @Test("words are found in names, and only whole")
  func found() {
    #expect(
      Words.components(of: "let URLStranger = aDeed_of(stranger)") == [
        "let", "urlstranger", "a", "deed", "of", "stranger",
      ])
    #expect(Words.components(of: "indeed trailing") == ["indeed", "trailing"])
    #expect(Words.code("let a = \"told \\\" you\" + b // heard") == "let a = \" + b /")
    #expect(Self.errorType(in: "package enum PlanFault: Error, Sendable {") == "PlanFault")
    #expect(Self.errorType(in: "func run<Failure: Error>() {}") == nil)
  }

  private static func table(_ words: [BannedWord]) -> [String: String] {
    Dictionary(uniqueKeysWithValues: words.map { ($0.word, $0.instead) })
  }

  /// The inner lines of a text of several lines look like sentences: no symbol but punctuation.
  private static func isProse(_ line: Substring) -> Bool {
    !line.contains { "(){}[]=:<>&|.".contains($0) && $0 != "." && $0 != ":" }
      && line.drop { $0 == " " }.split(separator: " ").count > 4
  }

  private static func errorType(in line: Substring) -> Substring? {
    // Few lines hold the word, and an expression is parsed anew for each that is asked.
    guard line.contains("Error"),
      let match = line.firstMatch(of: #/(?:struct|enum|class) (\w+): ([^{]*)/#)
    else { return nil }
    let bases = match.2.split { !$0.isLetter && $0 != "." }
    return bases.contains("Error") ? match.1 : nil
  }
}
