import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("Untrusted texts of a run's record", .quick)
struct ForeignFieldTests {
  private static let text =
    "\u{1B}]0;x\u{7}\u{9B}2J<script>alert(1)</script>![p](http://x)[l](http://x)|\n# h\u{202E}"

  /// The same JSON with `text` in place of each text whose path is in `paths`; list items share one
  /// path. Adds the paths of all texts to `found`, once for each text.
  private static func poisoned(
    _ value: Any, _ paths: Set<String>, at path: String = "", _ found: inout [String]
  ) -> Any {
    switch value {
    case let object as [String: Any]:
      var copy = object
      for (key, part) in object.sorted(by: { $0.key < $1.key }) {
        copy[key] = poisoned(part, paths, at: "\(path).\(key)", &found)
      }
      return copy
    case let list as [Any]:
      return list.map { poisoned($0, paths, at: "\(path)[]", &found) }
    case is String:
      found.append(path)
      return paths.contains(path) ? text : value
    case let value: return value
    }
  }

  /// A run's record in which every free text is `text`.
  private static func files() throws -> (files: RunFiles, count: Int) {
    var files = RunFixture.live { record in
      record.reasons = ["a", "b"]
      record.machine.system = "Linux"
    }
    let json = try JSONSerialization.jsonObject(with: files.record.json())
    func record(_ paths: Set<String>) throws -> RunRecord {
      var found: [String] = []
      let data = try JSONSerialization.data(withJSONObject: poisoned(json, paths, &found))
      return try RunRecord(json: data)
    }
    var all: [String] = []
    _ = poisoned(json, [], &all)
    // An enumerated word is not free: a record with another one is refused.
    let paths = Set(all).filter { (try? record([$0])) != nil }
    files.record = try record(paths)
    return (files, all.count { paths.contains($0) })
  }

  @Test("neither summary nor report contains untrusted control characters or markup")
  func pages() throws {
    let (files, count) = try Self.files()
    #expect(count > 40, "\(count) texts")
    let summary = summaryMarkdown(files.record)
    let report = reportHTML(files, .none)
    for page in [summary, report] {
      #expect(!page.contains("<script>alert"))
      let controls = page.unicodeScalars.filter { ForeignText.isControl($0) && $0 != "\n" }
      #expect(controls.isEmpty, "\(controls.map(\.value))")
    }
    #expect(summary.contains("&lt;script>alert(1)"), "their texts are there")
    let lines = summary.split(separator: "\n").filter { $0.contains("](http") || $0 == "# h" }
    #expect(lines.isEmpty, "\(summary)")
    #expect(report.contains("&lt;script&gt;alert(1)"))
  }
}
