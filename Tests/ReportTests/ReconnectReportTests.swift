import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("Report of a reconnect storm", .quick)
struct ReconnectReportTests {
  @Test("its sentences say when all were served, the handshakes a second, and the CPU time")
  func answer() {
    #expect(
      ReconnectFixture.record.storms.map(ReconnectFixture.record.answer) == [
        """
        Without tickets: 2,000 phones served in 2 s, 1,000 handshakes/s, 0 of 2,000 resumed. CPU \
        time per phone: collector 400 µs, generator 600 µs.
        """,
        """
        With tickets: 2,000 phones served in 2 s, 1,000 handshakes/s, 2,000 of 2,000 resumed. CPU \
        time per phone: collector 400 µs, generator 600 µs.
        """,
      ])
    var stopped = ReconnectFixture.record.storms[0]
    (stopped.served, stopped.servedAfter) = (700, nil)
    #expect(
      ReconnectFixture.record.answer(stopped)
        == "Without tickets: 700 of 2,000 phones served.")
  }

  @Test("both storms are in each of its three pictures, and every stretch in a table")
  func page() throws {
    let html = ReconnectFixture.record.report.html(.none)
    #expect(html.components(separatedBy: "<figure class=\"panel").count == 4)
    #expect(html.contains("without tickets") && html.contains("with tickets"))
    #expect(html.contains("<td>1.5 s</td>"))
  }

  @Test("a record reads back as written")
  func record() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("reconnect-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: folder) }
    try ReconnectFixture.record.json().write(to: folder)
    #expect(try ReconnectRecord.read(from: folder) == ReconnectFixture.record)
  }
}
