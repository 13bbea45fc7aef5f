import Capacity
import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

/// Records in which a value is missing, of another type, huge or negative.
@Suite("Damaged records", .quick)
struct DamagedRecordTests {
  /// Steps of a path: members and places.
  enum Step: Equatable {
    case key(String), place(Int)
  }

  enum Damage: CaseIterable {
    case removed, null, text, boolean, list, object, zero, negative, huge, hugeNegative, tiny
    case most, least, unsigned

    /// nil if the value is removed.
    var value: Any? {
      switch self {
      case .removed: nil
      case .null: NSNull()
      case .text: "x"
      case .boolean: true
      case .list: [Any]()
      case .object: [String: Any]()
      case .zero: 0
      case .negative: -3
      case .huge: 1e300
      case .hugeNegative: -1e300
      case .tiny: 1e-300
      case .most: Int.max
      case .least: Int.min
      case .unsigned: UInt64.max
      }
    }
  }

  /// Of all values, those inside others included; of a long list the first two and the last.
  static func paths(_ value: Any, _ path: [Step] = []) -> [[Step]] {
    let own = path.isEmpty ? [] : [path]
    if let members = value as? [String: Any] {
      return own
        + members.sorted { $0.key < $1.key }.flatMap { paths($0.value, path + [.key($0.key)]) }
    }
    guard let items = value as? [Any] else { return own }
    let places = items.indices.filter { $0 < 2 || $0 == items.count - 1 }
    return own + places.flatMap { paths(items[$0], path + [.place($0)]) }
  }

  static func changed(_ value: Any, _ path: ArraySlice<Step>, _ damage: Damage) -> Any? {
    guard let step = path.first else { return damage.value }
    switch step {
    case .key(let key):
      guard var members = value as? [String: Any], let member = members[key] else { return value }
      members[key] = changed(member, path.dropFirst(), damage)
      return members
    case .place(let place):
      guard var items = value as? [Any] else { return value }
      if let item = changed(items[place], path.dropFirst(), damage) {
        items[place] = item
      } else {
        items.remove(at: place)
      }
      return items
    }
  }

  /// Reads a record as the program does: the record, or one line about what is wrong with it.
  static func read<Record: StoredRecord>(
    _: Record.Type, _ data: Data
  ) -> (record: Record?, why: String?) {
    do {
      let record = try Record(json: data)
      let plan = (record as? RunRecord)?.planDamage
      if let damage = record.damage ?? plan { return (nil, damage) }
      return (record, nil)
    } catch {
      return (nil, (error as? DecodingError)?.words ?? "\(error)")
    }
  }

  static func page<Record: StoredRecord>(
    _ record: Record, _ path: [Step], _ damage: Damage, of json: Any
  ) throws -> (html: String?, why: String?) {
    let object = try #require(changed(json, path[...], damage))
    let data = try JSONSerialization.data(withJSONObject: object)
    let (read, why) = read(Record.self, data)
    guard let read else { return (nil, why) }
    // The other forms, which have the same figures.
    if let study = read as? any Reported {
      _ = (study.report.lines, study.report.markdown, study.csv)
    }
    if let run = read as? RunRecord {
      _ = (PlanWords.lines(run), planMarkdown(run), summaryMarkdown(run))
    }
    return (try ReportPages.html(read, .none), nil)
  }

  /// The program never reads a comparison of runs.
  static let read = ReportPages.allCases.filter { $0 != .runs && $0 != .givenPlan }

  @Test("make a page, or one line that says what is wrong", arguments: read)
  func anywhere(page: ReportPages) throws {
    let record = try page.record
    let json = try JSONSerialization.jsonObject(with: record.json())
    let paths = Self.paths(json)
    let all = paths.flatMap { path in Damage.allCases.map { (path, $0) } }
    let chosen = (0..<UInt64(Large.count(4, large: 40))).map {
      all[Int(Draw.mix($0) % UInt64(all.count))]
    }
    for (path, damage) in chosen {
      let (html, why) = try Self.page(record, path, damage, of: json)
      if let html {
        #expect(html.hasSuffix("</html>\n"))
      } else {
        let line = try #require(why)
        #expect(!line.isEmpty && !line.contains("\n") && line.count < 300, "\(line)")
      }
    }
  }

  @Test(
    "the line names the key and what it should be",
    arguments: [
      ([.key("seed")], .text, "seed is not a whole number"),
      ([.key("scenario"), .key("phones")], .removed, "scenario.phones is missing"),
      ([.key("scenario"), .key("name")], .zero, "scenario.name is not a text"),
      ([.key("offered"), .key("batches")], .most, "offered.batches is 9223372036854775807"),
      ([.key("slo"), .place(1), .key("limit")], .list, "slo.1.limit is not a number"),
    ] as [([Step], Damage, String)])
  func words(path: [Step], damage: Damage, words: String) throws {
    let record = RunFixture.live().record
    let json = try JSONSerialization.jsonObject(with: record.json())
    #expect(try Self.page(record, path, damage, of: json).why == words)
  }

  @Test(
    "a number that nothing measures is named in one line at the top of the page",
    arguments: [
      ([.key("stale"), .key("offline")], .negative, "stale.offline is -3. Do not"),
      (
        [.key("latency"), .key("response"), .key("p99")], .negative, "latency.response.p99 is -3"
      ),
      ([.key("freshness"), .key("reachable"), .key("share")], .huge, "share is 1e+300. Do not"),
      (
        [.key("wake"), .key("uplift"), .key("high")], .hugeNegative, "wake.uplift.high is -1e+300."
      ),
    ] as [([Step], Damage, String)])
  func doubts(path: [Step], damage: Damage, words: String) throws {
    let record = RunFixture.live().record
    let json = try JSONSerialization.jsonObject(with: record.json())
    let html = try #require(try Self.page(record, path, damage, of: json).html)
    let head = try #require(html.split(separator: "</header>").first)
    let line = try #require(head.split(separator: "\n").first { $0.contains("Damaged record: ") })
    #expect(line.contains(words), "\(line)")
  }

  @Test("an axis whose places do not ascend still has its curves")
  func places() throws {
    var record = SweepFixture.record(("push.silentAfter", ["1", "2", "3", "4"]))
    record.axes[0].places = [1e15, 2, -3, 4]
    #expect(try ReportPages.html(record, .installed).contains("<div class=\"panels\">"))
  }

  @Test(
    "text that is not JSON, such as NaN, is refused in one line", arguments: ["NaN", "1e999", ""])
  func notJSON(number: String) throws {
    let text = String(decoding: try RunFixture.live().record.json(), as: UTF8.self)
    let damaged = text.replacing("\"batches\" : 4430", with: "\"batches\" : \(number)")
    #expect(damaged != text)
    let (record, why) = Self.read(RunRecord.self, Data(damaged.utf8))
    #expect(record == nil)
    #expect(why?.contains("\n") == false && why?.isEmpty == false, "\(why ?? "")")
  }
}
