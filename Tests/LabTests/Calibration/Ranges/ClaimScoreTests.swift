import Core
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import flotilla_lab

@Suite("Scores of forecasts", .quick)
struct ClaimScoreTests {
  /// - Parameter off: how often the figure is e times the model's one value.
  static func forecast(
    _ id: String, off: Double, source: String = "https://example.org/a",
    area: RegisteredClaim.Area = .push
  ) -> ClaimForecast {
    ClaimForecast(
      ClaimFixture.claim(id, 10 * exp(off), .factor(exp(0.1)), area: area, source: source),
      [[[10]]], commit: "abc")
  }

  @Test("Jeffreys's interval has the quantiles of the beta distribution")
  func jeffreys() {
    // scipy.stats.beta.ppf([0.025, 0.975], 41.5, 16.5) and (0.5, 10.5), (5.5, 0.5).
    let many = Jeffreys.interval(41, of: 57)
    #expect(abs(many.low - 0.593_95) < 1e-4 && abs(many.high - 0.823_02) < 1e-4, "\(many)")
    #expect(many.value == 41 / 57.0)
    let none = Jeffreys.interval(0, of: 10)
    #expect(none.low == 0 && abs(none.high - 0.217_2) < 1e-4, "\(none)")
    let all = Jeffreys.interval(5, of: 5)
    #expect(all.high == 1 && abs(all.low - 0.620_62) < 1e-4, "\(all)")
  }

  @Test("a source weighs one, however many of its figures are registered")
  func weights() throws {
    let many = "https://github.com/a/app/issues/"
    let forecasts =
      (0..<4).map { Self.forecast("X\($0)", off: 1, source: "\(many)\($0)") }
      + [Self.forecast("Y", off: 0, source: "https://www.example.org/b")]
    let score = try #require(ClaimScore(forecasts))
    #expect(score.figures == 5 && score.sources == 2)
    #expect(score.most.value == 0.5 && score.half.value == 0.5)
    let wrong = try #require(forecasts[0].crps)
    let right = try #require(forecasts[4].crps)
    #expect(abs(try #require(score.crps).value - (wrong + right) / 2) < 1e-12)
    #expect(try #require(score.crps).low == right && score.crps?.high == wrong)
    #expect(abs(try #require(score.width) - exp(2 * 1.644_853_6 * 0.1)) < 1e-4)
  }

  @Test(
    "a source is a host; of a host with many authors, the repository or the question",
    arguments: [
      ("https://www.nature.com/articles/7500165", "nature.com"),
      ("http://mobility-net.org/em-eval-metrics/metrics.html", "mobility-net.org"),
      ("https://github.com/home-assistant/iOS/issues/2729", "github.com/home-assistant/iOS"),
      ("https://github.com/owntracks/ios/issues/76; https://x.org/y", "github.com/owntracks/ios"),
      (
        "https://stackoverflow.com/questions/9797777/title/9948374",
        "stackoverflow.com/questions/9797777/title"
      ),
    ])
  func origins(address: String, origin: String) {
    #expect(ClaimFixture.claim("X", 1, source: address).origin == origin)
  }

  @Test("a bound is the probability of meeting it, and no part of the score")
  func bounds() throws {
    let claim = ClaimFixture.claim("X", 10, .factor(1), .bound)
    let forecast = ClaimForecast(claim, [[[5]], [[8]], [[12]], [[9]]], commit: "")
    let interval = try #require(forecast.interval)
    #expect(interval.pit == 0.75 && interval.isReached && forecast.crps == nil)
    #expect(ClaimScore([forecast]) == nil)
    let never = ClaimForecast(claim, [[[15]], [[18]]], commit: "")
    #expect(never.interval?.pit == 0 && never.interval?.isReached == false)
  }

