import Foundation
import Measure
import Testing

@testable import Report

@Suite("Report page")
struct ReportPageTests {
  /// A plot that needs no gnuplot.
  static let blank: Plotter = { _ in
    """
    <svg viewBox="0 0 9 9">
    <g id="gnuplot_canvas">
    <path stroke='rgb(1,2,4)'/>
    </g>
    </svg>
    """
  }

  @Test("the same files give the same bytes")
  func isPure() {
    let files = RunFixture.live()
    #expect(reportHTML(files, plot: Self.blank) == reportHTML(files, plot: Self.blank))
  }

  @Test("it needs nothing from anywhere: no script, no address, no import")
  func isSelfContained() throws {
    let html = reportHTML(RunFixture.live(), plot: Tool.gnuplot.map { $0.svg } ?? Self.blank)
    for word in ["<script", "http:", "https:", "@import", "url(", "src=", "href=", "<link"] {
      #expect(!html.contains(word), "\(word)")
    }
  }

  @Test("every picture has a sentence, and a table under a fold")
  func picturesHaveTables() {
    let html = reportHTML(RunFixture.live(), plot: Self.blank)
    let sections = html.split(separator: "<section ").dropFirst()
    let pictured = sections.filter { $0.contains("<figure>") }
    #expect(pictured.count == 11)
    for section in pictured {
      #expect(
        section.contains("</h2>\n<p>") && section.contains("<details"), "\(section.prefix(40))")
      #expect(section.ranges(of: "<svg class=\"wide\"").count == 1)
      #expect(section.ranges(of: "<svg class=\"narrow\"").count == 1)
    }
  }

  @Test("without gnuplot it keeps its tables and says so")
  func withoutGnuplot() {
    let html = reportHTML(RunFixture.live(), plot: nil)
    #expect(html.contains("No charts: gnuplot was not found"))
    #expect(!html.contains("<svg"))
    #expect(html.ranges(of: "<table>").count > 10)
    #expect(!reportHTML(RunFixture.live(), plot: { _ in nil }).contains("<svg"))
  }

  @Test("nothing that a record says becomes markup")
  func escapes() {
    let evil = "</style><script>alert('x')</script>\u{7}"
    let files = RunFixture.live { record in
      record.scenario.name = evil
      record.scenario.question = evil
      record.scenario.text = evil
      record.command = [evil]
      record.reasons = [evil]
      record.errors = [evil: 1]
      record.machine.system = evil
      record.machine.processes[evil] = .init()
      record.stale[evil] = 5
      record.tool.version = evil
    }
    let html = reportHTML(files, plot: Self.blank)
    #expect(!html.contains("<script"))
    #expect(!html.contains("\u{7}"))
    #expect(html.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"))
  }

  @Test("a record of an older program, and an empty one, still make a page")
  func lacksThings() {
    let empty = reportHTML(RunFiles(record: RunRecord()), plot: Self.blank)
    #expect(empty.contains("</html>"))
    var old = RunFixture.live { record in
      record.map = nil
      record.scenario.utcOffsetSeconds = nil
    }
    let header = "wall_s,scenario_s,phase,offered_per_s,acked_per_s"
    old.timeline =
      (try? Timeline(csv: "\(header)\n1,1772433060,ramp,5,5\n2,1772433120,ramp,6,6\n"))
      ?? Timeline()
    let html = reportHTML(old, plot: Self.blank)
    #expect(html.contains("id=\"rate\"") && !html.contains("id=\"map\""))
    #expect(html.contains("07:31:00"), "without an offset the clock is found all the same")
  }

  @Test("tidy finds no error", .enabled(if: Tool.path("tidy") != nil, "tidy is not installed"))
  func tidy() throws {
    let path = try #require(Tool.path("tidy"))
    let folder = try Folder()
    for (name, files) in FirstScreenTests.runs {
      let plot = name == "pass" ? Tool.gnuplot.map { $0.svg } : nil
      let file = try folder.write(reportHTML(files, plot: plot ?? Self.blank), "report.html")
      let (status, text) = try Tool.run(path, ["-q", "-e", file.path])
      #expect(status == 0, "\(name): \(text)")
    }
  }

  /// A page that shows the report at a width and asks it whether anything sticks out, is cut or
  /// overlaps; its title is the answer.
  static func probe(_ html: String, width: Int) -> String {
    let quoted = html.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
    return """
      <!DOCTYPE html><html><head><title>silence</title></head><body>
      <iframe id="page" width="\(width)" height="900" style="border:0" srcdoc="\(quoted)"></iframe>
      <script>
      onload = () => {
        const inside = document.getElementById('page').contentDocument;
        const root = inside.documentElement;
        const faults = [];
        if (root.scrollWidth > root.clientWidth) faults.push('wider than the screen');
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
        document.title = faults.length ? faults.join('; ') : 'fits';
      };
      </script></body></html>
      """
  }

  @Test(
    "Chromium opens it at both widths and prints it, without a word on the console",
    .enabled(if: Tool.path("chromium") != nil, "chromium is not installed"))
  func chromium() throws {
    let path = try #require(Tool.path("chromium"))
    let folder = try Folder()
    let plot = Tool.gnuplot.map { $0.svg } ?? Self.blank
    let file = try folder.write(
      reportHTML(RunFixture.live { $0.storm = [RunFixture.storm] }, plot: plot), "report.html")
    let pdf = folder.url.appendingPathComponent("report.pdf")
    let common = [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
      "--user-data-dir=\(folder.url.path)/profile",
    ]
    for width in [390, 1_280] {
      let html = try String(contentsOf: file, encoding: .utf8)
      let probe = try folder.write(Self.probe(html, width: width), "probe.html")
      let (_, dom) = try Tool.run(
        path,
        common + [
          "--window-size=1400,900", "--hide-scrollbars", "--dump-dom", "file://\(probe.path)",
        ])
      let found = dom.firstMatch(of: /<title>([^<]*)<\/title><\/head>/)?.1
      #expect(found == "fits", "at \(width) px: \(found ?? "no answer")")
    }
    let (status, text) = try Tool.run(
      path, common + ["--print-to-pdf=\(pdf.path)", "file://\(file.path)"])
    #expect(status == 0)
    #expect(!text.contains("CONSOLE"), "\(text)")
    let size = try FileManager.default.attributesOfItem(atPath: pdf.path)[.size] as? Int
    #expect((size ?? 0) > 10_000)
  }
}
