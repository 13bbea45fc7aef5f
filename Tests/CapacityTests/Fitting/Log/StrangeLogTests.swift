internal import Core
internal import Foundation
internal import TestSupport
internal import Testing
@testable internal import Capacity

/// Logs as spreadsheets, databases and Apple's clock write them.
@Suite("Unusual log formats", .quick)
struct StrangeLogTests {
  private static let day: Int64 = 1_714_550_400_000_000  // 2024-05-01T08:00Z

  private func times(_ times: [String]) throws -> [Int64] {
    let rows = times.map { "a,\($0)\n" }.joined()
    return try LogReader.log("phone,time\n\(rows)").rows.map { ($0.time - Self.day) / 1_000 }
  }

  private func message(_ text: String) -> String {
    do {
      _ = try LogReader.log(text)
      return ""
    } catch let error as LogError {
      return error.description
    } catch {
      return "\(error)"
    }
  }

  @Test("seconds or milliseconds since 2001 are recognised and reported")
  func since2001() throws {
    #expect(try times(["736243200", "736243260.25"]) == [0, 60_250])
    #expect(try times(["736243200000", "736243260250"]) == [0, 60_250])
    let log = try LogReader.log(
      "phone,time,received\na,736243200,736243203\na,736243260,\nb,736243260,736243263\n",
      "phone,time\nc,1714550400\n")
    #expect(log.notes == ["time is in seconds since 2001", "received is in seconds since 2001"])
    #expect(log.rows.map { $0.received.map { ($0 - Self.day) / 1_000_000 } } == [3, nil, 63, nil])
    #expect(log.rows.last?.time == Self.day)
    #expect(log.counts.outOfOrder == 0 && log.counts.receivedEarly == 0)
  }

  @Test("spreadsheet days are read to the second and reported")
  func spreadsheet() throws {
    #expect(try times(["45413.3333333", "\"45413,3340277\"", "45414"]) == [0, 60_000, 57_600_000])
    let log = try LogReader.log("time\n45413.5\n")
    #expect(log.notes == ["time is in spreadsheet days, read as UTC"])
  }

  @Test(
    "a named epoch decides, also where the numbers alone mean another",
    arguments: [
      (LogEpoch.s, "1714550400.5", 1_714_550_400_500_000), (.ms, "1714550400", 1_714_550_400_000),
      (.us, "1714550400000000", 1_714_550_400_000_000), (.s, "0", 0),
      (.apple, "736243200.25", 1_714_550_400_250_000), (.ms, "736243200000", 736_243_200_000_000),
      (.s, "20240501080000", nil), (.apple, "7258118400", nil), (.us, "9223372036854775807", nil),
      (.ms, "2024-05-01T08:00:00Z", 1_714_550_400_000_000),
    ] as [(LogEpoch, String, Int64?)])
  func namedEpoch(_ epoch: LogEpoch, _ text: String, _ expected: Int64?) throws {
    let file = "time,received\n\(text),\(text)\n2024-05-01T08:00:00.7Z,\n"
    let log = try LogReader.log(file, epoch: epoch, skipsBadLines: true)
    #expect(log.counts.skipped == (expected == nil ? 1 : 0) && log.notes.isEmpty)
    guard let expected else { return }
    #expect(log.rows.contains { $0.time == expected && $0.received == expected })
  }

  @Test("every whole number is a time or refused, in each epoch")
  func anyNumber() {
    var draw = Draw(seed: 1, phone: 0, Purpose(rawValue: 900), 2)
    for _ in 0..<20_000 {
      let number = draw.next() >> (draw.next() % 64)
      for epoch in LogEpoch.allCases.map(Optional.some) + [nil] {
        guard let time = LogValue.time(Array("\(number)".utf8)[...], epoch) else { continue }
        #expect(time < LogValue.endMicroseconds && (epoch == nil || time >= 0))
      }
    }
  }

  @Test(
    "a date column gives the day of a time column",
    arguments: [
      "date,time\n2024-05-01,08:00:00\n2024-05-01,08:00:01.5\n",
      "Time;Date\n08:00;2024/05/01\n080001.5;20240501\n",
      "day,utc_time\n2024-05-01,10:00+02:00\n2024-05-01,08:00:01.5Z\n",
      "date,timestamp\n2024-05-01,1714550400\n2024-05-01,1714550401500\n",
      "Date\n2024-05-01 08:00\n2024-05-01 08:00:01.5\n",
    ])
  func dateColumn(_ text: String) throws {
    #expect(try LogReader.log(text).rows.map { $0.time - Self.day } == [0, 1_500_000])
  }

  @Test("columns by number need no header for a date either")
  func numberedDate() throws {
    let log = try LogReader.log("a,2024-05-01,08:00\n", columns: "phone=1,date=2,time=3")
    #expect(log.rows.map(\.time) == [Self.day])
  }

