internal import Foundation
internal import TestSupport
internal import Testing

@Suite("House rules", .quick)
struct TidyTests {
  static let topLevel: Set<String> = [
    "Package.swift", "Sources", "Tests", "proto", "scenarios", "Makefile", "README.md",
  ]
  /// Created by runs; never checked in.
  static let ignored: Set<String> = ["runs"]

  @Test("the repository has files")
  func filesAreFound() {
    #expect(SourceTree.swiftFiles.count > 50)
  }

  @Test("the name of every error type ends in Error")
  func errors() {
    var count = 0
    for file in SourceTree.swiftFiles {
      // Checks for the word first, since parsing each line is slow.
      for (index, line) in file.lines.enumerated() where line.contains("Error") {
        guard let match = line.firstMatch(of: #/(?:struct|enum|class) (\w+): ([^{]*)/#),
          match.2.split(whereSeparator: { !$0.isLetter && $0 != "." }).contains("Error")
        else { continue }
        count += 1
        if !match.1.hasSuffix("Error") {
          Issue.record("\(file):\(index + 1): \(match.1) is an error; its name ends in Error")
        }
      }
    }
    #expect(count > 30)
  }

  /// Files with their bytes: few contain a token, and searching bytes is fast.
  private static let files = SourceTree.swiftFiles.filter {
    !$0.path.hasPrefix("Tests/TidyTests/")
  }.map { ($0, Data($0.lines.joined(separator: "\n").utf8)) }

  @Test("no line has a banned token", arguments: BannedToken.all)
  func bannedToken(_ banned: BannedToken) {
    let token = Data(banned.token.utf8)
    for (file, bytes) in Self.files where bytes.range(of: token) != nil {
      for (index, line) in file.lines.enumerated() where banned.isBroken(by: line, in: file) {
        Issue.record("\(file):\(index + 1): '\(banned.token)'; write \(banned.instead)")
      }
    }
  }

  @Test("banned tokens match code, not longer names")
  func bannedTokensAreExact() throws {
    let file = SourceTree.File(path: "Sources/Phone/Phone.swift", lines: [])
    let date = try #require(BannedToken.all.first { $0.token == "Date(" })
    #expect(date.isBroken(by: "let now = Date()", in: file))
    #expect(!date.isBroken(by: "cancelUpdate(now)", in: file))
    let random = try #require(BannedToken.all.first { $0.token == ".random(" })
    #expect(random.isBroken(by: "Int.random(in: 0..<2)", in: file))
    #expect(!random.isBroken(by: "Int.random(in: 0..<2, using: &draw)", in: file))
    let sleep = try #require(BannedToken.all.first { $0.token == "sleep(" })
    #expect(sleep.isBroken(by: "Thread.sleep(forTimeInterval: 1)", in: file))
    #expect(!sleep.isBroken(by: "connection.run(\"SELECT pg_sleep(1)\")", in: file))
    let test = SourceTree.File(path: "Tests/PhoneTests/PhoneTests.swift", lines: [])
    #expect(!sleep.isBroken(by: "sleep(1)", in: test))
  }

  @Test("every import has an access level")
  func imports() {
    for file in SourceTree.swiftFiles where !file.isTest {
      for (index, line) in file.lines.enumerated()
      where line.hasPrefix("import ") || line.hasPrefix("@testable ") {
        Issue.record("\(file):\(index + 1): bare import; write internal, package or public import")
      }
    }
  }

  @Test("the top level has only known folders and dotfiles")
  func topLevel() throws {
    let names = Set(try SourceTree.names(in: "").filter { !$0.hasPrefix(".") })
    #expect(names.subtracting(Self.topLevel).subtracting(Self.ignored).isEmpty)
  }
}
