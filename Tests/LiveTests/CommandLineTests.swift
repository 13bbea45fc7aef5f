import Foundation
import LiveSupport
import Testing

@Suite("The command line", .timeLimit(.minutes(10)))
struct CommandLineTests {
  @Test("help is on standard output, at every level, with examples")
  func help() async throws {
    for words in [[], ["scenario"], ["scenario", "check"], ["scenario", "show"]] {
      let outcome = try await Program.line("$FLOTILLA \(words.joined(separator: " ")) --help")
      #expect(outcome.code == 0)
      #expect(outcome.text.contains("Usage: flotilla"))
      #expect(outcome.text.contains("Examples:\n  flotilla"))
      #expect(outcome.errorOutput.isEmpty)
    }
  }

  @Test(
    "wrong usage ends with 2 and one line that names the way out",
    arguments: [
      ("", "flotilla needs a command"),
      ("scenarios", "Did you mean 'scenario'?"),
      ("scenario chek", "Did you mean 'check'?"),
      ("scenario show", "flotilla scenario show needs SCENARIO"),
      ("scenario show city town", "does not take 'town'"),
      ("scenario check --phoens 5", "Did you mean '--phones'?"),
      ("scenario check --phones", "--phones needs a value; write --phones N"),
      ("--colour", "flotilla has no option '--colour'"),
    ])
  func usage(words: String, message: String) async throws {
    let outcome = try await Program.line("$FLOTILLA \(words)")
    #expect(outcome.code == 2)
    #expect(outcome.errorOutput.contains(message), "\(outcome.errorOutput)")
    #expect(outcome.errorOutput.split(separator: "\n").count == 1)
    #expect(outcome.text.isEmpty)
  }

  @Test(
    "an invalid scenario ends with 65 and says where",
    arguments: [
      ("city --phones many", "--phones many: fleet.phones: 'many' is not a whole number"),
      ("city --duration 30", "'30' has no unit"),
      ("city --set fleet.phonez=5", "Did you mean 'phones'?"),
      ("city --set fleet.cohorts[0].policy=hybird", "Did you mean 'hybrid'?"),
      ("citty", "Did you mean 'city'?"),
      ("/dev/null", "is not a regular file"),
    ])
  func invalid(words: String, message: String) async throws {
    let outcome = try await Program.line("$FLOTILLA scenario check \(words)")
    #expect(outcome.code == 65)
    #expect(outcome.errorOutput.contains(message), "\(outcome.errorOutput)")
    #expect(outcome.errorOutput.split(separator: "\n").count == 1)
  }

  @Test("check without a name checks every shipped scenario, and all are valid")
  func checkAll() async throws {
    let outcome = try await Program.run(["scenario", "check"])
    #expect(outcome.code == 0)
    #expect(outcome.text.contains("city: valid. 5000 phones"))
    // A policy may do on purpose what needs a word.
    let notes = outcome.errorOutput.split(separator: "\n")
    #expect(notes.allSatisfy { $0.contains(": note: ") }, "\(outcome.errorOutput)")
  }

  @Test("what show prints is a scenario with the same hash, wherever it is put")
  func showReadsBack() async throws {
    let outcome = try await Program.line(
      """
      set -e
      copy=$(mktemp -d)
      trap 'rm -rf "$copy"' EXIT
      $FLOTILLA scenario show city --seed=7 --set push.silentAfter=2h > "$copy/copy.yaml"
      $FLOTILLA scenario check "$copy/copy.yaml" | grep -o 'hash .*'
      $FLOTILLA scenario check city --seed=7 --set push.silentAfter=2h | grep -o 'hash .*'
      """)
    #expect(outcome.code == 0, "\(outcome.errorOutput)")
    let hashes = outcome.text.split(separator: "\n")
    #expect(hashes.count == 2 && hashes.first == hashes.last)
  }

  @Test("a reader that goes away ends the output quietly")
  func closedPipe() async throws {
    let outcome = try await Program.line(
      "{ sleep 0.2; $FLOTILLA scenario show city; echo \"exit $?\" >&2; } | true")
    #expect(outcome.errorOutput == "exit 0\n")
  }

  @Test("list shows each scenario with the question that it answers, and policies and profiles")
  func list() async throws {
    let outcome = try await Program.run(["scenario", "list"])
    #expect(outcome.code == 0)
    let city = outcome.text.split(separator: "\n").first { $0.hasPrefix("city ") }
    #expect(city?.contains("  Can one collector serve a city's morning") == true)
    for head in ["policy hybrid ", "OS profile ios17 ", "energy profile modern2022 "] {
      #expect(outcome.text.contains("\n\(head)"), "\(outcome.text)")
    }
  }

  @Test("list says where it looked for scenarios if there are none")
  func emptyList() async throws {
    let outcome = try await Program.line(
      "folder=$(mktemp -d); cd \"$folder\"; $FLOTILLA scenario list --scenarios \"$folder\"")
    #expect(outcome.code == 0)
    #expect(outcome.text.isEmpty)
    #expect(outcome.errorOutput.hasPrefix("No scenario stands in /"), "\(outcome.errorOutput)")
  }

  @Test("a wrong policy is explained as well as a wrong scenario, used or not")
  func wrongPolicy() async throws {
    let outcome = try await Program.line(
      """
      folder=$(mktemp -d); mkdir "$folder/policies"
      printf 'visits: maybe\nregionRadius: 50m\n' > "$folder/policies/mine.yaml"
      $FLOTILLA scenario check "$folder/policies/mine.yaml"; first=$?
      $FLOTILLA scenario check --scenarios "$folder"; second=$?
      rm -r "$folder"; echo "exits $first $second"
      """)
    #expect(outcome.text.contains("exits 65 65"), "\(outcome.text)")
    let lines = outcome.errorOutput.split(separator: "\n")
    #expect(lines.count == 4, "\(outcome.errorOutput)")
    #expect(lines.count { $0.contains("mine.yaml:1:9: visits: 'maybe' is unknown") } == 2)
    #expect(lines.count { $0.contains("mine.yaml:2:15: regionRadius: '50m'") } == 2)
  }
}
