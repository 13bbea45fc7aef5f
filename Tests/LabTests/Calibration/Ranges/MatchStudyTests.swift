import Capacity
import Core
import Foundation
import Run
import Scenarios
import TestSupport
import Testing
@testable import flotilla_lab

/// Nothing is simulated: the figures of a claim follow from the positions of two parameters.
@Suite("History matching of claims", .quick)
struct MatchStudyTests {
  private static let plan = PeoplePlan(scenario: "city", people: 6, days: 1)
  private static let ids = ["sum", "first", "second", "other", "far", "bound"]

  private static func study(_ claims: [RegisteredClaim], points: Int = 40) -> MatchStudy {
    MatchStudy(
      ClaimRunTests.bench(threads: 2), claims, ids.map { ClaimRunTests.measure($0, plan) },
      points: points, commit: "abc")
  }

  private static func claim(
    _ id: String, _ value: Double, _ of: ObservedOf = .populationMedian,
    kind: RegisteredClaim.Kind = .fit
  ) -> RegisteredClaim {
    ClaimFixture.claim(id, value, .factor(1.05), of, kind: kind)
  }

  private static let claims = [
    claim("sum", 85), claim("first", 14.4), claim("second", 5.92), claim("bound", 6, .bound),
    claim("predicted", 1, kind: .predict),
  ]

  /// - Parameter keys: the parameters that move claims.
  private static func draws(_ x: Double, _ y: Double) -> RangeStudy.Draws {
    [
      "sum": [[exp(8 * (x + y))]], "first": [[exp(8 * x)]], "second": [[exp(8 * y)]],
      "other": [[exp(8 * (1 - x))]], "bound": [[3 + 6 * x]], "far": [[1 + x]],
    ]
  }

  private static func progress(_ study: RangeStudy, _ keys: [String]) -> RangeStudy.Progress {
    let columns = keys.map {
      study.columns[$0] ?? VariedScenario.column(of: $0, points: study.points)
    }
    var progress = RangeStudy.Progress(study: "")
    for point in 0..<study.points {
      progress.draws[point] = draws(columns[0][point], columns[1][point])
    }
    return progress
  }

  private static let keys = Result {
    Array(try VariedWorlds(study(claims).wave()).parameters().keys.sorted().prefix(2))
  }

  @Test("narrows the parameters that move claims, and verifies sets that meet them")
  func matches() throws {
    let keys = try Self.keys.get()
    var stages: [String] = []
    let result = try Self.study(Self.claims).run { stage, study in
      stages.append("\(stage) \(study.points)")
      return Self.progress(study, keys)
    }
    // The walks end when there are enough sets.
    let expected = (1...4).map { "wave \($0) 40" } + (1...2).map { "walk \($0) 40" }
    #expect(stages.dropLast() == expected[...])
    let met = result.waves.map(\.met) + result.walks.map(\.met)
    #expect(stages.last == "sets \(3 * min(met.reduce(0, +), MatchStudy.setsMax))")
    #expect(met[0] < met[3] && met[4...].allSatisfy { $0 > 10 })
    #expect(Set(result.keys) == Set(keys) && result.claims.count == 4 && result.stop == nil)
    #expect(result.waves.count == 4 && result.waves[3].share < 0.1)
    #expect(result.sets.count > 15)
    // A set meets two of three claims: x is at 1/3 of the range, y at 2/9, their sum at 5/9.
    let axes = keys.compactMap { result.keys.firstIndex(of: $0) }
    for place in result.sets {
      let set = axes.map { place[$0] }
      let met = [set[0] - 1.0 / 3, set[1] - 2.0 / 9, set[0] + set[1] - 5.0 / 9]
      #expect(met.count { abs($0) < 0.1 } >= 2, "\(set)")
    }
    #expect(result.claims.allSatisfy { !$0.isMissing(true) })
    #expect(!result.text.contains("mechanism"))
    let lines = result.csv.split(whereSeparator: \.isNewline)
    #expect(lines.count == result.sets.count + 1)
    #expect(lines[0] == "set,commit,\(result.keys.joined(separator: ","))")
    #expect(lines[1].hasPrefix("1,abc,") && !lines[1].hasSuffix(","))
  }

  @Test("two pairs of claims that contradict each other leave no set")
  func contradiction() throws {
    let keys = try Self.keys.get()
    // x is at 1/3 or 9/10 of the range, y at 2/9 or, by the sum, at 7/10 or above.
    let claims = [
      Self.claim("first", 14.4), Self.claim("other", 2.23), Self.claim("second", 5.92),
      Self.claim("sum", 362_000),
    ]
    var stages = 0
    let result = try Self.study(claims).run { _, study in
      stages += 1
      return Self.progress(study, keys)
    }
    #expect(stages < 5 && result.sets.isEmpty && result.waves.last?.share == 0)
    #expect(result.claims.allSatisfy { !$0.isMissing(false) })
  }

  @Test("a claim that no set reaches is a missing mechanism, and rules out nothing")
  func missing() throws {
    let keys = try Self.keys.get()
    let one = try Self.study(Self.claims + [Self.claim("far", 40)]).run {
      Self.progress($1, keys)
    }
    #expect(!one.sets.isEmpty)
    #expect(one.claims.filter { $0.isMissing(true) }.map(\.claim.id) == ["far"])
    let row = one.text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("far") }
    #expect(row?.hasSuffix("a mechanism is missing") == true)
    let far = [Self.claim("far", 40), Self.claim("bound", 300), Self.claim("first", 14.4)]
    let two = try Self.study(far).run { Self.progress($1, keys) }
    #expect(two.claims.filter { $0.isMissing(true) }.map(\.claim.id) == ["far", "bound"])
    #expect(!two.sets.isEmpty, "claims that no point reaches rule out nothing")
    #expect(try two.json().contains("\"isMissing\" : true"))
  }

  @Test(
    "a stopped match has its finished waves", arguments: ["wave 1", "wave 2", "walk 1", "sets"])
  func stopped(_ end: String) throws {
    let keys = try Self.keys.get()
    let result = try Self.study(Self.claims).run { stage, study in
      stage == end ? nil : Self.progress(study, keys)
    }
    #expect(result.stop != nil && result.text.contains("stopped in "))
    #expect(result.waves.count == (end == "wave 1" ? 0 : end == "wave 2" ? 1 : 4))
    #expect(result.sets.isEmpty && (result.claims[0].least == nil) == (end == "wave 1"))
  }

  @Test("without a value of any claim nothing is ruled out, and no claim is judged")
  func silent() throws {
    let result = try Self.study(Self.claims, points: 2).run { _, study in
      var progress = RangeStudy.Progress(study: "")
      for point in 0..<study.points { progress.draws[point] = [:] }
      return progress
    }
    #expect(result.keys.isEmpty && result.waves.map(\.share) == [1, 1, 1, 1])
    #expect(result.claims.allSatisfy { $0.least == nil && !$0.isMissing(false) })
    #expect(result.sets.isEmpty, "a set without values is not verified")
  }
}
