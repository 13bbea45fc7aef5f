import Core
import TestSupport
import Testing
@testable import Capacity

/// A grid of settings with a known optimum: freshness grows with both settings, and its cost grows
/// faster. Phones differ from each other, but equally under every setting.
private struct KnownGrid {
  let side: Int
  var noise = 0.02
  private(set) var lives = 0.0

  init(side: Int) { self.side = side }

  var count: Int { side * side }

  /// True freshness, battery use and pushes of a candidate.
  func truth(_ candidate: Int) -> [Double] {
    let x = Double(candidate / side) / Double(side - 1)
    let y = Double(candidate % side) / Double(side - 1)
    return [
      0.3 + 0.4 * x.squareRoot() + 0.2 * y.squareRoot(), 0.5 + 3 * x * x + 0.4 * y, 8 * y,
    ]
  }

  /// Evaluates a candidate by some phones, each a block.
  mutating func evaluate(_ candidate: Int, phones: Int, phoneDays: Double) -> TuneEvaluation {
    lives += phoneDays
    var rows: [Double] = []
    for phone in 0..<phones {
      var shared = Draw(seed: 7, phone: UInt32(phone), .pushJitter, 0)
      var own = Draw(seed: 7, phone: UInt32(phone), .pushJitter, Int64(candidate + 1))
      let person = shared.uniform(-0.3, 0.3)
      for value in truth(candidate) {
        rows += [value * (1 + person) + own.uniform(-noise, noise), 1]
      }
    }
    return TuneEvaluation(rows: rows)
  }

  mutating func search(_ question: TuneQuestion, phones: Int = 1_080) -> TuneSearch {
    let schedule = TuneSchedule(
      candidates: count, phones: phones, seconds: 43_200, warmStart: 43_200)
    var search = TuneSearch(question, schedule, figures: 3, seed: 42)
    while let step = search.step {
      let rung = schedule.rungs[step.rung]
      var found: [Int: TuneEvaluation] = [:]
      // In no order: the search must not depend on it.
      for candidate in step.candidates.reversed() {
        found[candidate] = evaluate(candidate, phones: rung.phones, phoneDays: rung.phoneDays)
      }
      search.take(found)
    }
    return search
  }

  /// The best candidate within the bounds, by exhaustive search.
  func best(_ question: TuneQuestion) -> Int? {
    (0..<count).filter { question.excess(of: truth($0)) == 0 }
      .max { truth($0)[0] < truth($1)[0] }
  }
}

@Suite("Search for settings", .quick)
struct TuneSearchTests {
  private static let question = TuneQuestion(
    goals: [.init(figure: 0, direction: .maximize)],
    bounds: [
      .init(figure: 1, limit: 2.05, isUpper: true), .init(figure: 2, limit: 4.2, isUpper: true),
    ])

  @Test("finds the optimum of a known grid, at no more than half of the grid's cost")
  func knownGrid() throws {
    for side in [5, 7, 9] {
      var grid = KnownGrid(side: side)
      let best = try #require(grid.best(Self.question))
      let search = grid.search(Self.question)
      let winner = try #require(search.winner)
      #expect(winner == best, "\(side): \(grid.truth(winner)), not \(grid.truth(best))")
      let whole = Double(grid.count) * 1_080
      #expect(abs(search.phoneDays - grid.lives) < 1e-6)
      #expect(search.phoneDays <= whole / 2, "\(search.phoneDays) of \(whole) phone-days")
      #expect(search.schedule.gridPhoneDays == whole)
      // The front is of the same rung, and no finalist of it is dominated in truth by another.
      #expect(search.front.contains(winner) && search.front.count > 1)
    }
  }

  @Test("follows the goal and its direction; if no candidate meets a bound, takes the nearest")
  func goals() throws {
    var grid = KnownGrid(side: 5)
    let cheapest = TuneQuestion(
      goals: [.init(figure: 1, direction: .minimize)],
      bounds: [.init(figure: 0, limit: 0.685, isUpper: false)])
    let winner = try #require(grid.search(cheapest).winner)
    let best = try #require(
      (0..<grid.count).filter { cheapest.excess(of: grid.truth($0)) == 0 }
        .min { grid.truth($0)[1] < grid.truth($1)[1] })
    #expect(winner == best)
    let impossible = TuneQuestion(
      goals: [.init(figure: 0, direction: .maximize)],
      bounds: [.init(figure: 1, limit: 0.1, isUpper: true)])
    #expect(grid.search(impossible).winner == 0)
  }

  @Test("is reproducible by its seed, and a stopped search reports its results so far")
  func determinism() throws {
    var (a, b) = (KnownGrid(side: 6), KnownGrid(side: 6))
    let (one, other) = (a.search(Self.question), b.search(Self.question))
    #expect(one.estimates == other.estimates && one.winner == other.winner)
    let schedule = TuneSchedule(candidates: 36, phones: 270, seconds: 3_600, warmStart: 3_600)
    var stopped = TuneSearch(Self.question, schedule, figures: 3, seed: 42)
    #expect(stopped.winner == nil && stopped.front.isEmpty)
    let step = try #require(stopped.step)
    #expect(step.candidates.count == 36 && step.rung == 0)
    // Only some returned: those are known, and the others are dropped.
    stopped.take([
      3: a.evaluate(3, phones: schedule.rungs[0].phones, phoneDays: 0),
      9: a.evaluate(9, phones: schedule.rungs[0].phones, phoneDays: 0),
    ])
    #expect(stopped.finalists == [3, 9] && stopped.winner != nil)
    #expect(try #require(stopped.step).candidates.allSatisfy { [3, 9].contains($0) })
  }

  @Test("costs at most half of the grid if it has four candidates or more")
  func costs() {
    for candidates in 1...300 {
      for (phones, seconds, warm) in [
        (2_000, 43_200.0, 86_400.0), (1_000, 3_600, 21_600), (300, 86_400, 0),
        (130, 7_200, 3_600),
      ] {
        let schedule = TuneSchedule(
          candidates: candidates, phones: phones, seconds: seconds, warmStart: warm)
        let words = "\(candidates) candidates, \(phones) phones, \(schedule.rungs)"
        #expect(schedule.rungs[0].candidates == candidates, "\(words)")
        #expect(schedule.rungs.last?.phones == phones && schedule.rungs.last?.seconds == seconds)
        #expect(
          zip(schedule.rungs, schedule.rungs.dropFirst()).allSatisfy {
            $0.candidates >= $1.candidates && $0.phones <= $1.phones && $0.seconds <= $1.seconds
          }, "\(words)")
        if candidates >= 4 {
          #expect(schedule.phoneDays <= schedule.gridPhoneDays / 2, "\(words)")
        } else {
          #expect(schedule.phoneDays == schedule.gridPhoneDays)
        }
      }
    }
  }

  @Test("sorts candidates into the layers of the front")
  func layers() {
    let question = TuneQuestion(
      goals: [.init(figure: 0, direction: .maximize)],
      bounds: [.init(figure: 1, limit: 9, isUpper: true)])
    let all = [[1.0, 1.0], [2.0, 2.0], [0.5, 2.0], [2.0, 3.0], [1.0, 1.0]]
    #expect(question.layers(all) == [[0, 1, 4], [2, 3]])
    #expect(question.dominates([2, 1], [2, 2]) && !question.dominates([2, 2], [2, 2]))
    #expect(question.excess(of: [0, 18]) == 1)
  }
}
