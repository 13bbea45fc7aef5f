internal import Foundation
internal import TestSupport
internal import Testing
@testable internal import Targets

/// Files that a target names: identities and secrets.
@Suite("Identity files", .quick)
struct IdentityFileTests {
  @Test("a CSV has titles, quotes, line ends of both kinds, and a text for each phone")
  func reads() throws {
    let text = "id,\"the \"\"key\"\"\"\r\n1,\"a,b\"\r\n\r\n2, \"\"\r\n3,x"
    for text in [text, "\u{FEFF}" + text, text.replacing("\r\n", with: "\n")] {
      let (files, name) = try written(text)
      defer { try? FileManager.default.removeItem(atPath: name) }
      let columns = ["id", "the \"key\""].map {
        TargetNames.Column(file: name, title: $0, isSecret: false)
      }
      #expect(try files.identities(columns).columns == [["1", "2", "3"], ["a,b", "", "x"]])
    }
  }

  @Test("a token is the content of its file, whatever editor wrote it")
  func token() throws {
    for text in ["s3cret", "s3cret\n", "\u{FEFF}s3cret\r\n", "\u{FEFF} s3cret"] {
      let (files, name) = try written(text)
      defer { try? FileManager.default.removeItem(atPath: name) }
      #expect(try files.secret(.file(name)) == "s3cret")
    }
    let (files, name) = try written("\u{FEFF}")
    defer { try? FileManager.default.removeItem(atPath: name) }
    #expect(throws: TargetError("\(name) holds no secret: it is empty.")) {
      try files.secret(.file(name))
    }
  }

  /// A target's files, and the path of one with a text.
  private func written(_ text: String) throws -> (files: TargetFiles, name: String) {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).csv")
    try Data(text.utf8).write(to: file)
    return (TargetFiles(of: try readTarget(smallestTarget)), file.path)
  }

  @Test("an error in a file names its row, without the content")
  func refuses() throws {
    func error(_ text: String, _ column: String = "id") -> String {
      do throws(TargetError) {
        _ = try CSVTable(text, name: "f.csv").column(column)
        return ""
      } catch { return error.description }
    }
    #expect(error("") == "f.csv: is empty.")
    #expect(error("id,key\n1\n") == "f.csv: row 2 has 1 fields, the first 2.")
    #expect(error("ids\n1") == "f.csv: has no column 'id'; it has ids. Did you mean 'ids'?")
    #expect(error("id\n\"s3cret\r\nX: y\"") == "f.csv: row 2 has a control character in 'id'.")
    let latin = FileManager.default.temporaryDirectory
      .appendingPathComponent("flotilla-\(UUID().uuidString).csv")
    defer { try? FileManager.default.removeItem(at: latin) }
    try Data([0x69, 0x64, 0x0A, 0xE4, 0x0A]).write(to: latin)
    let column = TargetNames.Column(file: latin.path, title: "id", isSecret: false)
    #expect(throws: TargetError("\(latin.path): is not UTF-8 text.")) {
      try TargetFiles(of: try readTarget(smallestTarget)).identities([column])
    }
  }

  @Test("a phone beyond the last row has no identity")
  func rows() {
    let identities = PhoneIdentities(columns: [["a", "b"], ["c", "d"]])
    #expect(identities.phones == 2 && identities.row(of: 1) == ["b", "d"])
    #expect(identities.row(of: 2).isEmpty)
    #expect(PhoneIdentities(columns: []).phones == nil)
  }

  @Test("a missing secret is named by its place")
  func missing() throws {
    let files = TargetFiles(of: try readTarget(smallestTarget))
    #expect(throws: TargetError.self) {
      try files.secret(.environment("FLOTILLA_NO_SUCH_SECRET"))
    }
    #expect(throws: TargetError.self) { try files.secret(.file("no-such-file")) }
  }
}
