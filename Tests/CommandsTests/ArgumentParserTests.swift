import Core
import Foundation
import Scenarios
import TestSupport
import Testing

@testable import Commands

@Suite("Command line arguments", .quick)
struct ArgumentParserTests {
  struct Options: Equatable {
    var isQuiet = false
    var scenario = ScenarioOptions()
    var address: Endpoint?
  }

  static func parse(_ words: String...) throws(UsageError) -> Options {
    let parser = ArgumentParser<Options>(
      options: [.flag("--quiet", \.isQuiet, "Print nothing.")] + Option.scenario(\.scenario),
      positionals: [.scenario(\.scenario)], command: "flotilla load")
    return try parser.parse(words, into: Options())
  }

  @Test("an option takes its value after a space or an equals sign")
  func values() throws {
    let apart = try Self.parse("city", "--seed", "7")
    #expect(apart == (try Self.parse("--seed=7", "city")))
    #expect(apart.scenario.settings.map(\.text) == ["seed=7"])
  }

  @Test("words after -- are arguments")
  func dashes() throws {
    #expect(try Self.parse("--", "--quiet").scenario.name == "--quiet")
  }

  @Test("the error for a misspelled option suggests the right one")
  func hint() {
    let error = #expect(throws: UsageError.self) { try Self.parse("city", "--quite") }
    #expect(error?.description.contains("--quiet") == true)
  }

  @Test("missing, superfluous and unexpected values are errors")
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

  @Test(
    "numbers of phones accept k and M suffixes",
    arguments: [("300k", "300000"), ("1.5M", "1500000")])
  func roundNumbers(text: String, digits: String) {
    #expect(RoundCount.digits(text) == digits)
  }

  @Test("a list of names has no empty and no repeated name")
  func names() throws {
    #expect(try ScenarioOptions.names("a, b", of: "--policies") == ["a", "b"])
    for list in ["a,,b", "a,b,a", ""] {
      let error = #expect(throws: CommandError.self) {
        try ScenarioOptions.names(list, of: "--policies")
      }
      #expect(error?.exit == .usage && error?.message.hasPrefix("--policies: '") == true)
    }
  }

  @Test("an IPv6 address needs brackets")
  func addresses() {
    #expect(Endpoint("[::1]:7070") == Endpoint(host: "::1", port: 7_070))
    #expect(Endpoint("::1:7070") == nil)
    #expect(Endpoint("127.0.0.1") == nil)
  }
}

@Suite("Options from environment variables", .quick)
struct OptionVariableTests {
  typealias Options = ArgumentParserTests.Options

  private static func parser(_ environment: [String: String]) -> ArgumentParser<Options> {
    ArgumentParser<Options>(
      options: [
        .flag("--quiet", \.isQuiet, "Print nothing."),
        .address("--admin", \.address, "Listen."),
      ] + Option.scenario(\.scenario), positionals: [.scenario(\.scenario)],
      command: "flotilla load", environment: environment)
  }

  private static func parse(
    _ environment: [String: String], _ words: String...
  ) throws(UsageError) -> Options {
    try parser(environment).parse(words + ["city"], into: Options())
  }

