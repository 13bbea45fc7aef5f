import Core
import Figures
import Foundation
import TestSupport
import Testing

@testable import Report
@testable import ReportSupport

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

  @Test("the response of a generator that is late is neither met nor missed")
  func late() throws {
    var snapshot = Scenes.snapshot(acknowledged: 990)
    snapshot.latency?.response.generatorBound = ["p99"]
    let state = try Self.object(LivePage.state(snapshot))
    let tiles = try #require(state["tiles"] as? [[String: Any]])
    let response = try #require(tiles.first { $0["id"] as? String == "response" })
    let level = try #require(response["level"] as? [String: Any])
    #expect(level["met"] is NSNull, "\(level)")
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

  @Test("outages are bands of the time line, and named below it")
  func outages() throws {
    let first = Snapshot(source: .load, name: "city", detail: "")
    var partial = RunFixture.storm
    (partial.kind, partial.cohort, partial.share) = ("network-outage", "</script><b>", 0.5)
    let page = LivePage(first, utcOffsetSeconds: 3_600, outages: [RunFixture.storm, partial])
      .html(.none)
    let bands = try #require(try Self.setup(page)["outages"] as? [[Any]])
    #expect(bands.count == 2 && bands[0][0] as? Double == 1_772_433_600)
    #expect(bands[0][1] as? Double == 1_772_433_900 && bands[0][2] as? String == "server outage")
    let times = "07:40:00 to 07:45:00"
    #expect(page.contains("Shaded: server outage, \(times); network outage of 50.0 % of &lt;/"))
    #expect(!page.contains("<b>"))
    #expect(!LivePage(first).html(.none).contains("Shaded"))
    // As in the report.
    let report = reportHTML(RunFixture.live { $0.storm = [RunFixture.storm] }, .none)
    #expect(report.contains("Shaded: server outage, 07:40:00 to 07:45:00."))
  }

  @Test("there is a map where phones are known, and Leaflet in no other page")
  func map() throws {
    let first = Snapshot(source: .load, name: "city", detail: "")
    let none = LivePage(first).html(.installed)
    #expect(!none.contains("id=\"places\"") && !none.contains("Flotilla.showPlaces ="))
    let without = LivePage(first, hasMap: true).html(.none)
    #expect(without.contains("Leaflet was not found") && !without.contains("class=\"places\""))
    guard PageLibraries.installed.leaflet != nil else { return }
    let page = LivePage(first, hasMap: true).html(.installed)
    #expect(page.contains("<div class=\"places\" hidden>"))
    #expect(page.contains("Flotilla.showPlaces ="))
    #expect(page.contains("Fresh: the newest position at the server is at most <span id="))
  }

  @Test("phones, instants and days are one line each")
  func phones() throws {
    let name = "</script>\n\u{1B}[31m"
    var sample = PhoneSample()
    (sample.instants, sample.freshSeconds, sample.cohorts) = ([60], 1_800, [name])
    let told = try Self.object(LivePage.map(sample))
    #expect(((told["sample"] as? [String: Any])?["cohorts"] as? [String]) == [name])
    #expect((told["inks"] as? [String])?.count == sample.states.count)
    var frame = PhoneFrame(number: 1, at: 60)
    frame.append(3, place: [1, 2], state: 0, newest: -5)
    let moved = try Self.object(LivePage.map(frame))
    #expect(moved["changed"] as? [Int] == [3, 1, 2, 0, -5] && moved["number"] as? Int == 1)
    let day = try Self.object(LivePage.day(PhoneSample.Day(phone: 7, introduction: name)))
    #expect(day["phone"] as? Int == 7 && day["introduction"] as? String == name)
  }

  @Test("a replay shows freshness by second, which is known only afterwards")
  func replay() throws {
    let opening = RunReplay(RunFixture.live()).opening
    for (first, key) in [
      (opening, "fresh_reachable_now"),
      (Snapshot(source: .load, name: "city", detail: ""), "fresh_reachable"),
    ] {
      let panels = try #require(
        try Self.setup(LivePage(first).html(.none))["panels"] as? [[String: Any]])
      let keys = panels.flatMap { ($0["series"] as? [[String: Any]] ?? []).map { $0["key"] } }
      #expect(keys.contains { $0 as? String == key })
    }
  }
}
