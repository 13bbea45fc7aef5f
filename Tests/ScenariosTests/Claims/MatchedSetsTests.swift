internal import Foundation
internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Matched sets", .quick)
struct MatchedSetsTests {
  static let text = """
    set,commit,push.phone.budgetPerDay,fleet.phone.offline
    1,abc,20,1%
    2,abc,30,2%
    3,abc,40,3%
    4,abc,50,4%

    """

  @Test("fewer sets are spread evenly over the file, more repeat it")
  func values() throws {
    let sets = try #require(MatchedSets(Self.text))
    #expect(sets.count == 4)
    #expect(sets.values(of: "fleet.phone.offline", sets: 2) == ["1%", "3%"])
    #expect(
      sets.values(of: "push.phone.budgetPerDay", sets: 6) == ["20", "30", "40", "50", "20", "30"])
    #expect(sets.values(of: "fleet.phone.airplane", sets: 2) == nil)
  }

  @Test(
    "a file without sets, of another kind, or cut in a line has none",
    arguments: [
      "", "set,commit,fleet.phone.offline\n", "id,value\nA,1\n", "set,commit\n1,abc\n",
      String(text.dropLast(5)),
    ])
  func refused(_ text: String) {
    #expect(MatchedSets(text) == nil)
  }

  @Test("the digits follow each value")
  func digits() throws {
    let sets = try #require(MatchedSets(Self.text))
    let other = try #require(MatchedSets(Self.text.replacing("3%", with: "5%")))
    #expect(sets.digits == MatchedSets(Self.text)?.digits && sets.digits != other.digits)
    #expect(sets.count == other.count)
  }

  @Test("a library without recorded sets has none")
  func absent() throws {
    #expect(try MatchedSets.read(ScenarioLibrary(folders: [])) == nil)
  }

  @Test("a damaged file is an error that names the file")
  func damaged() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "sets-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let claims = folder.appendingPathComponent("claims")
    try FileManager.default.createDirectory(at: claims, withIntermediateDirectories: true)
    try Data("set,commit\n".utf8).write(to: claims.appendingPathComponent("ensemble.csv"))
    let library = ScenarioLibrary(folders: [folder.path])
    let error = #expect(throws: ScenarioError.self) { try MatchedSets.read(library) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("claims/ensemble.csv"))
  }
}
