import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("The command line", .quick)
struct CommandLineTests {
  @Test(
    "every command has help with examples",
    arguments: [
      "", "load", "collect", "simulate", "scenario", "scenario check", "scenario show",
      "scenario list",
    ])
  func help(command: String) async throws {
    let words = command.split(separator: " ").map(String.init)
    let ended = await flotilla(words + ["--help"])
    #expect(ended.code == 0)
    #expect(ended.errorOutput.isEmpty)
    let examples = try #require(ended.text.components(separatedBy: "\nExamples:\n").last)
    #expect(examples.contains((["  flotilla"] + words).joined(separator: " ")))
    #expect(ended.text.contains("Usage: flotilla"))
  }

  @Test("the output of `scenario show` is the same scenario")
  func changedReadsBack() async throws {
    let folder = try TemporaryFolder()
    let shown = await flotilla(["scenario", "show", "city", "--phones", "321"])
    #expect(shown.code == 0)
    try shown.output.write(to: folder["city.yaml"])
    let again = await flotilla(["scenario", "show", folder["city.yaml"].path])
    #expect(again.text == shown.text)
    let hash = try await hash(["city", "--phones", "321"])
    #expect(try await self.hash([folder["city.yaml"].path]) == hash)
    #expect(try await self.hash(["city"]) != hash)
  }

  @Test(
    "wrong usage exits with 2 and one line that suggests a fix",
    arguments: [
      ("", "flotilla requires a command"),
      ("scenarios", "Did you mean 'scenario'?"),
      ("scenario chek", "Did you mean 'check'?"),
      ("scenario show", "flotilla scenario show requires SCENARIO"),
      ("scenario show city town", "does not take 'town'"),
      ("scenario check --phoens 5", "Did you mean '--phones'?"),
      ("scenario check --phones", "--phones requires a value: --phones N"),
      ("--colour", "flotilla has no option '--colour'"),
    ])
  func usage(words: String, message: String) async throws {
    let outcome = await flotilla(words)
    #expect(outcome.code == 2)
    #expect(outcome.errorOutput.contains(message), "\(outcome.errorOutput)")
    #expect(outcome.errorOutput.split(separator: "\n").count == 1)
    #expect(outcome.text.isEmpty)
  }

  @Test(
    "an invalid scenario exits with 65 and the position of the error",
    arguments: [
      ("city --phones many", "--phones many: fleet.phones: 'many' is not a whole number"),
      ("city --duration 30", "'30' has no unit"),
      ("city --set fleet.phonez=5", "Did you mean 'phones'?"),
      ("city --set fleet.cohorts[0].policy=hybird", "Did you mean 'hybrid'?"),
      ("citty", "Did you mean 'city'?"),
      ("/dev/null", "is not a regular file"),
    ])
  func invalid(words: String, message: String) async throws {
    let outcome = await flotilla("scenario check \(words)")
    #expect(outcome.code == 65)
    #expect(outcome.errorOutput.contains(message), "\(outcome.errorOutput)")
    #expect(outcome.errorOutput.split(separator: "\n").count == 1)
  }

  @Test("check without a name checks all shipped scenarios, and all are valid")
  func checkAll() async throws {
    let outcome = await flotilla(["scenario", "check"])
    #expect(outcome.code == 0)
    #expect(outcome.text.contains("city: valid. 5000 phones"))
    // A valid policy may have notes.
    let notes = outcome.errorOutput.split(separator: "\n")
    #expect(notes.allSatisfy { $0.contains(": note: ") }, "\(outcome.errorOutput)")
  }

  @Test("the output of show has the same hash, in any folder")
  func showReadsBack() async throws {
    let folder = try TemporaryFolder()
    let city = ["city", "--seed=7", "--set", "push.silentAfter=2h"]
    let shown = await flotilla(["scenario", "show"] + city)
    #expect(shown.code == 0, "\(shown.errorOutput)")
    try shown.output.write(to: folder["copy.yaml"])
    #expect(try await hash([folder["copy.yaml"].path]) == hash(city))
  }

  @Test("list prints scenarios with their questions, policies and profiles")
  func list() async throws {
    let outcome = await flotilla(["scenario", "list"])
    #expect(outcome.code == 0)
    let city = outcome.text.split(separator: "\n").first { $0.hasPrefix("city ") }
    #expect(city?.contains("  Can one collector serve a city's morning") == true)
    for head in ["policy hybrid ", "OS profile ios17 ", "energy profile modern2022 "] {
      #expect(outcome.text.contains("\n\(head)"), "\(outcome.text)")
    }
  }

  @Test("list prints the searched folder if there are no scenarios")
  func emptyList() async throws {
    let folder = try TemporaryFolder()
    let outcome = await flotilla("scenario list --scenarios \(folder.url.path)")
    #expect(outcome.code == 0)
    #expect(outcome.text.isEmpty)
    #expect(outcome.errorOutput.hasPrefix("No scenarios in /"), "\(outcome.errorOutput)")
  }

  @Test("errors in a policy are reported even if no scenario uses it")
  func wrongPolicy() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder["policies"], withIntermediateDirectories: true)
    let policy = folder["policies/mine.yaml"]
    try Data("visits: maybe\nregionRadius: 50m\n".utf8).write(to: policy)
    for words in [policy.path, "--scenarios \(folder.url.path)"] {
      let outcome = await flotilla("scenario check \(words)")
      #expect(outcome.code == 65)
      let lines = outcome.errorOutput.split(separator: "\n")
      #expect(lines.count == 2, "\(outcome.errorOutput)")
      #expect(lines.count { $0.contains("mine.yaml:1:9: visits: 'maybe' is unknown") } == 1)
      #expect(lines.count { $0.contains("mine.yaml:2:15: regionRadius: '50m'") } == 1)
    }
  }

  private func hash(_ arguments: [String]) async throws -> Substring {
    let ended = await flotilla(["scenario", "check"] + arguments)
    #expect(ended.code == 0, "\(ended.errorOutput)")
    return try #require(ended.text.firstRange(of: ", hash ").map { ended.text[$0.upperBound...] })
  }
}
