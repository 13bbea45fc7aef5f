internal import Foundation
internal import Testing

@testable internal import Targets

/// Files that a target names: identities and secrets.
@Suite("Files of identities", .timeLimit(.minutes(10)))
struct IdentityFileTests {
  @Test("a CSV has titles, quotes, line ends of both kinds, and a text for each phone")
  func reads() throws {
    let table = try CSVTable("id,\"the \"\"key\"\"\"\r\n1,\"a,b\"\n\n2,\"\"\n3,x", name: "f.csv")
    #expect(try table.column("id") == ["1", "2", "3"])
    #expect(try table.column("the \"key\"") == ["a,b", "", "x"])
  }

  @Test("what is wrong with a file is said with its row, and without what stands there")
  func refuses() throws {
    func error(_ text: String, _ column: String = "id") -> String {
      do throws(TargetFileError) {
        _ = try CSVTable(text, name: "f.csv").column(column)
        return ""
      } catch { return error.description }
    }
    #expect(error("") == "f.csv: is empty.")
    #expect(error("id,key\n1\n") == "f.csv: row 2 has 1 fields, the first 2.")
    #expect(error("ids\n1") == "f.csv: has no column 'id'; it has ids. Did you mean 'ids'?")
    #expect(error("id\n\"s3cret\r\nX: y\"") == "f.csv: row 2 has a control character in 'id'.")
  }

  @Test("a phone beyond the last row has no identity")
  func rows() {
    let identities = PhoneIdentities(columns: [["a", "b"], ["c", "d"]])
    #expect(identities.phones == 2 && identities.row(of: 1) == ["b", "d"])
    #expect(identities.row(of: 2).isEmpty)
    #expect(PhoneIdentities(columns: []).phones == nil)
  }

  @Test("a secret that is not there is named by its place")
  func missing() throws {
    let files = TargetFiles(of: try readTarget(smallestTarget))
    #expect(throws: TargetFileError.self) {
      try files.secret(.environment("FLOTILLA_NO_SUCH_SECRET"))
    }
    #expect(throws: TargetFileError.self) { try files.secret(.file("no-such-file")) }
  }
}
