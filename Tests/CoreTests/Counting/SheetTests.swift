@testable import Core
import Foundation
import TestSupport
import Testing

@Suite("A sheet of figures", .quick)
struct SheetTests {
  private static func sheet(_ seed: UInt64) -> Sheet {
    var draw = Draw(seed: seed, phone: 1, .benchLatencies)
    var sheet = Sheet()
    for count in Count.allCases { sheet[count] = Int(draw.logNormal(median: 1_000, sigma: 3)) }
    for name in ["UNAVAILABLE", "ABORTED"] {
      for _ in 0..<(seed + 1) { sheet.count(.statuses, name) }
    }
    return sheet
  }

  @Test("each figure has its own slot, and a line that can be parsed")
  func catalogue() {
    #expect(Count.allCases.map(\.place) == Array(Count.allCases.indices))
    let keys = Count.allCases.compactMap(\.row.key)
    #expect(Set(keys).count == keys.count && keys.contains("errors.retries-withheld"))
    #expect(Count.bytesSent.row.isBytes && !Count.retries.row.isBytes)
    for count in Count.allCases { #expect(count.row.sentence.hasSuffix(".")) }
  }

  @Test("sheets add and subtract figure by figure, and name by name")
  func sums() {
    let (a, b) = (Self.sheet(1), Self.sheet(2))
    var sum = a
    sum += b
    for count in Count.allCases { #expect(sum[count] == a[count] + b[count]) }
    #expect(sum[.statuses] == ["UNAVAILABLE": 5, "ABORTED": 5])
    #expect(sum - b == a && (a - a) == Sheet())
    sum.reset()
    #expect(sum == Sheet())
  }

  @Test("a sheet reads back from JSON, and from columns that are added")
  func travels() throws {
    let (a, b) = (Self.sheet(3), Self.sheet(4))
    #expect(try JSONDecoder().decode(Sheet.self, from: JSONEncoder().encode(a)) == a)
    var (written, columns) = (b, PackedColumns())
    written.pass(&columns)
    var (sum, text) = (a, PackedColumns(adding: columns.bytes))
    sum.pass(&text)
    #expect(text.isRead)
    for count in Count.allCases { #expect(sum[count] == a[count] + b[count]) }
    #expect(sum[.statuses] == ["UNAVAILABLE": 9, "ABORTED": 9])
    for length in columns.bytes.indices {
      var (sheet, cut) = (a, PackedColumns(checking: Array(columns.bytes.prefix(length))))
      sheet.pass(&cut)
      #expect(!cut.isRead && sheet == a)
    }
  }

  @Test("figures of a newer program are ignored")
  func unknown() throws {
    let json = #"{"counts":{"retries":3,"warpsEngaged":9},"named":{"moods":{"blue":1}}}"#
    let sheet = try JSONDecoder().decode(Sheet.self, from: Data(json.utf8))
    #expect(sheet[.retries] == 3 && Count.allCases.reduce(0) { $0 + sheet[$1] } == 3)
  }
}