  @Test("a variable is its option, and those of other commands are nothing")
  func values() throws {
    let environment = [
      "FLOTILLA_PHONES": "5k", "FLOTILLA_QUIET": "1", "FLOTILLA_ADMIN": "[::1]:9",
      "FLOTILLA_TRIAL": "no number", "FLOTILLA_ROOM": "Commands", "PHONES": "9",
    ]
    let options = try Self.parse(environment)
    #expect(options.scenario.settings.map(\.text) == ["fleet.phones=5000"])
    #expect(options.isQuiet && options.address == Endpoint(host: "::1", port: 9))
    #expect(
      try Self.parser(environment).variables(beside: ["--admin", "[::1]:8", "city"])
        == ["FLOTILLA_QUIET=1", "FLOTILLA_PHONES=5k"])
  }

  @Test("the command line wins, also over an invalid value")
  func precedence() throws {
    let options = try Self.parse(
      ["FLOTILLA_ADMIN": "nowhere", "FLOTILLA_SEED": "1", "FLOTILLA_SET": "seed=2"],
      "--admin", "[::1]:8", "--seed=3", "--set", "seed=4")
    #expect(options.address?.port == 8)
    #expect(options.scenario.settings.map(\.text) == ["seed=3", "seed=4"])
  }

  @Test("each line of a variable is a value, and an empty variable is none")
  func lines() throws {
    let options = try Self.parse([
      "FLOTILLA_SET": "seed=2\r\n\nfleet.phones=7\n", "FLOTILLA_ADMIN": "",
      "FLOTILLA_QUIET": "",
    ])
    #expect(options.scenario.settings.map(\.text) == ["seed=2", "fleet.phones=7"])
    #expect(options.address == nil && !options.isQuiet)
  }

  @Test(
    "a flag is on with 1, true, yes and on",
    arguments: [("1", true), ("TRUE", true), ("on", true), ("0", false), ("no", false)])
  func flags(value: String, isOn: Bool) throws {
    #expect(try Self.parse(["FLOTILLA_QUIET": value]).isQuiet == isOn)
  }

  @Test("errors name the variable")
  func faults() throws {
    for (name, value) in [("FLOTILLA_QUIET", "perhaps"), ("FLOTILLA_ADMIN", "here")] {
      let error = #expect(throws: UsageError.self) { try Self.parse([name: value]) }
      #expect(error?.description.hasPrefix("\(name): '\(value)' is not ") == true)
    }
    let changes = try Self.parse(["FLOTILLA_PHONES": "many", "FLOTILLA_SET": "x=1"])
      .scenario.settings
    #expect(changes.map(\.option) == ["FLOTILLA_PHONES=many", "FLOTILLA_SET=x=1"])
  }
}

@Suite("Exit codes", .quick)
struct CommandEndTests {
  struct Nothing {}

  static func ending(_ failure: (any Error)?) -> Command {
    let leaf = Command(
      "scenario", "Runs.", options: [], examples: [], start: Nothing()
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

  @Test("the error of a command determines the exit code")
  func codes() {
    #expect(Self.ending(nil).end(["scenario"], Self.console) == .pass)
    let bad = Self.ending(CommandError(exit: .badInput, message: "no"))
    #expect(bad.end(["scenario"], Self.console) == .badInput)
  }

  @Test("a wrong command line is a usage error, announced before the message")
  func usage() {
    var isAnnounced = false
    #expect(Self.ending(nil).end(["scenery"], Self.console) { isAnnounced = true } == .usage)
    #expect(isAnnounced)
  }
}

@Suite("Removed options", .quick)
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

  @Test("each error names an existing key, with the given value", arguments: 0..<33)
  func refused(number: Int) throws {
    let option = Self.options[number]
    let key = try #require(option.key)
    let (words, value) =
      option.placeholder == nil ? (["city", option.name], "") : (["city", option.name, "v"], "v")
    let parser = ArgumentParser<ScenarioOptions>(
      options: Self.options, positionals: [.scenario(\.self)], command: "flotilla load")
    let error = #expect(throws: UsageError.self) { try parser.parse(words, into: .init()) }
    #expect(
      error?.description == "flotilla load: \(option.name) was removed; use \(key)\(value)")
    for setting in key.components(separatedBy: "--set ").dropFirst() {
      #expect(Self.keys.contains(String(setting.prefix { $0 != "=" })), "\(setting)")
    }
  }

  @Test("a value with a space is quoted")
  func quoted() {
    #expect(
      Self.refusal("city", "--push-ca=a b")
        == "flotilla load: --push-ca was removed; use --set pushEndpoint.ca='a b'")
  }

  @Test("misspelled options never suggest a removed option")
  func hints() {
    #expect(Self.refusal("city", "--push-topc")?.contains("--push-topic") == false)
  }

  @Test("all 33 removed options are known")
  func count() { #expect(Set(Self.options.map(\.name)).count == 33) }
}
