import Core
import Figures
import TestSupport
import Testing
@testable import Report

@Suite("Bytes on the wire", .quick)
struct TrafficSectionTests {
  @Test("savings by compression are in a table by kind of message")
  func saved() {
    let table = RunSections.saved([
      .init(kind: "upload", messages: 44, plainBytes: 8_000, bytes: 6_000),
      .init(kind: "restore", messages: 1, plainBytes: 36_000, bytes: 9_000),
      .init(kind: "pushes", messages: 1, plainBytes: 0, bytes: 0),
    ])
    #expect(table.rows.map { $0[0] } == ["upload (payloads)", "restore", "pushes"])
    #expect(table.rows.map { $0[4] } == ["25.0 %", "75.0 %", "0.0 %"])
    #expect(table.rows[1][1] == "1")
  }
}
