internal import Foundation
internal import TestSupport
import Testing
@testable internal import Capacity

extension LogReader {
  /// A log made of texts, one per file.
  static func log(
    _ files: String..., columns: String? = nil, epoch: LogEpoch? = nil, skipsBadLines: Bool = false,
    chunk: Int = 1 << 16
  ) throws -> PhoneLog {
    var reader = LogReader(
      try columns.map { try ColumnMapping($0) } ?? ColumnMapping(), epoch: epoch,
      skipsBadLines: skipsBadLines)
    for (number, text) in files.enumerated() {
      reader.begin("log\(number + 1).csv")
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        try reader.take(Array(rest.prefix(chunk)))
        rest = rest.dropFirst(chunk)
      }
      try reader.end()
    }
    return try reader.finish()
  }
}

@Suite("A log's columns and rows", .quick)
struct LogReaderTests {
  private static let day: Int64 = 1_772_434_800_000_000  // 2026-03-02T07:00Z

  private func message(_ body: () throws -> PhoneLog) -> String {
    do {
      _ = try body()
      return ""
    } catch let error as LogError {
      return error.description
    } catch {
      return "\(error)"
    }
  }

  @Test("the CSV of flotilla export is read by its header")
  func exported() throws {
    let log = try LogReader.log(
      """
      phone,epoch,sequence,time,latitude,longitude,accuracy_m,speed_mps,course_deg,received\r
      17,1,1,2026-03-02T07:00:00.25Z,52.520000,13.405000,12,,,2026-03-02T07:00:03.00Z\r
      17,1,1,2026-03-02T07:01:00.00Z,52.520100,13.405000,65,1.2,90,2026-03-02T07:00:03.00Z\r
      """)
    #expect(log.phones == ["17"])
    #expect(log.columns == [.phone, .time, .received, .latitude, .longitude, .accuracy])
    #expect(log.rows.map(\.time) == [Self.day + 250_000, Self.day + 60_000_000])
    #expect(log.rows[0].received == Self.day + 3_000_000)
    #expect(log.rows.map(\.accuracy) == [12, 65])
    #expect(log.counts.receivedEarly == 1)
  }

  @Test(
    "headers of other servers are recognised",
    arguments: [
      "deviceId;fixTime;serverTime;latitude;longitude;accuracy;battery",
      "Device ID\tFix Time\tReceived At\tLat\tLng\tHorizontal Accuracy\tBatt",
      "\u{FEFF}tid|tst|created_at|lat|lon|acc|batt",
    ])
  func otherHeaders(_ header: String) throws {
    let separator = header.first { ";\t|".contains($0) }.map(String.init) ?? ","
    let row = ["a", "1772434800", "1772434801500", "52,5", "13.4", "5.5", "0.75"]
      .joined(separator: separator)
    let log = try LogReader.log("\(header)\n\(row)\n")
    #expect(log.columns.count == 7)
    #expect(log.rows[0].time == Self.day)
    #expect(log.rows[0].received == Self.day + 1_500_000)
    #expect(log.rows[0].latitude == 52.5)
    #expect(log.rows[0].accuracy == 5.5)
    #expect(log.rows[0].battery == 0.75)
  }

  @Test(
    "a time is ISO 8601 or Unix time in s, ms, µs or ns",
    arguments: [
      "2026-03-02T07:00:00Z", "2026-03-02 08:00:00+01:00", "2026-03-02T07:00:00.000", "1772434800",
      "1772434800.0", "1772434800000", "1772434800000000", "1772434800000000000",
      " \"2026-03-02T07:00:00Z\"",
    ])
  func times(_ text: String) throws {
    let text = text.trimmingCharacters(in: .whitespaces)
    #expect(try LogReader.log("phone,time\na,\(text)\n").rows[0].time == Self.day)
  }

  @Test("quotes, doubled quotes and line breaks within them follow RFC 4180")
  func quotes() throws {
    let log = try LogReader.log(
      "phone,note,time\n\"a,\"\"b\"\"\",\"two\nlines\",1772434800\nc\"d,,1772434860\n")
    #expect(log.phones == ["a,\"b\"", "c\"d"])
    #expect(log.rows.count == 2)
  }

  @Test("lines end with LF, CR LF or CR, and blank lines are ignored")
  func lineEnds() throws {
    for end in ["\n", "\r\n", "\r", "\n\n"] {
      let log = try LogReader.log(
        ["phone,time", "a,1772434800", "a,1772434860"].joined(separator: end))
      #expect(log.rows.count == 2, "\(end.debugDescription)")
    }
  }

  @Test("the chunk size does not change what is read from a file", arguments: [1, 2, 7, 64])
  func chunks(_ size: Int) throws {
    let text = "phone,time,accuracy\r\n\"a\"\"\",1772434800,5\r\nb,2026-03-02T07:00:00Z,\"6\"\r\n"
    let whole = try LogReader.log(text)
    let cut = try LogReader.log(text, chunk: size)
    #expect(cut.rows == whole.rows)
    #expect(cut.phones == whole.phones)
  }

