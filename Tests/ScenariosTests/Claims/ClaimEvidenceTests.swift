internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Evidence for claims", .quick)
struct ClaimEvidenceTests {
  static func interval(_ id: String, pit: Double, width: Double = 4) -> ClaimInterval {
    ClaimInterval(
      id: id, value: 10, quantiles: [5, 8, 10, 12, 5 * width], pit: pit, isReached: true,
      commit: "abc")
  }

  @Test("evidence is the predictions in their 90 % intervals; bounds and fits do not count")
  func evidence() throws {
    let claims = try shipped.claims()
    let push = claims.filter { $0.area == .push }
    let scored = push.filter(\.isScored).map(\.id)
    let energy = try #require(claims.first { $0.area == .energy && $0.isScored }).id
    let fit = try #require(push.first { $0.kind != .predict }).id
    let bound = try #require(
      push.first { $0.kind == .predict && $0.observation.of == .bound }
    ).id
    try #require(scored.count > 3)
    let intervals = [
      Self.interval(scored[0], pit: 0.04), Self.interval(scored[1], pit: 0.05, width: 2),
      Self.interval(scored[2], pit: 0.951), Self.interval(energy, pit: 0.5, width: 3),
      Self.interval(fit, pit: 0.5), Self.interval(bound, pit: 0.5),
    ]
    let evidence = try #require(ClaimEvidence(claims, intervals))
    #expect(evidence.all == .init(contained: 2, made: 4) && evidence.width == 3.5)
    #expect(
      evidence.line == """
        90 % intervals contained 2 of 4 published figures (50 %), a factor of 3.5 wide; energy 1 of \
        1, push 1 of 3
        """)
    #expect(ClaimEvidence(claims, [Self.interval(fit, pit: 0.5)]) == nil)
  }

  @Test("a line of the file is read as it was written")
  func line() throws {
    let interval = ClaimInterval(
      id: "A-x", value: 0.5, quantiles: [0.25, 0.5, 1, 2, 1_234.56], pit: 0.125, isReached: false,
      commit: "1a2b3c4d5+")
    #expect(interval.line == "A-x,0.5,0.25,0.5,1,2,1234.6,0.125,no,1a2b3c4d5+")
    let read = try #require(ClaimInterval(interval.line[...]))
    #expect(read.id == "A-x" && read.quantiles[4] == 1_234.6 && !read.isReached)
    #expect(read.line == interval.line)
    #expect(ClaimInterval(ClaimInterval.header[...]) == nil)
    #expect(ClaimInterval("A-x,0.5,0.25,0.5,1,2,nan,0.125,no,1a2b3c4d5+") == nil)
  }

  @Test("a folder without recorded intervals has no evidence")
  func absent() throws {
    #expect(try ClaimEvidence.read(ScenarioLibrary(folders: [])) == nil)
  }
}
