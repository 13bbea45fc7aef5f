import Foundation
import Testing

@Suite("The command line")
struct CommandLineTests {
  @Test("help is on standard output, at every level, with examples")
  func help() throws {
    for words in [[], ["scenario"], ["scenario", "check"], ["scenario", "show"]] {
      let outcome = try Shell.line("$FLOTILLA \(words.joined(separator: " ")) --help")
      #expect(outcome.exit == 0)
      #expect(outcome.output.contains("Usage: flotilla"))
      #expect(outcome.output.contains("Examples:\n  flotilla"))
      #expect(outcome.errors.isEmpty)
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
  func usage(words: String, complaint: String) throws {
    let outcome = try Shell.line("$FLOTILLA \(words)")
    #expect(outcome.exit == 2)
    #expect(outcome.errors.contains(complaint), "\(outcome.errors)")
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(outcome.output.isEmpty)
  }

  @Test(
    "an invalid scenario ends with 65 and says where",
    arguments: [
      ("city --phones many", "--set fleet.phones=many: fleet.phones: 'many' is not a whole number"),
      ("city --duration 30", "'30' has no unit"),
      ("city --set fleet.phonez=5", "Did you mean 'phones'?"),
      ("city --set fleet.cohorts[0].policy=hybird", "Did you mean 'hybrid'?"),
      ("citty", "Did you mean 'city'?"),
      ("/dev/null", "is not a regular file"),
    ])
  func invalid(words: String, complaint: String) throws {
    let outcome = try Shell.line("$FLOTILLA scenario check \(words)")
    #expect(outcome.exit == 65)
    #expect(outcome.errors.contains(complaint), "\(outcome.errors)")
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }

  @Test("check without a name checks every shipped scenario, and all are valid")
  func checkAll() throws {
    let outcome = try Shell.run("scenario", "check")
    #expect(outcome.exit == 0)
    #expect(outcome.output.contains("city: valid. 5000 phones"))
    #expect(outcome.errors.isEmpty)
  }

  @Test("what show prints is a scenario with the same hash, wherever it is put")
  func showReadsBack() throws {
    let outcome = try Shell.line(
      """
      set -e
      copy=$(mktemp -d)
      trap 'rm -rf "$copy"' EXIT
      $FLOTILLA scenario show city --seed=7 --set push.silentAfter=2h > "$copy/copy.yaml"
      $FLOTILLA scenario check "$copy/copy.yaml" | grep -o 'hash .*'
      $FLOTILLA scenario check city --seed=7 --set push.silentAfter=2h | grep -o 'hash .*'
      """)
    #expect(outcome.exit == 0, "\(outcome.errors)")
    let hashes = outcome.output.split(separator: "\n")
    #expect(hashes.count == 2 && hashes.first == hashes.last)
  }

  @Test("a reader that goes away ends the output quietly")
  func closedPipe() throws {
    let outcome = try Shell.line(
      "{ sleep 0.2; $FLOTILLA scenario show city; echo \"exit $?\" >&2; } | true")
    #expect(outcome.errors == "exit 0\n")
  }

  @Test("list shows each scenario with the question that it answers")
  func list() throws {
    let outcome = try Shell.run("scenario", "list")
    #expect(outcome.exit == 0)
    let city = outcome.output.split(separator: "\n").first { $0.hasPrefix("city ") }
    #expect(city?.contains("  Can one collector serve a city's morning") == true)
  }
}