  @Test("a date in an unknown order is refused with what is allowed")
  func foreignDate() {
    #expect(
      message("date,time\n01.05.2024,08:00\n").contains(
        "log1.csv:2: date: '01.05.2024 08:00' is not a day such as 2026-03-02 and a time of day"))
    #expect(message("date,time\n,08:00\n").contains("time: '08:00' is not ISO 8601"))
  }

  @Test("any negative accuracy means none")
  func negative() throws {
    #expect(try LogReader.log("time,acc\n1714550400,-1000\n").rows[0].accuracy.isNaN)
  }

  @Test("one phone with an unset clock does not change how others are read")
  func unset() throws {
    #expect(try times(["1714550400", "0", "1714550460"]) == [-1_714_550_400_000, 0, 60_000])
    #expect(try times(["736243200", "736243260", "0"]).suffix(2) == [0, 60_000])
    #expect(try times(["1995-07-22T00:00:00Z", "1714550400"])[1] == 0)
    #expect(try times(["45413.3333333", "0", "45413.3340277"]).suffix(2) == [0, 60_000])
    #expect(
      try times(["45413.3333333", "454133340.277", "45413.3340277"]).prefix(2) == [0, 60_000])
  }

  @Test("a date without separators is a date")
  func plainDates() throws {
    #expect(try times(["20240501080000", "202405010801"]) == [0, 60_000])
  }

  @Test("days without a time of day are refused, with what is allowed")
  func days() {
    let text = message("phone,time\na,20240501\nb,20240502\n")
    #expect(text.hasPrefix("log1.csv: time: '20240502' is a day without a time of day; write ISO"))
  }

  @Test("seconds since an unknown day are read as they are, with a notice")
  func unknownDay() throws {
    let rows = (0..<20_000).map { "a,\($0 * 5)\n" }.joined()
    let log = try LogReader.log("phone,time\n\(rows)")
    #expect(log.notes == ["time has an unknown epoch, read as seconds since 1970"])
    #expect(log.rows[7].time == 35_000_000)
  }

  @Test(
    "placeholders in an optional column mean no value",
    arguments: ["NULL", "null", "NaN", "\\N", "n/a", "#N/A", "None", "-", "(null)", " "])
  func nothing(_ word: String) throws {
    let log = try LogReader.log(
      "phone,time,received,lat,lon,accuracy,battery,version\n"
        + "a,1714550400,\(word),\(word),\(word),\(word),\(word),\(word)\n")
    let row = log.rows[0]
    #expect(row.received == nil && row.latitude.isNaN && row.longitude.isNaN)
    #expect(row.accuracy.isNaN && row.battery.isNaN && row.version == LogRow.noVersion)
    #expect(message("phone,time\na,\(word)\n").contains("log1.csv:2: time"))
    #expect(try LogReader.log("phone,time\nnull,1714550400\n").phones == ["null"])
  }

  @Test("longitudes continue beyond the date line")
  func dateLine() throws {
    let log = try LogReader.log("time,lon\n1714550400,190\n1714550401,-179\n1714550402,359\n")
    #expect(log.rows.map(\.longitude) == [-170, -179, -1])
    #expect(message("time,lon\n1714550400,361\n").contains("longitude: '361' is not degrees"))
  }

  @Test(
    "a spreadsheet's separator line is not a header",
    arguments: ["sep=;", "SEP=;", "\"sep=;\"", "\u{FEFF}sep=;"])
  func separatorLine(_ line: String) throws {
    for (end, chunk) in [("\r\n", 1), ("\n", 3), ("\r", 1_000)] {
      let text = [
        line, "device;time;latitude;longitude", "a;2024-05-01T08:00:00Z;50,1;8,1", "b;none;1;1",
      ].joined(separator: end)
      let log = try LogReader.log(text, skipsBadLines: true, chunk: chunk)
      #expect(log.phones == ["a"] && log.rows[0].latitude == 50.1 && log.counts.skipped == 1)
      #expect(message(text).contains("log1.csv:4: time: 'none'"))
    }
  }

  @Test("title rows above the header are skipped, with or without separators")
  func titles() throws {
    let table = "Valid;Time;Latitude;Longitude\nTRUE;2024-05-01 08:00:00;50.1;8.1\n"
    for titles in ["Report:;Route;;\nDevice:;Car;;\n;;;\n", "Trips of May\n\n", "a\nb\nc\n"] {
      for chunk in [1, 7, 1_000] {
        let log = try LogReader.log(titles + table, chunk: chunk)
        #expect(log.rows.map(\.time) == [Self.day] && log.rows[0].longitude == 8.1)
      }
    }
    #expect(message("a,b\n1,2\n3,4\n").contains("the header has 'a', 'b'. Set it with"))
    let endless = String(repeating: "a,b\n", count: 1_000) + table
    #expect(message(endless).contains("the header has 'a', 'b'. Set it with"))
  }

  @Test("blanks before a quote are not part of the field; blanks inside are")
  func blankBeforeQuote() throws {
    let text =
      "device, time, \t\"lat\"\n\"a\", \"2024-05-01T08:00:00Z\", \"50,1\" \n"
      + " \"b, c\",1714550400, 5\n  d \"e\",1714550400,5\n"
    for chunk in [1, 5, 1_000] {
      let log = try LogReader.log(text, chunk: chunk)
      #expect(log.phones == ["a", "b, c", "d \"e\""])
      #expect(log.rows.map(\.latitude) == [50.1, 5, 5])
    }
  }

  @Test(
    "XML and other non-tables are refused by name",
    arguments: [
      ("<?xml version=\"1.0\"?><gpx/>", "mobility: { gpx: FILE }"), ("<!DOCTYPE html>", "web page"),
    ])
  func foreign(text: String, says: String) {
    #expect(message(text).hasPrefix("log1.csv: is "))
    #expect(message(text).contains(says), "\(message(text))")
  }

  @Test("a header in brackets is not JSON")
  func brackets() throws {
    #expect(try LogReader.log("[phone],[time]\na,1714550400\n").rows.count == 1)
  }
}
