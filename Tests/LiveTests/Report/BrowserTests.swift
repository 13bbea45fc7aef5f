import Capacity
import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

/// What third-party programs find in the pages: Debian's `tidy`, and headless Chromium.
@Suite("HTML reports", .live, .timeLimit(.minutes(10)))
struct BrowserTests {
  @Test(
    "tidy finds no error in a page", .needs(.tidy),
    arguments: ReportPages.allCases)
  func tidy(shown: ReportPages) throws {
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
    "nothing overflows, is cut or overlaps at any width",
    .needs(.chromium),
    arguments: ReportPages.allCases)
  func widths(shown: ReportPages) throws {
    let path = try #require(Oracle.chromium.path)
    let folder = try Folder()
    let probe = try folder.write(
      Self.probe(try shown.html(), widths: [320, 390, 1_280]), "probe.html")
    let (_, dom) = try Tool.run(
      path,
      [
        "--headless=new", "--no-sandbox", "--disable-gpu",
        "--user-data-dir=\(folder.url.path)/profile", "--window-size=1400,900",
        "--hide-scrollbars", "--dump-dom", "file://\(probe.path)",
      ])
    let found = dom.firstMatch(of: /<title>([^<]*)<\/title><\/head>/)?.1
    #expect(found == "fits", "\(found ?? "no answer")")
  }

  @Test(
    "a page’s figures equal the record, its charts and controls work, and it prints in silence",
    .needs(.chromium), .needs(.selenium), arguments: ReportPages.allCases)
  func use(shown: ReportPages) throws {
    let folder = try Folder()
    let visit = try Visit(try folder.write(try shown.html(), "report.html"), ["--forms"])
    visit.expectQuiet()
    try checkForms(visit)
    try checkFigures(visit, of: shown)
  }

  /// Figures equal the record, a hover shows the row below it, zoom and keys work.
  private func checkFigures(_ visit: Visit, of shown: ReportPages) throws {
    func facts(_ record: some StoredRecord) -> Facts { Facts(record) }
    let all = facts(try shown.record)
    for fact in visit.facts {
      let form = try #require(Facts.Form(rawValue: fact[1]))
      #expect(all.text(fact[0], form) == fact[2], "\(fact)")
    }
    guard let charts = visit.charts else {
      // Their pictures are bars and shaded tables, with a number in each.
      #expect([.grid, .sensitivity].contains(shown))
      return
    }
    #expect(!charts.hover.instant.isEmpty && charts.hover.values.allSatisfy { !$0.isEmpty })
    #expect(charts.hover == charts.expected)
    #expect(Set(charts.hoverOthers).isSubset(of: [charts.hover.instant]))
    #expect(charts.zoomed[0] != charts.whole[0])
    if shown == .run {
      #expect(visit.facts.count > 30)
      #expect(Set(charts.hoverOthers) == [charts.hover.instant])
      #expect(charts.zoomed[0] == charts.zoomed[1])
    }
    #expect(charts.again == charts.whole)
    #expect(charts.home != charts.next && charts.spoken.hasPrefix(charts.next.instant))
  }

  /// Every control takes the focus by Tab and shows it; charts, tiles and controls have names.
  private func checkForms(_ visit: Visit) throws {
    let forms = try #require(visit.forms)
    #expect(forms.keyboard.focusable > 0 || visit.charts == nil)
    #expect(forms.keyboard.missed.isEmpty && forms.keyboard.unseen.isEmpty, "\(forms.keyboard)")
    let named: Set = [
      "application", "image", "img", "button", "slider", "combobox", "checkbox", "radio", "list",
      "heading", "DisclosureTriangle",
    ]
    let unnamed = forms.tree.filter {
      named.contains($0[0]) && $0[0] != "list" && $0[1].isEmpty
    }
    #expect(unnamed.isEmpty, "\(unnamed)")
    let roles = Dictionary(grouping: forms.tree, by: { $0[0] })
    #expect(roles["application"]?.count ?? 0 == visit.charts?.figures ?? 0)
    #expect(roles["list"]?.contains { $0[1] == "Figures" } == true)
    #expect(roles["heading"]?.count ?? 0 > 4)
    #expect(forms.light.paper == "rgb(255, 255, 255)")
    #expect(forms.dark.paper != forms.light.paper && forms.dark.text != forms.light.text)
    #expect(!forms.light.isWide && !forms.dark.isWide)
    // Paper is white whatever the screen, charts are pictures, and folded facts are open.
    #expect(forms.print.paper == forms.light.paper)
    #expect(forms.print.plots == 0 && forms.print.pictures >= forms.light.plots)
    #expect(forms.print.tables == forms.print.openTables)
    #expect(forms.pdf > 10_000)
  }

