import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report

@Suite("Report of a reconnect storm", .quick)
struct ReconnectReportTests {
  static var record: ReconnectRecord {
    var record = ReconnectRecord(phones: 2_000, atOnce: 500, carrier: "grpc", isPinned: true)
    for hasTickets in [false, true] {
      var storm = ReconnectRecord.Storm(hasTickets: hasTickets)
      for number in 1...4 {
        var step = ReconnectRecord.Step(second: Double(number) / 2)
        (step.full, step.resumed) = hasTickets ? (0, 500) : (500, 0)
        step.served = 500 * number
        (step.collectorCores, step.generatorCores) = (0.6, 1)
        storm.steps.append(step)
      }
      (storm.served, storm.servedAfter) = (2_000, 2)
      (storm.collectorSeconds, storm.generatorSeconds) = (0.8, 1.2)
      record.storms.append(storm)
    }
    return record
  }

  @Test("its sentences say when all were served, the handshakes a second, and the CPU time")
  func answer() {
    #expect(
      Self.record.storms.map(Self.record.answer) == [
        """
        Without tickets: 2,000 phones served in 2 s, 1,000 handshakes/s, 0 of 2,000 resumed. CPU \
        time per phone: collector 400 µs, generator 600 µs.
        """,
        """
        With tickets: 2,000 phones served in 2 s, 1,000 handshakes/s, 2,000 of 2,000 resumed. CPU \
        time per phone: collector 400 µs, generator 600 µs.
        """,
      ])
    var stopped = Self.record.storms[0]
    (stopped.served, stopped.servedAfter) = (700, nil)
    #expect(
      Self.record.answer(stopped)
        == "Without tickets: 700 of 2,000 phones served.")
  }

  @Test("both storms are in each of its three pictures, and every stretch in a table")
  func page() throws {
    let html = Self.record.report.html(.none)
    #expect(html.components(separatedBy: "<figure>").count == 4)
    #expect(html.contains("without tickets") && html.contains("with tickets"))
    #expect(html.contains("<td>1.5 s</td>"))
  }

  @Test("a record reads back as written")
  func record() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("reconnect-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.record.json().write(to: folder)
    #expect(try ReconnectRecord.read(from: folder) == Self.record)
  }
}