  @Test("columns are named by --columns, by header or by number; a file may have no header")
  func mapping() throws {
    let named = try LogReader.log("who,when\na,1772434800\n", columns: "phone=who,time=when")
    #expect(named.phones == ["a"])
    let bare = try LogReader.log("a,x,1772434800\nb,y,1772434860\n", columns: "phone=1,time=3")
    #expect(bare.phones == ["a", "b"])
    let titled = try LogReader.log(
      "Trip 7,Tampa\na,x,1772434800\n", columns: "phone=1,time=3")
    #expect(titled.phones == ["a"])
  }

  @Test("a log without a phone column has one phone for each file")
  func files() throws {
    let log = try LogReader.log("time\n1772434800\n", "time\n1772434860\n")
    #expect(log.phones == ["log1.csv", "log2.csv"])
  }

  @Test("rows are sorted by time; duplicates are counted, and the first is kept")
  func order() throws {
    let log = try LogReader.log(
      """
      phone,time,received
      a,1772434860,1772434870
      a,1772434800,1772434870
      a,1772434860,1772434865

      """)
    #expect(log.rows.map(\.time) == [Self.day, Self.day + 60_000_000])
    #expect(log.rows[1].received == Self.day + 65_000_000)
    #expect(log.counts.duplicates == 1)
    #expect(log.counts.outOfOrder == 1)
  }

  @Test("values that phones report as unknown, -1 and empty, are unknown")
  func unknown() throws {
    let log = try LogReader.log("phone,time,accuracy,battery\na,1772434800,-1,\n")
    #expect(log.rows[0].accuracy.isNaN)
    #expect(log.rows[0].battery.isNaN)
  }

  @Test(
    "an error names the bad row's file and line, and what is allowed",
    arguments: [
      ("a,yesterday,5", "log1.csv:2: time: 'yesterday' is not ISO 8601"),
      ("a,,5", "log1.csv:2: time is empty; write ISO 8601"),
      ("a,2200-01-01T00:00:00Z,5", "in the years 1970 to 2199"),
      ("a,1772434800", "log1.csv:2: has 2 of 3 columns"),
      ("a,1772434800,good", "accuracy: 'good' is not metres"),
      (",1772434800,5", "phone is empty"),
    ])
  func badRow(row: String, says: String) {
    let text = message { try LogReader.log("phone,time,accuracy\n\(row)\nb,1772434800,5\n") }
    #expect(text.contains(says), "\(text)")
    #expect(text.contains("--skip-bad-lines"))
  }

  @Test("bad lines are counted and skipped on request, but not if all are bad")
  func skipped() throws {
    let bad = (0..<30).map { "a,no\($0)\n" }.joined()
    let log = try LogReader.log("phone,time\n\(bad)a,1772434800\n", skipsBadLines: true)
    #expect(log.counts.skipped == 30)
    #expect(log.rows.count == 1)
    let text = message { try LogReader.log("phone,time\n\(bad)") }
    #expect(text.contains("… and 10 more lines"))
    #expect(!message { try LogReader.log("phone,time\n\(bad)", skipsBadLines: true) }.isEmpty)
  }

  @Test(
    "a file that is not a log is refused by its kind",
    arguments: [
      ("", "log1.csv: is empty"), ("\n\n", "log1.csv: is empty"),
      ("phone,time\n", "has a header and no rows"),
      ("phone,latitude\na,5\n", "no column has the time of the fix; the header has 'phone'"),
      ("\u{1F}\u{8B}", "time"), ("PK\u{3}\u{4}x", "is a ZIP archive"),
      ("SQLite format 3\u{0}", "flotilla export"), ("a\u{0}b\n", "zero bytes"),
      ("phone,time\n\"a,1772434800\n", "a quote is not closed"),
    ])
  func refused(text: String, says: String) {
    let text = message { try LogReader.log(text) }
    #expect(text.contains(says), "\(text)")
  }

  @Test(
    "an error about --columns names what is allowed",
    arguments: [
      ("phone", "is not COLUMN=HEADER"), ("speed=2", "'speed' is not a column of a log"),
      ("time=0", "counted from 1"), ("time=1,time=2", "is given twice"),
      ("time=clock", "the header has no 'clock'"), ("time=7", "the header has 2 columns"),
    ])
  func wrongColumns(columns: String, says: String) {
    let text = message {
      try LogReader.log("phone,when\na,1772434800\n", columns: "\(columns),phone=phone")
    }
    let alone = message { try LogReader.log("phone,when\na,1772434800\n", columns: columns) }
    #expect(text.contains(says) || alone.contains(says), "\(text) \(alone)")
  }

  @Test("100,000 lines are read as a stream")
  func many() throws {
    let blocks = Large.count(100, large: 1_000)
    var reader = LogReader()
    reader.begin("big.csv")
    try reader.take(Array("phone,time,received,latitude,longitude,accuracy\n".utf8))
    for block in 0..<blocks {
      var text = ""
      for row in 0..<1_000 {
        let second = 1_772_434_800 + block * 60 + row % 7
        text += "phone-\(row),\(second),\(second + 3),52.5200,13.4050,\(row % 90)\n"
      }
      try reader.take(Array(text.utf8))
    }
    try reader.end()
    let log = try reader.finish()
    #expect(log.rows.count == blocks * 1_000)
    #expect(log.phones.count == 1_000)
  }
}
