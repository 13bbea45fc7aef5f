import Foundation
import LiveSupport
import TestSupport
import Testing

@Suite("The manual and the documentation", .quick)
struct ManualTests {
  private static func catalogues() throws -> [URL] {
    let sources = Program.root.appendingPathComponent("Sources")
    return try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted()
      .map { sources.appendingPathComponent("\($0)/\($0).docc") }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// `FirstRun` as `first-run`.
  private static func name(_ file: Substring) -> String {
    String(file.replacing(#/[A-Z]/#) { "-\($0.0)" }.lowercased().dropFirst())
  }

  /// All pages by their name on the command line.
  private static func pages() throws -> [String: String] {
    var pages: [String: String] = [:]
    for catalogue in try catalogues() {
      for file in try FileManager.default.contentsOfDirectory(atPath: catalogue.path)
      where file.hasSuffix(".md") {
        let text = try String(
          contentsOf: catalogue.appendingPathComponent(file), encoding: .utf8)
        if text.hasPrefix("# ``") { continue }
        let name = Self.name(file.dropLast(3))
        #expect(pages.updateValue(text, forKey: name) == nil, "two pages are called \(name)")
      }
    }
    return pages
  }

  /// The sorted words of a page, without markup of code and tables.
  private static func words(ofMarkdown text: String) -> [String] {
    var isCode = false
    let lines = text.replacing(#/<!--.*?-->/#, with: "").split(separator: "\n").compactMap {
      line -> String? in
      if line.hasPrefix("```") {
        isCode.toggle()
        return nil
      }
      if isCode { return String(line) }
      if line.wholeMatch(of: #/\|[-:| ]+\|/#) != nil { return nil }
      return String(line).replacing(#/<doc:([A-Za-z]+)>/#) { match in
        "`flotilla manual \(name(match.1))`"
      }
    }
    return lines.flatMap { $0.split(whereSeparator: \.isWhitespace).map(String.init) }.sorted()
  }

  private static func words(ofText text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map(String.init).sorted()
  }

  @Test("the list has every page with its first sentence")
  func list() async throws {
    let ended = await flotilla(["manual", "--list"])
    let names = ended.text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
    let pages = try Self.pages()
    #expect(names == pages.keys.sorted())
    #expect(names.count > 25)
    #expect(ended.text.contains(#/first-run +From a fresh machine/#))
  }

  @Test("a printed page has exactly the words of its file")
  func printed() async throws {
    for (name, text) in try Self.pages() {
      let ended = await flotilla(["manual", name])
      #expect(ended.code == 0 && ended.errorOutput.isEmpty, "\(name): \(ended.errorOutput)")
      let printed = Self.words(ofText: ended.text)
      let written = Self.words(ofMarkdown: text)
      let difference = printed.difference(from: written)
      #expect(difference.isEmpty, "\(name): \(difference.prefix(8))")
    }
  }

  @Test("in a pipe, a page has no escapes, unchanged code and 80 columns")
  func piped() async throws {
    let ended = await flotilla(["manual", "first-run"])
    #expect(!ended.output.contains(0x1B))
    #expect(ended.text.contains("\n    make load SCENARIO=city\n"))
    for line in ended.text.split(separator: "\n") where !line.hasPrefix("    ") {
      #expect(line.count <= 80, "\(line)")
    }
  }

  @Test(
    "reference pages match the program; `make figures` updates them",
    arguments: [
      ("commands", "flotilla"), ("scenario-keys", "Scenarios"), ("policy-keys", "Scenarios"),
      ("profile-keys", "Scenarios"), ("target-keys", "Targets"),
    ])
  func references(name: String, room: String) async throws {
    let ended = await flotilla(["manual", name, "--format", "markdown"])
    #expect(ended.code == 0 && !ended.text.isEmpty, "\(ended.errorOutput)")
    let pages = try Self.pages()
    let written = try #require(pages[name])
    #expect(ended.text == written, "\(name) is stale: make figures")
  }

  @Test("the page of commands has all options and exit codes")
  func commands() async throws {
    let pages = try Self.pages()
    let page = try #require(pages["commands"])
    for command in ["load", "plan", "scenario show", "manual"] {
      let help = await flotilla(command.split(separator: " ").map(String.init) + ["--help"])
      #expect(page.contains("\n## flotilla \(command)\n"), "\(command)")
      for option in help.text.matches(of: #/\n  (--[a-z-]+)/#) {
        #expect(page.contains("| `\(option.1)"), "\(command) \(option.1)")
      }
    }
    for code in [0, 2, 65, 69, 73, 97, 98, 99, 130] { #expect(page.contains("\n| \(code) | ")) }
  }
}

@Suite("Files for Slurm, Kubernetes and systemd", .quick)
struct DeploymentPageTests {
  @Test(
    "the page shows each file unchanged",
    arguments: [("Run", "SeveralProcesses", 5), ("Collector", "Operating", 3)])
  func shown(room: String, page name: String, count: Int) throws {
    let pages = Program.root.appendingPathComponent("Sources/\(room)/\(room).docc")
    let page = try String(
      contentsOf: pages.appendingPathComponent("\(name).md"), encoding: .utf8)
    let folder = pages.appendingPathComponent("deploy")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.count == count)
    for file in files {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      #expect(page.contains("\n\(text)```\n"), "\(file)")
    }
  }
}

@Suite("The version", .quick)
struct VersionTests {
  @Test("--version, run records, the man page and the changelog have the same version")
  func version() async throws {
    let folder = try TemporaryFolder()
    let ended = await flotilla(["--version"])
    let version = try #require(ended.text.wholeMatch(of: #/flotilla (\d+\.\d+\.\d+)\n/#)?.1)
    let changelog = try String(
      contentsOf: Program.root.appendingPathComponent(
        "Sources/flotilla/flotilla.docc/Changelog.md"), encoding: .utf8)
    let top = try #require(changelog.firstMatch(of: #/\n## (.+)\n/#)?.1)
    #expect(top == version)
    let manual = await flotilla(["manual"])
    #expect(manual.text.hasPrefix(".TH FLOTILLA 1 \"\" \"flotilla \(version)\""))
    let run = await flotilla([
      "simulate", "city", "--phones", "10", "--duration", "30min", "--set", "warmStart=0s",
      "--ui", "none", "--out", folder["run"].path,
    ])
    #expect(run.code == 0 || run.code == 99, "\(run.errorOutput)")
    let record = try RunFiles(folder: folder["run"]).record
    #expect(try record.string("tool.version") == version)
  }
}
