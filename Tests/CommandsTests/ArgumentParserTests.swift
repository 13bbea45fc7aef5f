import Core
import Foundation
import Scenarios
import TestSupport
import Testing

@testable import Commands

@Suite("The words of a command line", .quick)
struct ArgumentParserTests {
  struct Options: Equatable {
    var isQuiet = false
    var scenario = ScenarioOptions()
    var address: Endpoint?
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
    #expect(Endpoint("[::1]:7070") == Endpoint(host: "::1", port: 7_070))
    #expect(Endpoint("::1:7070") == nil)
    #expect(Endpoint("127.0.0.1") == nil)
  }
}

@Suite("How a command ends", .quick)
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

@Suite("Options that are keys now", .quick)
struct MovedOptionTests {
  private static var options: [Option<ScenarioOptions>] {
    Option.movedOfRuns + Option.movedOfLoad
  }
  private static let keys = ScenarioLibrary.keys(of: .scenario).map(\.path)

  private static func refusal(_ words: String...) -> String? {
    let parser = ArgumentParser<ScenarioOptions>(
      options: Option.scenario(\.self) + options, positionals: [.scenario(\.self)],
      command: "flotilla load")
    let error = #expect(throws: UsageError.self) { try parser.parse(words, into: .init()) }
    return error?.description
  }

  @Test("each names a key that exists, with the value it was given", arguments: 0..<24)
  func refused(number: Int) throws {
    let option = Self.options[number]
    let key = try #require(option.key)
    let (words, value) =
      option.placeholder == nil ? (["city", option.name], "") : (["city", option.name, "v"], "v")
    let parser = ArgumentParser<ScenarioOptions>(
      options: Self.options, positionals: [.scenario(\.self)], command: "flotilla load")
    let error = #expect(throws: UsageError.self) { try parser.parse(words, into: .init()) }
    #expect(
      error?.description == "flotilla load: \(option.name) is a key now: --set \(key)\(value)")
    for setting in key.components(separatedBy: " --set ") {
      #expect(Self.keys.contains(String(setting.prefix { $0 != "=" })), "\(setting)")
    }
  }

  @Test("a value that a shell would part is in quotes")
  func quoted() {
    #expect(
      Self.refusal("city", "--push-ca=a b")
        == "flotilla load: --push-ca is a key now: --set pushEndpoint.ca='a b'")
  }

  @Test("no old name is offered for a slip of the pen")
  func hints() {
    #expect(Self.refusal("city", "--push-topc")?.contains("--push-topic") == false)
  }

  @Test("of two dozen none is left out")
  func count() { #expect(Set(Self.options.map(\.name)).count == 24) }
}
