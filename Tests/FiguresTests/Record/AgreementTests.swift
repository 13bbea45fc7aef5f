import Foundation
import TestSupport
import Testing
@testable import Core
@testable import Figures

@Suite("All silent phones of a live run", .quick)
struct AllSilentTests {
  @Test("unreachable phones that report without a push count as answered, never as caused")
  func sums() throws {
    var wake = RunRecord.Wake()
    wake.eligible = 100
    wake.answered = Ratio(value: 0.4, low: 0.3, high: 0.5)
    wake.caused = Ratio(value: 0.3, low: 0.2, high: 0.4)
    wake.setAllSilent(unreachable: 300, answeredByThemselves: 20)
    let all = try #require(wake.allSilent)
    #expect(all.occasions == 400 && all.unreachable == 300)
    #expect(all.answered == Ratio(value: 0.15, low: 0.125, high: 0.175))
    #expect(all.caused == Ratio(value: 0.075, low: 0.05, high: 0.1))
  }

  @Test("if all phones are reachable there is no second figure")
  func none() {
    var wake = RunRecord.Wake()
    wake.setAllSilent(unreachable: 0, answeredByThemselves: 0)
    #expect(wake.allSilent == nil)
  }
}

@Suite("A live run compared with its simulation", .quick)
struct AgreementTests {
  /// Phones of which every third answers its two pushes.
  private static func trace(
    phones: Int = 300, minutes: [UInt32] = [2_000, 900, 1_000], answers: (Int) -> Bool
  ) -> RunTrace {
    var trace = RunTrace(uploadsByMinute: minutes, behaviour: (0..<phones).map { UInt64($0) })
    for phone in 0..<phones {
      var pushes = RunTrace.Pushes()
      pushes.eligible = 2
      pushes.answered = answers(phone) ? 2 : 0
      trace.pushes[UInt32(phone)] = pushes
    }
    return trace
  }

  @Test("a run agrees with itself")
  func itself() throws {
    let one = Self.trace { $0 % 3 == 0 }
    let agreement = RunRecord.Agreement(live: one, simulated: one, seed: 1)
    #expect(agreement.answeredDifference == Ratio(value: 0, low: 0, high: 0))
    #expect(agreement.phonesAlike == 1)
    #expect(agreement.rateDifferenceMax == 0)
    #expect(try #require(agreement.answered) == 100.0 / 300)
  }

  @Test("a minute with fewer than 1,000 uploads is not compared")
  func minutes() {
    let simulated = Self.trace { _ in true }
    let live = Self.trace(minutes: [2_100, 1, 980]) { _ in true }
    let agreement = RunRecord.Agreement(live: live, simulated: simulated, seed: 1)
    #expect(agreement.minutesCompared == 2)
    #expect(abs((agreement.rateDifferenceMax ?? 0) - 0.05) < 1e-12)
    #expect(agreement.uploadsLive == 3_081 && agreement.uploadsSimulated == 3_900)
  }

  @Test("phones that answer only live give an interval without 0")
  func parts() throws {
    let agreement = RunRecord.Agreement(
      live: Self.trace { $0 % 3 == 0 }, simulated: Self.trace { $0 % 4 == 0 }, seed: 1)
    let difference = try #require(agreement.answeredDifference)
    #expect(abs(difference.value - (1.0 / 3 - 1.0 / 4)) < 1e-12)
    #expect(!difference.mayBeZero)
    #expect(agreement.sentences[0].contains(", significant."))
  }

  @Test("a phone pushed in only one of the runs still counts there")
  func onlyOnce() {
    var live = Self.trace { _ in true }
    live.pushes[0] = nil
    let agreement = RunRecord.Agreement(live: live, simulated: Self.trace { _ in true }, seed: 1)
    #expect(agreement.answeredDifference?.value == 0)
  }

  @Test("without pushes and without busy minutes it says so")
  func nothing() throws {
    let empty = RunTrace(uploadsByMinute: [3], behaviour: [7])
    let agreement = RunRecord.Agreement(live: empty, simulated: empty, seed: 1)
    #expect(agreement.answered == nil && agreement.rateDifferenceMax == nil)
    #expect(agreement.sentences.count == 2)
    let read = try JSONDecoder().decode(
      RunRecord.Agreement.self, from: JSONEncoder().encode(agreement))
    #expect(read == agreement)
  }
}