  @Test("a figure is reached if values lie on both sides, or within the error of the observation")
  func reached() {
    func isReached(_ draws: [[[Double]]], _ error: ObservationError = .factor(1.1)) -> Bool? {
      ClaimForecast(ClaimFixture.claim("X", 100, error), draws, commit: "").interval?.isReached
    }
    #expect(isReached([[[60]], [[130]]]) == true)
    #expect(isReached([[[60]], [[84]]]) == false)
    #expect(isReached([[[60]], [[86]]]) == true)
    #expect(
      isReached([[[84]]], .absolute(10)) == true && isReached([[[83]]], .absolute(10)) == false)
    // Two profiles, neither of which reaches it.
    #expect(isReached([[[60], [130]], [[70], [140]]]) == false)
  }

  @Test("the table has the score first, then the areas, the shipped values and each claim")
  func table() throws {
    let forecasts = [
      Self.forecast("X", off: 1), Self.forecast("Y", off: 0, area: .energy),
      ClaimForecast(ClaimFixture.claim("Z", 1), notJudged: "no 5G"),
    ]
    let table = RangeTable(
      forecasts: forecasts, shipped: [Self.forecast("Y", off: 0)], points: 7)
    let lines = table.text.split(separator: "\n")
    #expect(
      lines[0]
        == """
        90 % intervals contained 1 of 2 published figures (50 %), a factor of 1.39 wide; \
        energy 1 of 1, push 0 of 1
        """)
    #expect(lines.contains { $0.hasPrefix("all, shipped values  1") })
    #expect(lines.contains { $0.hasPrefix("X ") && $0.hasSuffix("no point reaches it") })
    #expect(lines.contains { $0.hasPrefix("Z ") && $0.hasSuffix("not judged: no 5G") })
    #expect(lines.contains { $0.hasPrefix("skill of the shipped values against the ranges: 0.9") })
    let csv = table.csv.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(csv.count == 4 && csv.allSatisfy { $0.count == csv[0].count }, "\(csv)")
    #expect(table.intervals.split(separator: "\n").count == 3)
    let read = ClaimEvidence(
      forecasts.map(\.claim),
      table.intervals.split(separator: "\n").compactMap { ClaimInterval($0) })
    #expect(read?.all == table.evidence?.all)
    #expect(try table.json().contains("\"schema\" : \"flotilla.ranges/1\""))
  }

  @Test("a table of matched sets has the CRPS of the whole ranges beside each area's")
  func ofSets() {
    let table = RangeTable(
      forecasts: [Self.forecast("X", off: 0), Self.forecast("Y", off: 0, area: .energy)],
      shipped: [], whole: [Self.forecast("X", off: 1)], points: 7)
    let lines = table.text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("area") && $0.hasSuffix("of the ranges") })
    #expect(lines.contains { $0.hasPrefix("push") && $0.hasSuffix("]") })
    #expect(lines.contains { $0.hasPrefix("energy") && $0.hasSuffix("–") })
    #expect(lines.contains { $0.hasPrefix("skill of the matched sets against the ranges: 0.9") })
  }

  // MARK: Gate

  /// Two areas with four sources each, whose model is right on the whole.
  static func model(push: Double) -> [ClaimForecast] {
    [RegisteredClaim.Area.push, .energy].flatMap { area in
      (0..<8).map { n in
        forecast(
          "\(area)-\(n)", off: (Double(n % 4) - 1.5) * 0.1 + (area == .push ? push : 0),
          source: "https://host\(n / 2).org/\(n)", area: area)
      }
    }
  }

  @Test("an unchanged model passes the gate, a worsened one fails it with area and amount")
  func gate() throws {
    let recorded = ScoreGate.text(Self.model(push: 0), commit: "abc")
    #expect(try #require(ScoreGate.losses(Self.model(push: 0), since: recorded)).isEmpty)
    let losses = try #require(ScoreGate.losses(Self.model(push: 0.5), since: recorded))
    #expect(losses.contains { $0.hasPrefix("push: coverage of 90 % intervals 100.0 % to 0.0 %") })
    #expect(losses.contains { $0.hasPrefix("push: CRPS 0.") && $0.contains("95 % interval") })
    #expect(!losses.contains { $0.hasPrefix("energy") })
    // The other way round it became better.
    let worse = ScoreGate.text(Self.model(push: 0.5), commit: "abc")
    #expect(try #require(ScoreGate.losses(Self.model(push: 0), since: worse)).isEmpty)
  }

  @Test("the gate simulates only the predictions that count in the score")
  func worlds() {
    let bench = ClaimRunTests.bench(threads: 1)
    let gate = ScoreGate.study(bench, ClaimRegistryTests.claims, commit: "abc")
    let all = RangeStudy(bench, ClaimRegistryTests.claims, points: 8)
    #expect(gate.points == 8 && !gate.claims.isEmpty)
    #expect(gate.claims.count { !$0.isScored } == 0)
    #expect(gate.run.worlds.count < all.run.worlds.count)
    let ids = Set(gate.claims.map(\.id))
    #expect(gate.run.measures.allSatisfy { ids.contains($0.id) })
  }

  @Test("one figure that became worse is within the bootstrap error")
  func oneFigure() throws {
    let recorded = ScoreGate.text(Self.model(push: 0), commit: "abc")
    var now = Self.model(push: 0)
    now[0] = Self.forecast("push-0", off: 2, source: "https://host0.org/0")
    #expect(try #require(ScoreGate.losses(now, since: recorded)).isEmpty)
  }

  @Test("new predictions are not compared; without a common one there is no gate")
  func unknown() throws {
    let recorded = ScoreGate.text(Self.model(push: 0), commit: "abc")
    let new = Self.forecast("new", off: 3, source: "https://new.org")
    #expect(try #require(ScoreGate.losses(Self.model(push: 0) + [new], since: recorded)).isEmpty)
    #expect(ScoreGate.losses([new], since: recorded) == nil)
    #expect(ScoreGate.losses([new], since: "") == nil)
  }
}
