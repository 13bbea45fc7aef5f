import Scenarios
import Testing

@testable import Commands

@Suite("The words of a command line", .timeLimit(.minutes(10)))
struct ArgumentParserTests {
  struct Options: Equatable {
    var isQuiet = false
    var scenario = ScenarioOptions()
    var address: HostAndPort?
  }

  static func parse(_ words: String...) throws(UsageError) -> Options {
    let parser = ArgumentParser<Options>(
      options: [.flag("--quiet", \.isQuiet, "Say nothing.")] + Option.scenario(\.scenario),
      positionals: [.scenario(\.scenario)], command: "flotilla load")
    return try parser.parse(words, into: Options())
  }

  @Test("a value stands after its option, or behind an equals sign")
  func values() throws {
    let apart = try Self.parse("city", "--seed", "7")
    #expect(apart == (try Self.parse("--seed=7", "city")))
    #expect(apart.scenario.settings.map(\.text) == ["seed=7"])
  }

  @Test("words after two dashes are arguments")
  func dashes() throws {
    #expect(try Self.parse("--", "--quiet").scenario.name == "--quiet")
  }

  @Test("an option that is nearly right is answered with the right one")
  func hint() {
    let error = #expect(throws: UsageError.self) { try Self.parse("city", "--quite") }
    #expect(error?.description.contains("--quiet") == true)
  }

  @Test("a value that is missing, superfluous or unexpected is told of")
  func faults() {
    #expect(throws: UsageError.missingValue(option: "--seed", placeholder: "N")) {
      try Self.parse("city", "--seed")
    }
    #expect(throws: UsageError.unexpectedValue(option: "--quiet")) {
      try Self.parse("city", "--quiet=yes")
    }
    #expect(throws: UsageError.missingArgument("SCENARIO", of: "flotilla load")) {
      try Self.parse("--quiet")
    }
    #expect(throws: UsageError.unexpectedArgument("town", of: "flotilla load")) {
      try Self.parse("city", "town")
    }
  }

  @Test("numbers of phones may be round", arguments: [("300k", "300000"), ("1.5M", "1500000")])
  func roundNumbers(text: String, digits: String) {
    #expect(RoundCount.digits(text) == digits)
  }

  @Test("a list of names has no gap and no name twice")
  func names() throws {
    #expect(try ScenarioOptions.names("a, b", of: "--policies") == ["a", "b"])
    for list in ["a,,b", "a,b,a", ""] {
      let error = #expect(throws: CommandError.self) {
        try ScenarioOptions.names(list, of: "--policies")
      }
      #expect(error?.exit == .usage && error?.message.hasPrefix("--policies: '") == true)
    }
  }

  @Test("an address of IPv6 stands in brackets")
  func addresses() {
    #expect(HostAndPort("[::1]:7070") == HostAndPort(host: "::1", port: 7_070))
    #expect(HostAndPort("::1:7070") == nil)
    #expect(HostAndPort("127.0.0.1") == nil)
  }
}

@Suite("How a command ends", .timeLimit(.minutes(10)))
struct CommandEndTests {
  struct Nothing {}

  static func ending(_ failure: (any Error)?) -> Command {
    let leaf = Command(
      "scenario", "Does what it is told.", options: [], examples: [], start: Nothing()
    ) { (_: Nothing, _) in
      if let failure { throw failure }
      return .pass
    }
    return Command("program", "Ends.", [leaf], examples: [])
  }

  static let console: Console = {
    let console = Console()
    console.closeErrors()
    return console
  }()

  @Test("a failure of a command is its exit code")
  func codes() {
    #expect(Self.ending(nil).end(["scenario"], Self.console) == .pass)
    let bad = Self.ending(CommandError(exit: .badInput, message: "no"))
    #expect(bad.end(["scenario"], Self.console) == .badInput)
  }

  @Test("a wrong command line is usage, and is told of beforehand")
  func usage() {
    var isAnnounced = false
    #expect(Self.ending(nil).end(["scenery"], Self.console) { isAnnounced = true } == .usage)
    #expect(isAnnounced)
  }
}
