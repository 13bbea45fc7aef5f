internal import Core
internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("YAML within bounds", .quick)
struct YAMLTests {
  @Test(
    "unsupported YAML is refused at its place",
    arguments: [
      ("a: &x 1\nb: *x", "test.yaml:1:4: an anchor (&)"),
      ("a: *x", "test.yaml:1:4: an alias (*)"),
      ("a: !!str 1", "test.yaml:1:4: a tag (!)"),
      ("? [a]\n: 1", "test.yaml:1:3: a key must be a plain word"),
      ("a: 1\n---\nb: 2", "test.yaml:2:1: a second document"),
      ("a: [1", "not YAML"),
      ("a: 1\n\tb: 2", "not YAML"),
      ("", "is empty"),
      ("# nothing\n", "is empty"),
      ("- a", "there is a list"),
      ("word", "there is 'word'"),
    ])
  func refused(text: String, message: String) throws {
    let found = diagnostics(in: text)
    #expect(found.contains { $0.contains(message) }, "\(found)")
  }

  @Test("a key given twice is a mistake that names the first place")
  func duplicateKeys() {
    let found = diagnostics(in: smallest + "seed: 1\nseed: 2\n")
    #expect(found == ["test.yaml:8:1: 'seed' is already set at test.yaml:7:1; keep one."])
  }

  @Test("nesting is cut off at its bound, however deep the file goes")
  func depth() {
    let nested = String(repeating: "[", count: 400_000)
    #expect(diagnostics(in: "a: \(nested)").contains { $0.contains("nested more than 32 levels") })
  }

  @Test("a file that is too large, not text, not a file or missing is refused by its name")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "flotilla-\(ProcessInfo.processInfo.processIdentifier)-yaml")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let library = ScenarioLibrary(folders: [folder.path])
    func message(about name: String) -> String {
      do throws(ScenarioError) {
        _ = try library.load(name)
        return ""
      } catch {
        return error.description
      }
    }
    // A sparse file: its size is 2 GB, its blocks are none.
    let huge = folder.appendingPathComponent("huge.yaml").path
    #expect(FileManager.default.createFile(atPath: huge, contents: nil))
    #expect(truncate(huge, 2 << 30) == 0)
    #expect(message(about: "huge").contains("has 2147483648 bytes; a scenario has at most"))
    let latin = folder.appendingPathComponent("latin.yaml")
    try Data([0x61, 0x3A, 0x20, 0xE4]).write(to: latin)
    #expect(message(about: "latin").contains("is not UTF-8"))
    #expect(message(about: folder.path + "/").contains("is not a regular file"))
    #expect(message(about: "/dev/zero").contains("is not a regular file"))
    #expect(message(about: "./no.yaml").contains("No such file"))
    #expect(message(about: "hug").contains("Did you mean 'huge'?"))
  }

  @Test("a byte order mark and line ends of other systems change neither scenario nor policy")
  func marks() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "flotilla-\(UUID().uuidString)")
    let policies = folder.appendingPathComponent("policies")
    try FileManager.default.createDirectory(at: policies, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let city = try shipped.load("city")
    let scenario = """
      scenario: marked
      fleet:
        cohorts: [{ name: all, share: 100%, mobility: commuter, policy: own }]

      """
    let policy = city.text(ofPolicy: 0).replacing(city.policies[0].name, with: "own")
    var hashes: Set<UInt64> = []
    for (mark, end) in [
      ("", "\n"), ("\u{FEFF}", "\n"), ("", "\r\n"), ("\u{FEFF}", "\r\n"), ("", "\r"),
    ] {
      for (file, text) in [("marked.yaml", scenario), ("policies/own.yaml", policy)] {
        try Data((mark + text.replacing("\n", with: end)).utf8)
          .write(to: folder.appendingPathComponent(file))
      }
      hashes.insert(try ScenarioLibrary(folders: [folder.path]).load("marked").hash)
    }
    #expect(hashes.count == 1)
  }

  @Test("a damaged scenario is explained or read, and then its text reads back")
  func damage() throws {
    let city = try shipped.load("city").text
    let letters = Array("{}[]:,-#&*!|>'\"%@\n\t 0a~\u{E9}")
    for round in 0..<300 {
      var draw = Draw(seed: 7, phone: 0, Purpose(rawValue: 0), Int64(round))
      var text = Array(city)
      for _ in 0..<Int.random(in: 1...4, using: &draw) {
        let at = Int.random(in: 0..<text.count, using: &draw)
        switch Int.random(in: 0..<3, using: &draw) {
        case 0: text.remove(at: at)
        case 1: text[at] = letters[Int.random(in: 0..<letters.count, using: &draw)]
        default: text.removeSubrange(at..<min(text.count, at + 40))
        }
      }
      do throws(ScenarioError) {
        let scenario = try read(String(text))
        #expect(try read(scenario.text) == scenario)
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }
}
