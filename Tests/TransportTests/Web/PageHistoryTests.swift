import Foundation
import TestSupport
import Testing

@testable import Transport

@Suite("What a live page is sent", .quick)
struct PageHistoryTests {
  typealias Place = PageHistory.Place

  private static func history(rows: Int, epoch: String = "run") -> PageHistory {
    var history = PageHistory(epoch: epoch)
    for row in 0..<rows { history.append(row: "row \(row + 1)") }
    history.set(state: "{\"rows\":\(rows)}")
    return history
  }

  /// All events that there are for a browser.
  private static func read(_ history: PageHistory, _ place: inout Place) -> String {
    var text = ""
    while let piece = history.next(&place) { text += String(decoding: piece, as: UTF8.self) }
    return text
  }

  private static func rows(_ text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("data: row") }.map { String($0.dropFirst(6)) }
  }

  @Test("a browser that comes late gets every row, then the newest state")
  func late() {
    let history = Self.history(rows: 3)
    var place = history.place(after: nil)
    #expect(
      Self.read(history, &place) == """
        retry: 2000

        event: rows
        data: row 1
        data: row 2
        data: row 3
        id: run.3.0

        event: state
        data: {"rows":3}


        """)
    #expect(history.next(&place) == nil)
  }

  @Test("one that connects again goes on behind the row it names", arguments: 0...3)
  func reconnected(row: Int) {
    let history = Self.history(rows: 3)
    var place = history.place(after: "run.\(row).0")
    let text = Self.read(history, &place)
    #expect(Self.rows(text) == (row..<3).map { "row \($0 + 1)" })
    #expect(text.hasSuffix("event: state\ndata: {\"rows\":3}\n\n"))
  }

  @Test(
    "an event of another server, or of none, makes the page load again",
    arguments: [
      "walk.2.0", "run.4.0", "run.-1.0", "run.2.1", "run.2", "run.2.", "run.2.0.0", "run.", "run",
      "", "run.99999999999999999999.0",
    ])
  func foreign(event: String) {
    let history = Self.history(rows: 3)
    var place = history.place(after: event)
    #expect(Self.read(history, &place) == "event: reload\ndata:\n\n")
    #expect(place.isAtEnd)
  }

  @Test("one that reads seldom gets all rows and only the newest state")
  func seldom() {
    var history = Self.history(rows: 2)
    var place = history.place(after: nil)
    _ = Self.read(history, &place)
    for row in 3...5 {
      history.append(row: "row \(row)")
      history.set(state: "{\"rows\":\(row)}")
    }
    let text = Self.read(history, &place)
    #expect(Self.rows(text) == ["row 3", "row 4", "row 5"])
    #expect(text.components(separatedBy: "event: state").count == 2)
    #expect(text.contains("{\"rows\":5}"))
  }

  @Test("a long run stays bounded: its older rows become sparse, its first and last stay")
  func bounded() {
    var history = Self.history(rows: 10 * PageHistory.rowsMax)
    #expect(history.rows.count <= PageHistory.rowsMax)
    #expect(history.rows.count > PageHistory.rowsMax / 2)
    #expect(history.rows.first?.text == "row 1")
    #expect(history.rows.last?.number == 10 * PageHistory.rowsMax)
    let numbers = history.rows.map(\.number)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    // A browser that has a row which is no longer kept goes on behind it all the same.
    var place = history.place(after: "run.\(10 * PageHistory.rowsMax - 1).0")
    history.append(row: "row last")
    #expect(Self.rows(Self.read(history, &place)).last == "row last")
  }

  @Test("a long history comes in pieces of bounded size, and its state behind the last")
  func pieces() throws {
    var history = PageHistory(epoch: "run")
    let row = String(repeating: "x", count: 500)
    for _ in 0..<2_000 { history.append(row: row) }
    history.set(state: "{}")
    var place = history.place(after: nil)
    var pieces: [String] = []
    while let piece = history.next(&place) {
      #expect(piece.count < 70_000)
      pieces.append(String(decoding: piece, as: UTF8.self))
    }
    #expect(pieces.count > 10)
    #expect(pieces.dropLast().allSatisfy { !$0.contains("event: state") })
    #expect(pieces.joined().components(separatedBy: "\ndata: x").count == 2_001)
    #expect(try #require(pieces.last).contains("event: state"))
  }

  @Test("the end is the last event, also for one that comes after it")
  func end() {
    var history = Self.history(rows: 1)
    var early = history.place(after: nil)
    _ = Self.read(history, &early)
    history.end("{\"words\":\"over\"}")
    #expect(Self.read(history, &early) == "event: end\ndata: {\"words\":\"over\"}\n\n")
    #expect(early.isAtEnd && history.next(&early) == nil)
    var late = history.place(after: nil)
    #expect(Self.read(history, &late).hasSuffix("event: end\ndata: {\"words\":\"over\"}\n\n"))
  }

  @Test("maps that are kept come in order behind the rows, and the newest passing one last")
  func maps() {
    var history = Self.history(rows: 1)
    history.append(map: "first", isKept: true)
    history.append(map: "passes", isKept: false)
    history.append(map: "second", isKept: true)
    for number in 1...3 { history.append(map: "newest \(number)", isKept: false) }
    var place = history.place(after: nil)
    #expect(
      Self.read(history, &place) == """
        retry: 2000

        event: rows
        data: row 1
        id: run.1.0

        event: map
        data: first

        event: map
        data: second

        id: run.1.2

        event: now
        data: newest 3

        event: state
        data: {"rows":1}


        """)
    #expect(history.next(&place) == nil)
  }

  @Test("a browser that reads slowly gets the maps that are kept; the oldest others are dropped")
  func slow() {
    var history = Self.history(rows: 1)
    history.append(map: "first", isKept: true)
    var place = history.place(after: nil)
    _ = Self.read(history, &place)
    for second in 1...50 {
      history.append(map: "second \(second)", isKept: second % 10 == 0)
      history.set(state: "{\"second\":\(second)}")
    }
    history.append(map: "second 51", isKept: false)
    let lines = Self.read(history, &place).split(separator: "\n").filter { $0.hasPrefix("data:") }
    #expect(
      lines == (1...5).map { "data: second \($0 * 10)" } + [
        "data: second 51", "data: {\"second\":50}",
      ])
    // One that connects again goes on behind the maps that it has.
    var again = history.place(after: "run.1.5")
    let text = Self.read(history, &again)
    #expect(!text.contains("second 40") && text.contains("event: map\ndata: second 50\n"))
    #expect(!text.contains("event: rows"))
  }

  @Test("a passing map is not sent behind a later one that is kept")
  func outdated() {
    var history = Self.history(rows: 1)
    history.append(map: "passes", isKept: false)
    history.append(map: "kept", isKept: true)
    var place = history.place(after: nil)
    let text = Self.read(history, &place)
    #expect(text.contains("data: kept") && !text.contains("data: passes"))
  }

  @Test("an idle stream gets a comment with each beat, a busy one needs none")
  func beats() {
    var history = Self.history(rows: 1)
    history.beat()
    var place = history.place(after: nil)
    #expect(!Self.read(history, &place).contains(":\n\n"))
    for _ in 1...3 {
      history.beat()
      #expect(Self.read(history, &place) == ":\n\n")
    }
    history.beat()
    history.append(row: "row 2")
    #expect(Self.read(history, &place) == "event: rows\ndata: row 2\nid: run.2.0\n\n")
  }
}
