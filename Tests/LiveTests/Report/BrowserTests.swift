import Capacity
import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

/// What somebody else's programs say of the pages: Debian's `tidy`, and headless Chromium.
@Suite("HTML reports", .timeLimit(.minutes(10)))
struct BrowserTests {
  /// The pages: a run with all its sections, a measured plan, one whose capacity was given, a
  /// demand, two runs compared, and a search for settings.
  enum Shown: String, CaseIterable {
    case run, plan, givenPlan, demand, runs, tune

    func html(_ libraries: PageLibraries = .installed) throws -> String {
      switch self {
      case .run: reportHTML(RunFixture.live { $0.storm = [RunFixture.storm] }, libraries)
      case .plan: reportHTML(RunFiles(record: PlanFixture.record()), libraries)
      case .givenPlan:
        reportHTML(
          RunFiles(
            record: PlanFixture.record(
              .init(source: .given, perCore: Ratio(value: 2_500, low: 2_500, high: 2_500)))),
          libraries)
      case .demand: reportHTML(RunFiles(record: PlanFixture.record(nil)), libraries)
      case .runs: try ComparisonFixture.page(libraries)
      case .tune: TuneFixture.record.report.html(libraries)
      }
    }
  }

  @Test(
    "tidy finds no error in a page", .needs(.tidy),
    arguments: Shown.allCases)
  func tidy(shown: Shown) throws {
    let path = try #require(Oracle.tidy.path)
    let folder = try Folder()
    let file = try folder.write(try shown.html(), "report.html")
    let (status, text) = try Tool.run(path, ["-q", "-e", file.path])
    #expect(status == 0, "\(text)")
  }

  @Test(
    "tidy finds no error for any verdict, with or without charts",
    .needs(.tidy))
  func tidyVerdicts() throws {
    let path = try #require(Oracle.tidy.path)
    let folder = try Folder()
    for (name, files) in RunFixture.verdicts {
      let file = try folder.write(reportHTML(files, .none), "report.html")
      let (status, text) = try Tool.run(path, ["-q", "-e", file.path])
      #expect(status == 0, "\(name): \(text)")
    }
  }

  @Test(
    "Chromium renders and prints it at every width, without console messages",
    .needs(.chromium),
    arguments: Shown.allCases)
  func chromium(shown: Shown) throws {
    let path = try #require(Oracle.chromium.path)
    let folder = try Folder()
    let html = try shown.html()
    let file = try folder.write(html, "report.html")
    let probe = try folder.write(Self.probe(html, widths: [320, 390, 1_280]), "probe.html")
    let common = [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
      "--user-data-dir=\(folder.url.path)/profile",
    ]
    let (_, dom) = try Tool.run(
      path,
      common + [
        "--window-size=1400,900", "--hide-scrollbars", "--dump-dom", "file://\(probe.path)",
      ]
    )
    let found = dom.firstMatch(of: /<title>([^<]*)<\/title><\/head>/)?.1
    #expect(found == "fits", "\(found ?? "no answer")")
    let pdf = folder.url.appendingPathComponent("report.pdf")
    let (status, text) = try Tool.run(
      path, common + ["--print-to-pdf=\(pdf.path)", "file://\(file.path)"])
    #expect(status == 0)
    #expect(!text.contains("CONSOLE"), "\(text)")
    let size = try FileManager.default.attributesOfItem(atPath: pdf.path)[.size] as? Int
    #expect((size ?? 0) > 10_000)
  }

  /// What `browser.py` reports of a page.
  private struct Visit: Decodable {
    struct Readout: Decodable, Equatable {
      var instant: String
      var values: [String]
    }
    struct Charts: Decodable {
      var figures: Int
      var whole, zoomed, again: [[Double]]
      var hover, home, next: Readout
      var hoverOthers: [String]
      var spoken: String
    }
    var title: String
    var loadMilliseconds: Double
    var facts: [[String]]
    var charts: Charts?
    var requests: [String]
    var console: [String]
  }

