import Core
import Foundation
import Scenarios
import TestSupport
import Testing
@testable import flotilla_lab

@Suite("Claims bound to measures", .quick)
struct ClaimRegistryTests {
  static let library = PublishedClaimTests.bench.library
  static let claims = (try? library.claims()) ?? []

  @Test("each registered claim has a measure, or a reason for none")
  func everyClaim() {
    let ids = Set(Self.claims.map(\.id))
    let measured = ClaimRegistry.measures.map(\.id)
    let missing = ClaimRegistry.missing.flatMap(\.ids)
    #expect(ids.count >= 127 && Set(measured + missing) == ids)
    #expect(measured.count + missing.count == ids.count, "a claim is bound twice")
    #expect(ClaimRegistry.measures.allSatisfy { !$0.cases.isEmpty })
  }

  static let worlds = ClaimRegistry.measures.flatMap { $0.cases.flatMap(\.parts) }.map(\.world)

  @Test("measures share worlds")
  func sharedWorlds() {
    #expect(Set(Self.worlds).count < Self.worlds.count)
  }

  /// The differences between worlds other than times, places and systems.
  static let settings = Set(
    worlds.compactMap { world -> FleetPlan? in
      guard case .fleet(let plan) = world else { return nil }
      return FleetPlan(policy: plan.policy, system: "ios17").with {
        $0.energy = plan.energy
        $0.push = plan.push
        $0.phone = plan.phone
      }
    })

  @Test("the settings of every world are valid", arguments: settings)
  func readable(plan: FleetPlan) {
    let changes = plan.settings.map { ScenarioChange($0) }
    #expect(throws: Never.self, "\(plan.name)") {
      _ = try Self.library.load("claims", settings: changes)
    }
  }

  @Test("each world's place, system and times are valid")
  func places() throws {
    var seen: Set<[String]> = []
    for case .fleet(let plan) in Self.worlds {
      let key = [plan.place.rawValue, plan.system, plan.start, plan.duration, plan.warmStart]
      guard seen.insert(key).inserted else { continue }
      let plain = plan.with { $0.policy = "hybrid" }
      let changes = plain.settings.map { ScenarioChange($0) }
      #expect(throws: Never.self, "\(plan.name)") {
        _ = try Self.library.load(plan.place.rawValue, settings: changes)
      }
    }
  }

  @Test("one phone's figure is set beside the spread over phones, and a bound shows one end")
  func spread() throws {
    func text(_ of: ObservedOf) throws -> String {
      let claim = try #require(Self.claims.first { $0.observation.of == of })
      let value = Ratio(value: 3.25, low: 3.25, high: 3.25)
      let judged = JudgedClaim(claim, [("", value)], phones: [Band(1.75, 9.5)])
      return CalibrationTable([], [judged]).text
    }
    #expect(try text(.onePhone).contains("1.75 – 9.5"))
    for of in [ObservedOf.populationMedian, .populationShare, .bound] {
      #expect(try !text(of).contains("9.5"), "\(of)")
    }
    for claim in Self.claims where claim.observation.of == .bound {
      let line = try #require(
        CalibrationTable([], [JudgedClaim(claim, [("", nil)])]).text
          .split(whereSeparator: \.isNewline).first { $0.hasPrefix(claim.id) })
      #expect(line.contains("≤") || line.contains("≥"), "\(line)")
    }
  }

  @Test("the worst value decides a claim; the first line is the recorded score")
  func worst() throws {
    let claim = try #require(
      Self.claims.first { $0.kind == .predict && $0.observation.of != .bound })
    let (low, high) = (try #require(claim.band.low), try #require(claim.band.high))
    let middle = (low + high) / 2
    func judged(_ values: [Double?]) -> JudgedClaim {
      JudgedClaim(
        claim, values.map { value in ("", value.map { Ratio(value: $0, low: $0, high: $0) }) })
    }
    let beyond = 2 * high
    #expect(judged([middle]).verdict == .pass)
    #expect(judged([middle, beyond]).verdict == .short)
    #expect(judged([middle, nil]).verdict == .skipped)
    let without = JudgedClaim(claim, notJudged: "no such thing")
    #expect(without.verdict == .skipped)
    let table = CalibrationTable([], [judged([middle]), judged([beyond]), without])
    #expect(table.text.hasPrefix("no intervals are recorded: "))
    let interval = ClaimInterval(
      id: claim.id, value: 1, quantiles: [1, 2, 3, 4, 5], pit: 0.5, isReached: true, commit: "abc")
    let evidence = ClaimEvidence(Self.claims, [interval])
    let scored = CalibrationTable([], table.claims, evidence)
    let first = String(scored.text.prefix { !$0.isNewline })
    #expect(first == "\(try #require(evidence).line) (recorded at abc)")
    #expect(table.text.contains("not judged: no such thing") && table.isMissed)
    #expect(try scored.json().contains("\"contained\" : 1"))
  }
}
