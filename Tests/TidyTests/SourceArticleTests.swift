import Foundation
import TestSupport
import Testing

@Suite("Statements of the source articles", .quick)
struct SourceArticleTests {
  @Test("the summary counts the states in the tables above it")
  func summary() throws {
    let lines = try SourceTree.text("Sources/Phone/Phone.docc/SourceArticles.md")
      .split(separator: "\n")
    let states = ["works", "partly", "measures its input", "missing"]
    var counts: [String: [Int]] = [:]
    var sums: [String: [Int]] = [:]
    var article = ""
    for line in lines {
      if let head = line.firstMatch(of: #/^## (S\d):/#) { article = String(head.1) }
      let cells = line.split(separator: "|").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      if Int(cells.first ?? "") != nil, let state = cells.last {
        let column = states.firstIndex(where: state.hasPrefix)
        counts[article, default: [0, 0, 0, 0]][try #require(column, "\(state)")] += 1
      } else if let name = cells.first, cells.count == 6 {
        let numbers = cells.dropFirst().compactMap { Int($0) }
        if numbers.count == 5 { sums[name] = numbers }
      }
    }
    #expect(counts.count == 5)
    for (article, counted) in counts {
      #expect(sums[article] == [counted.reduce(0, +)] + counted, "\(article)")
    }
    let all = states.indices.map { column in counts.values.reduce(0) { $0 + $1[column] } }
    #expect(sums["all"] == [all.reduce(0, +)] + all)
  }
}