  private static func visit(_ page: URL, _ words: [String] = []) throws -> Visit {
    let python = try #require(Oracle.selenium.path)
    let script = Machine.root.appendingPathComponent("Tests/LiveTests/Python/browser.py").path
    let (status, text) = try Tool.run(python, [script, page.absoluteString] + words)
    #expect(status == 0, "\(text)")
    let json = text.split(separator: "\n").last { $0.hasPrefix("{") }
    return try JSONDecoder().decode(Visit.self, from: Data(try #require(json).utf8))
  }

  @Test(
    "a report's figures equal run.json, and its charts have one cursor and one zoom",
    .needs(.chromium), .needs(.selenium))
  func report() throws {
    let folder = try Folder()
    let files = RunFixture.live { $0.storm = [RunFixture.storm] }
    let page = try folder.write(reportHTML(files, .installed), "report.html")
    let visit = try Self.visit(page)
    #expect(visit.console.isEmpty && visit.requests.isEmpty, "\(visit.console) \(visit.requests)")
    #expect(visit.facts.count > 30)
    let facts = Facts(files.record)
    for fact in visit.facts {
      let form = try #require(Facts.Form(rawValue: fact[1]))
      #expect(facts.text(fact[0], form) == fact[2], "\(fact)")
    }
    let charts = try #require(visit.charts)
    #expect(!charts.hover.instant.isEmpty && charts.hover.values.allSatisfy { !$0.isEmpty })
    #expect(Set(charts.hoverOthers) == [charts.hover.instant])
    #expect(charts.zoomed[0] != charts.whole[0] && charts.zoomed[0] == charts.zoomed[1])
    #expect(charts.again == charts.whole)
    #expect(charts.home != charts.next && charts.spoken.hasPrefix(charts.next.instant))
  }

  @Test(
    "text of strangers stays text",
    .needs(.chromium), .needs(.selenium))
  func strangers() throws {
    let folder = try Folder()
    let evil = "</script><img src=x onerror=\"document.title='owned'\">\u{1B}[31m"
    let files = RunFixture.live { record in
      record.scenario.name = evil
      record.scenario.question = evil
      record.reasons = [evil]
      record.storm = [RunFixture.storm]
      record.storm?[0].kind = evil
    }
    let page = try folder.write(reportHTML(files, .installed), "report.html")
    let visit = try Self.visit(page)
    #expect(visit.title.contains("<img src=x") && visit.title != "owned")
    #expect(visit.console.isEmpty && visit.requests.isEmpty, "\(visit.console) \(visit.requests)")
  }

  /// A page that shows the report at some widths and checks whether anything overflows, is cut or
  /// overlaps, and whether the answers fit the first screen of a desktop; its title is the result.
  private static func probe(_ html: String, widths: [Int]) -> String {
    let quoted = html.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
    let frames = widths.map {
      "<iframe width=\"\($0)\" height=\"900\" style=\"border:0\" srcdoc=\"\(quoted)\"></iframe>"
    }
    return """
      <!DOCTYPE html><html><head><meta charset="utf-8"><title>silence</title></head><body>
      \(frames.joined(separator: "\n"))
      <script>
      const look = (frame) => {
        const inside = frame.contentDocument;
        const root = inside.documentElement;
        const faults = [];
        if (root.scrollWidth > root.clientWidth) faults.push('wider than the screen');
        const answers = inside.getElementById('answers');
        if (frame.width >= 1280 && answers && answers.getBoundingClientRect().bottom > 900) {
          faults.push('answers end at ' + answers.getBoundingClientRect().bottom);
        }
        for (const svg of inside.querySelectorAll('svg')) {
          const box = svg.getBoundingClientRect();
          if (box.width === 0) continue;
          const texts = [...svg.querySelectorAll('text')].map(
            t => ({ words: t.textContent, r: t.getBoundingClientRect() }));
          texts.forEach((a, i) => {
            if (a.r.left < box.left - 1 || a.r.right > box.right + 1 || a.r.top < box.top - 1
              || a.r.bottom > box.bottom + 1) faults.push('cut: ' + a.words);
            for (const b of texts.slice(i + 1)) {
              const x = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
              const y = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
              if (x > 1 && y > 4) faults.push('overlap: ' + a.words + ' / ' + b.words);
            }
          });
        }
        return faults.map(fault => frame.width + ' px: ' + fault);
      };
      onload = () => {
        const faults = [...document.querySelectorAll('iframe')].flatMap(look);
        document.title = faults.length ? faults.join('; ') : 'fits';
      };
      </script></body></html>
      """
  }
}
