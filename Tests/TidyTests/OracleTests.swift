import Testing
import TestSupport

@Suite("Tests that ask others", .quick)
struct OracleTests {
  private static let absent = Oracle(name: "augur", advice: "read the birds") { nil }

  @Test("a missing oracle skips a test at home and fails it where CI runs, by its name")
  func absence() throws {
    #expect(try !OracleRule.mayRun(Self.absent, isCI: false))
    let error = #expect(throws: MissingOracleError.self) {
      try OracleRule.mayRun(Self.absent, isCI: true)
    }
    #expect(error?.description == "augur is missing: read the birds; CI has to have it")
  }

  @Test("an oracle that is there is asked", arguments: [true, false])
  func presence(isCI: Bool) throws {
    #expect(try OracleRule.mayRun(.tool("sh"), isCI: isCI))
  }

  @Test(
    "CI says that it is CI",
    arguments: [
      ([:], false), (["CI": "true"], true), (["FLOTILLA_CI": "1"], true), (["CI": "false"], false),
      (["CI": ""], false), (["FLOTILLA_CI": "0"], false),
    ] as [([String: String], Bool)])
  func environment(variables: [String: String], isCI: Bool) {
    #expect(Machine.isCI(variables) == isCI)
  }

  /// Else a test would be skipped that CI believes to have run.
  @Test("no test asks for a condition by itself, and none goes home when a tool is missing")
  func traits() {
    for file in SourceTree.swiftFiles where file.isTest && file.room != "TestSupport" {
      for (index, line) in file.lines.enumerated()
      where line.contains(".enabled(") && !file.path.hasSuffix("TidyTests/OracleTests.swift") {
        Issue.record("\(file):\(index + 1): write .needs(an oracle) or .needsData(…)")
      }
    }
  }

  /// Servers, browsers and other languages: to ask them takes long.
  private static let strangers = [
    "postgreSQL", "nginx", "haproxy", "mosquitto", "mosquittoClients", "mpirun", "prometheus",
    "chromium", "tidy", "grpcio", "grpcGo", "grpcJava", "aioapns", "firebaseAdmin", "homeAssistant",
    "git", "tmpfs", "tmux", "strace",
  ]

  @Test("unit tests ask no stranger that has to be started")
  func units() {
    for file in SourceTree.swiftFiles
    where file.isTest && !["LiveTests", "FlowTests", "TestSupport"].contains(file.room) {
      for (index, line) in file.lines.enumerated() where line.contains(".needs(") {
        for name in Self.strangers where line.contains(".needs(.\(name))") {
          Issue.record("\(file):\(index + 1): a test that needs \(name) belongs in Tests/LiveTests")
        }
      }
    }
  }
}
