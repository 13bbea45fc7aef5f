import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("The map of a report", .quick)
struct PlaceSectionTests {
  /// Both libraries, as texts that can be found again.
  private static func libraries() throws -> PageLibraries {
    let folder = try Folder()
    for (name, script, style) in [
      ("dygraphs", "dygraph.min.js", "dygraph.min.css"),
      ("leaflet", "leaflet.min.js", "leaflet.css"),
    ] {
      try FileManager.default.createDirectory(
        at: folder.url.appendingPathComponent(name), withIntermediateDirectories: true)
      _ = try folder.write("/* \(name) script */", "\(name)/\(script)")
      _ = try folder.write("/* \(name) style */", "\(name)/\(style)")
    }
    return PageLibraries(folders: [folder.url])
  }

  private static func files(cohort: String = "commuters") -> RunFiles {
    var files = RunFixture.live()
    files.phones = PhoneSample.one(cohort: cohort)
    return files
  }

  @Test("stands behind the time line, with its data, Leaflet and the script")
  func section() throws {
    let page = reportHTML(Self.files(), try Self.libraries())
    let places = try #require(page.range(of: "<section id=\"places\">"))
    let time = try #require(page.range(of: "<section id=\"time\">"))
    #expect(time.lowerBound < places.lowerBound)
    #expect(page.contains("/* leaflet script */") && page.contains("/* leaflet style */"))
    #expect(page.contains("id=\"places-data\"") && page.contains("Flotilla.places ="))
    #expect(page.contains("1 of 5,000 phones"))
  }

  @Test("names of cohorts and lines cannot end the data")
  func foreign() throws {
    let text = "</script><script>alert(1)</script>"
    let page = reportHTML(Self.files(cohort: text), try Self.libraries())
    #expect(!page.contains("<script>alert"))
    #expect(page.contains("\\u003c/script>\\u003cscript>alert(1)"))
  }

  @Test("without Leaflet or phones.json the page says why, and keeps the map of silence")
  func absent() throws {
    let none = reportHTML(Self.files(), .none)
    #expect(none.contains("Leaflet was not found") && none.contains("id=\"map\""))
    #expect(!none.contains("places-data"))
    let without = reportHTML(RunFixture.live(), try Self.libraries())
    #expect(without.contains("no phones.json") && without.contains("id=\"map\""))
    #expect(!without.contains("leaflet script"))
  }

  @Test("a page of one phone has its lines, without Leaflet as text")
  func onePhone() throws {
    let sample = PhoneSample.one(cohort: "a")
    let page = phonePage(sample, midnight: 0, try Self.libraries())
    #expect(page.contains("<h1>Phone 7</h1>") && page.contains("leaflet script"))
    #expect(page.contains("places day") && !page.contains("dygraphs script"))
    let plain = phonePage(sample, midnight: 0, .none)
    #expect(plain.contains("<pre>09:00:00  phone   &lt;b&gt;</pre>"))
    #expect(plain.contains("Leaflet was not found") && !plain.contains("places-data"))
  }

  @Test("phones.json is read with the run, and a damaged one is refused")
  func read() throws {
    let folder = try Folder()
    let files = Self.files()
    try files.record.write(to: folder.url.appendingPathComponent("run.json"))
    let json = String(decoding: try #require(files.phones).json(), as: UTF8.self)
    _ = try folder.write(json, "phones.json")
    #expect(try RunFiles.read(from: folder.url).phones == files.phones)
    _ = try folder.write("{}", "phones.json")
    #expect(throws: RunFilesError.self) { try RunFiles.read(from: folder.url) }
  }
}

extension PhoneSample {
  /// A phone at three instants, with a day.
  fileprivate static func one(cohort: String) -> PhoneSample {
    var sample = PhoneSample()
    sample.instants = [1_772_433_000, 1_772_434_000, 1_772_436_000]
    sample.freshSeconds = 1_800
    sample.base = [52_520_000, 13_405_000]
    sample.cohorts = [cohort]
    (sample.phones, sample.cohort) = ([7], [0])
    (sample.home, sample.work, sample.rests) = ([[10, 10]], [[-10, 10]], [[]])
    sample.places = [[0, 10, 10, 1, -10, 0, 1, -10, 0]]
    sample.state = [[0, 0]]
    sample.newest = [[0, 0]]
    var day = Day(phone: 7, introduction: "Phone 7 of city")
    (day.lines, day.times) = (["09:00:00  phone   <b>"], [60])
    sample.days = [day]
    return sample
  }
}
