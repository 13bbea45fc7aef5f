import Core
import Figures
import Foundation
import TestSupport
import Testing

@testable import Report

@Suite("The live page", .quick)
struct LivePageTests {
  private static func object(_ line: String) throws -> [String: Any] {
    #expect(!line.contains("\n"))
    return try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  private static func setup(_ html: String) throws -> [String: Any] {
    let json = try #require(
      html.firstMatch(of: #/<script type="application/json" id="live">(.*)</script>/#)
    ).1
    return try object(String(json))
  }

  @Test("its panels draw columns of timeline.csv", arguments: [Snapshot.Source.load, .collect])
  func columns(source: Snapshot.Source) throws {
    let first = Snapshot(source: source, name: "city", detail: "")
    let setup = try Self.setup(LivePage(first, utcOffsetSeconds: 3_600).html(.installed))
    let columns = try #require(setup["columns"] as? [String])
    #expect(columns.joined(separator: ",") == TimelineRow.header)
    #expect(setup["utcOffset"] as? Double == 3_600)
    let panels = try #require(setup["panels"] as? [[String: Any]])
    #expect(panels.count == 5)
    for panel in panels {
      for series in try #require(panel["series"] as? [[String: Any]]) {
        #expect(columns.contains(try #require(series["key"] as? String)))
      }
    }
  }

  @Test("what strangers wrote is text in the page, and in one line of an event")
  func foreign() throws {
    let name = "<img src=x onerror=alert(1)>\n</script>"
    var snapshot = Scenes.snapshot(acknowledged: 10)
    snapshot.name = name
    snapshot.outlook.reason = name
    let page = LivePage(snapshot, utcOffsetSeconds: 0).html(.none)
    #expect(!page.contains("<img"))
    let state = try Self.object(LivePage.state(snapshot, notes: [name]))
    #expect(state["name"] as? String == name)
    #expect(state["notes"] as? [String] == [name])
    let end = try Self.object(LivePage.end("over", verdict: .pass, report: name))
    #expect(end["report"] as? String == name)
  }

  @Test("without dygraphs it says so, and loads nothing from anywhere")
  func withoutLibrary() {
    let first = Snapshot(source: .load, name: "city", detail: "")
    let page = LivePage(first, utcOffsetSeconds: 0).html(.none)
    #expect(page.contains("No charts: dygraphs was not found"))
    #expect(page.contains("connect-src 'self'"))
    #expect(!page.contains("src=\"") && !page.contains("href=\""))
  }

  @Test("a tile has its SLO: met, missed or open; SLOs without a tile have one")
  func tiles() throws {
    let snapshot = Scenes.snapshot(acknowledged: 990)
    let state = try Self.object(LivePage.state(snapshot))
    let tiles = try #require(state["tiles"] as? [[String: Any]])
    let byID = Dictionary(uniqueKeysWithValues: tiles.map { ($0["id"] as? String ?? "", $0) })
    func met(_ id: String) -> Bool? {
      (byID[id]?["level"] as? [String: Any])?["met"] as? Bool
    }
    #expect(byID["throughput"]?["value"] as? String == "990 batches/s")
    #expect((byID["throughput"]?["note"] as? String)?.hasPrefix("of 994 offered") == true)
    #expect(met("response") == true && met("fresh") == false)
    #expect(byID["lost"]?["value"] as? String == "known at the end" && met("lost") == nil)
    #expect(met("undelivered") == true)
    #expect(state["standing"] as? String == "would miss" && state["tone"] as? String == "bad")
    #expect((state["now"] as? String)?.hasPrefix("measure · 08:10:00 · 40 s elapsed") == true)
  }

  @Test("a collector shows what it knows: batches, connections, phones and pushes")
  func collector() throws {
    let snapshot = Scenes.collector().snapshot
    let state = try Self.object(LivePage.state(snapshot))
    let ids = try #require(state["tiles"] as? [[String: Any]]).compactMap { $0["id"] as? String }
    #expect(
      ids.starts(with: ["throughput", "response", "stored-batches", "fresh", "answered"]))
    #expect(ids.contains("connections") && ids.contains("collector"))
    let row = TimelineRow(snapshot, atUnixSeconds: 1_772_433_000)
    let fields = Dictionary(
      uniqueKeysWithValues: zip(
        TimelineRow.header.split(separator: ","),
        row.csv.split(separator: ",", omittingEmptySubsequences: false)))
    #expect(fields["scenario_s"] == "1772433000" && fields["acked_per_s"] == "1180")
    #expect(fields["phase"] == "open")
  }
}
