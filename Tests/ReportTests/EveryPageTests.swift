import Core
import Figures
import Foundation
import TestSupport
import Testing
@testable import Report
@testable import ReportSupport

@Suite("Every page", .quick)
struct EveryPageTests {
  @Test(
    "begins with its name, a sentence and tiles; a picture follows before any prose",
    arguments: ReportPages.allCases)
  func order(page: ReportPages) throws {
    let html = try page.html(.none)
    let main = try #require(html.split(separator: "<main>\n").last)
    #expect(main.hasPrefix("<header id=\"answers\">\n<h1>"))
    let head = try #require(main.split(separator: "</header>").first)
    #expect(head.contains("<p class=\"answer\">"))
    #expect(head.components(separatedBy: "<li class=\"tile").count > 2, "\(head)")
    let first = try #require(main.split(separator: "<section ").dropFirst().first)
    #expect(first.contains("<figure") || first.contains("<table class=\"heat\""), "\(first)")
  }

  @Test("has its verdict beside its name, where there is one", arguments: ReportPages.allCases)
  func badge(page: ReportPages) throws {
    let badge = try page.html(.none).firstMatch(
      of: /<h1>[^<]*(?:<span[^>]*>[^<]*<\/span>)? <strong class="badge ([a-z]+)">([^<]*)</)
    let found = badge.map { "\($0.2): \($0.1)" }
    switch page {
    case .run, .plan, .givenPlan, .demand, .policies, .sweep, .grid: #expect(found == "pass: pass")
    case .runs: #expect(found == "regression: bad")
    case .tune: #expect(found == "bound uncertain: open")
    case .reconnect: #expect(found == "all served: pass")
    case .sensitivity, .fit, .overload: #expect(found == nil)
    }
  }

  @Test("cites figures as its record has them", arguments: ReportPages.allCases)
  func citations(page: ReportPages) throws {
    func facts(_ record: some StoredRecord) -> Facts { Facts(record) }
    let all = facts(try page.record)
    let found = try page.html(.none).matches(
      of: /data-key="([^"]*)" data-form="([^"]*)">([^<]*)</)
    let isCited: Bool
    switch page {
    case .runs, .overload, .reconnect: isCited = false
    case .run, .plan, .givenPlan, .demand, .policies, .sweep, .grid, .tune, .sensitivity, .fit:
      isCited = true
    }
    #expect(found.isEmpty != isCited)
    for one in found {
      let form = try #require(Facts.Form(rawValue: String(one.2)))
      let text = try #require(all.text(String(one.1), form), "\(one.1)")
      #expect(ForeignText.inHTML(text) == one.3, "\(one.1)")
    }
  }

  @Test(
    "is at most 1.5 MB, asks for nothing, and names its pictures", arguments: ReportPages.allCases)
  func whole(page: ReportPages) throws {
    let html = try page.html(.installed)
    #expect(html.utf8.count < 1_500_000)
    let text = html.replacing(/<script>(?s:.)*?<\/script>|<style>(?s:.)*?<\/style>/, with: "")
    for word in ["http:", "https:", "src=", "href=", "<link"] { #expect(!text.contains(word)) }
    for svg in text.split(separator: "<svg ").dropFirst() {
      let tag = svg.prefix { $0 != ">" }
      #expect(tag.contains("aria-hidden") || tag.contains("role=\"img\" aria-label=\""), "\(tag)")
    }
    #expect(!html.contains("Damaged record"))
  }

  @Test("panels are over one axis, the last with its labels", arguments: ReportPages.allCases)
  func panels(page: ReportPages) throws {
    let html = try page.html(.none)
    for group in html.split(separator: "<div class=\"panels\">").dropFirst() {
      let panels = group.split(separator: "</section>")[0].components(
        separatedBy: "<figure class=\"panel")
      #expect(panels.count > 1)
      #expect(panels.last?.hasPrefix(" last\"") == true)
    }
    let hasPanels: Set<ReportPages> = [
      .run, .plan, .givenPlan, .demand, .runs, .sweep, .overload, .reconnect,
    ]
    #expect(html.contains("<div class=\"panels\">") == hasPanels.contains(page))
  }
}
