import Foundation
import TestSupport
import Testing
@testable import Core
@testable import Figures

@Suite("Read-back figures of a target", .quick)
struct ReadbackFiguresTests {
  private func target(
    _ change: (inout TargetFigures.Readback) -> Void = { _ in }
  ) -> TargetFigures {
    var target = TargetFigures(
      name: "acme", address: "http://127.0.0.1:1", carrier: "http", client: "acme 1")
    target.fixes.stored = 3_069
    var readback = TargetFigures.Readback()
    change(&readback)
    target.readback = readback
    return target
  }

  @Test("a read-back that fails for every phone verifies nothing, and says why")
  func unread() {
    let target = target {
      for _ in 0..<20 { $0.note(unread: "404") }
      $0.note(unread: "timed out")
    }
    #expect(
      target.sureness == "Not verified: the read-back found 0 of 3,069 stored fixes.")
    #expect(
      target.readback?.doubts(of: "acme") == [
        "21 of 21 phones could not be read back from acme: 404 (20), timed out (1)."
      ])
    #expect(!target.knowsLosses)
  }

  @Test("unreadable rows leave a doubt only where fixes may be among them")
  func unreadable() {
    func figures(_ fixes: Int) -> TargetFigures {
      target {
        $0.phones = 1
        $0.confirmed = 3_069 - fixes
        $0.unreadable = .init(rows: 9, fixes: fixes, example: "{\"at\":\"x\"}: /at is no time")
      }
    }
    #expect(figures(9).sureness.hasPrefix("Not verified: the read-back found 3,060 of 3,069"))
    #expect(
      figures(9).readback?.doubts(of: "acme").first?.contains(
        "9 rows from acme cannot be parsed and may contain 9 stored fixes. "
          + "Example: {\"at\":\"x\"}: /at is no time.") == true)
    #expect(figures(0).sureness.hasPrefix("Verified by read-back: 3,069 of 3,069"))
    #expect(figures(0).knowsLosses)
  }

  @Test("missing fixes are known, whatever else could not be read")
  func missing() {
    let target = target {
      $0.note(unread: "404")
      $0.phones = 1
      $0.missing = 5
    }
    #expect(target.knowsLosses && target.sureness.hasPrefix("Acknowledged but missing: 5 fixes"))
  }

  @Test("unacknowledged fixes are sent, not stored, and their loss is unknown")
  func unacknowledged() {
    var target = target()
    target.readback = nil
    target.acknowledges = false
    #expect(target.sureness.hasPrefix("Sent, not acknowledged: 3,069 fixes were written to acme"))
    #expect(target.sureness.hasSuffix("Not verified."))
    #expect(target.storedLabel == "sent, not acknowledged" && !target.knowsLosses)
  }

  @Test("figures of phones are added, and an older record is read")
  func sums() throws {
    var sum = TargetFigures.Readback()
    for (meters, rows) in [(40.0, 2), (12, 3)] {
      var one = TargetFigures.Readback()
      var displaced = TargetFigures.Displaced()
      displaced.note(elsewhere: meters)
      displaced.example = "\(meters)"
      one.displaced = displaced
      one.unreadable = .init(rows: rows, fixes: rows - 2, example: "\(rows)")
      one.unasked = 1
      sum.merge(one)
    }
    #expect(sum.displaced?.metersMin == 12 && sum.displaced?.metersMax == 40)
    #expect(sum.displaced?.example == "40.0" && sum.displaced?.count == 2)
    #expect(sum.unreadable == .init(rows: 5, fixes: 1, example: "3") && sum.unasked == 2)
    let old = """
      {"phones":2,"unread":1,"confirmed":3,"missing":4,"twice":5,"heldUnknown":6,
      "phonesMissing":[7]}
      """
    let read = try JSONDecoder().decode(TargetFigures.Readback.self, from: Data(old.utf8))
    #expect(read.confirmed == 3 && read.unreadable == nil && read.displaced == nil)
  }
}
