import Testing
import TestSupport

@Suite("Tests with third-party tools", .quick)
struct OracleTests {
  private static let absent = Oracle(name: "augur", advice: "read the birds") { nil }

  @Test("a missing oracle skips a test, but fails it in CI")
  func absence() throws {
    #expect(try !OracleRule.mayRun(Self.absent, isCI: false))
    let error = #expect(throws: MissingOracleError.self) {
      try OracleRule.mayRun(Self.absent, isCI: true)
    }
    #expect(error?.description == "augur is missing: read the birds; CI has to have it")
  }

  @Test("an installed oracle is used", arguments: [true, false])
  func presence(isCI: Bool) throws {
    #expect(try OracleRule.mayRun(.tool("sh"), isCI: isCI))
  }

  @Test(
    "CI sets its variable",
    arguments: [
      ([:], false), (["CI": "true"], true), (["FLOTILLA_CI": "1"], true), (["CI": "false"], false),
      (["CI": ""], false), (["FLOTILLA_CI": "0"], false),
    ] as [([String: String], Bool)])
  func environment(variables: [String: String], isCI: Bool) {
    #expect(Machine.isCI(variables) == isCI)
  }

  /// Otherwise CI would silently skip a test.
  @Test("no test has its own condition or returns early if a tool is missing")
  func traits() {
    for file in SourceTree.swiftFiles where file.isTest && file.room != "TestSupport" {
      for (index, line) in file.lines.enumerated()
      where line.contains(".enabled(") && !file.path.hasSuffix("TidyTests/OracleTests.swift") {
        Issue.record("\(file):\(index + 1): write .needs(an oracle) or .needsData(…)")
      }
    }
  }

  /// Servers, browsers and other languages, which are slow.
  private static let strangers = [
    "postgreSQL", "nginx", "haproxy", "mosquitto", "mosquittoClients", "mpirun", "prometheus",
    "chromium", "tidy", "grpcio", "grpcGo", "grpcJava", "aioapns", "firebaseAdmin", "homeAssistant",
    "git", "selenium", "websockets", "tmpfs", "tmux", "strace",
  ]

  @Test("unit tests start no external tools")
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
