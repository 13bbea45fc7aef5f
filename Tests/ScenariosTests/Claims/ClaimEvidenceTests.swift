internal import TestSupport
internal import Testing

@testable internal import Scenarios

@Suite("Evidence for claims", .quick)
struct ClaimEvidenceTests {
  @Test("evidence is the predictions that held in the newest record, of all that were made")
  func evidence() throws {
    let claims = try shipped.claims().filter { $0.area == .push }
    let predicted = claims.filter { $0.kind == .predict }.map(\.id)
    let fitted = try #require(claims.first { $0.kind != .predict }).id
    try #require(predicted.count > 4)
    func line(_ id: String, _ verdict: String, _ commit: String, _ seeds: String = "main") -> String
    {
      "2026-11-22,\(commit),\(seeds),\(id),predict,1,1,1,\(verdict)"
    }
    let file = [
      "date,commit,seeds,id,kind,value,low,high,verdict",
      line(predicted[0], "short", "a"), line(predicted[0], "pass", "b"),
      line(predicted[1], "pass", "a"), line(predicted[1], "edge", "b"),
      line(predicted[2] + "/x", "pass", "b"), line(predicted[2] + "/y", "short", "b"),
      // One case less than in the calibration before.
      line(predicted[3] + "/x", "short", "a"), line(predicted[3], "pass", "b"),
      line(predicted[4], "pass", "b", "other"), line(fitted, "pass", "b"),
    ].joined(separator: "\n")
    let evidence = ClaimEvidence.read(claims, in: file)
    #expect(
      evidence == [ClaimEvidence(area: .push, held: 2, made: predicted.count)])
  }
}