  /// The places of strangers' texts in pages with charts.
  enum Stranger: CaseIterable {
    case run, sweep, policies
  }

  @Test(
    "text of strangers stays text", .needs(.chromium), .needs(.selenium),
    arguments: Stranger.allCases)
  func strangers(who: Stranger) throws {
    let folder = try Folder()
    let evil = "</script><img src=x onerror=\"document.title='owned'\">\u{1B}[31m"
    let html: String
    switch who {
    case .run:
      html = reportHTML(
        RunFixture.live { record in
          record.scenario.name = evil
          record.scenario.question = evil
          record.reasons = [evil]
          record.storm = [RunFixture.storm]
          record.storm?[0].kind = evil
        }, .installed)
    case .sweep:
      var record = SweepFixture.record(("push.silentAfter", ["1", "2", "3"]))
      record.scenario.name = evil
      record.axes[0].key = evil
      record.axes[0].values = ["1", "2", "3"].map { $0 + evil }
      for place in record.points.indices {
        record.points[place].values = [record.axes[0].values[place]]
      }
      html = record.report.html(.installed)
    case .policies:
      var record = PoliciesFixture.record(3)
      record.scenario.name = evil
      record.policies[1].name = evil
      html = record.report.html(.installed)
    }
    let visit = try Visit(try folder.write(html, "report.html"))
    #expect(visit.title.contains("<img src=x") && visit.title != "owned")
    visit.expectQuiet()
    #expect(visit.charts != nil)
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

/// What `browser.py` finds on a page.
struct Visit: Decodable {
  struct Readout: Decodable, Equatable {
    var instant: String
    var values: [String]
  }
  struct Charts: Decodable {
    var figures: Int
    var whole, zoomed, again: [[Double]]
    var hover, expected, home, next: Readout
    var hoverOthers: [String]
    var spoken: String
  }
  struct Keyboard: Decodable {
    var focusable: Int
    var missed, unseen: [String]
  }
  struct Look: Decodable {
    var paper, text: String
    var plots, pictures, tables, openTables: Int
    var isWide: Bool
  }
  struct Forms: Decodable {
    /// Roles and names.
    var tree: [[String]]
    var keyboard: Keyboard
    var light, dark, print: Look
    var pdf: Int
  }
  var title: String
  var facts: [[String]]
  var charts: Charts?
  var forms: Forms?
  var requests: [String]
  var console: [String]

  init(_ page: URL, _ words: [String] = []) throws {
    let python = try #require(Oracle.selenium.path)
    let script = Machine.root.appendingPathComponent("Tests/LiveTests/Python/browser.py").path
    let (status, text) = try Tool.run(python, [script, page.absoluteString] + words)
    #expect(status == 0, "\(text)")
    let json = text.split(separator: "\n").last { $0.hasPrefix("{") }
    self = try JSONDecoder().decode(Visit.self, from: Data(try #require(json).utf8))
  }

  func expectQuiet(_ location: SourceLocation = #_sourceLocation) {
    #expect(console.isEmpty && requests.isEmpty, "\(console) \(requests)", sourceLocation: location)
  }
}
