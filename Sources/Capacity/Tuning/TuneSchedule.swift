/// The candidates, phones and duration of each rung of a search: many candidates on few phones at
/// first, few candidates on all phones at last (successive halving; Jamieson and Talwalkar 2016).
package struct TuneSchedule: Equatable, Sendable, Codable {
  package struct Rung: Equatable, Sendable, Codable {
    package var candidates: Int
    package var phones: Int
    /// The measured scenario time in seconds, without the warm start.
    package var seconds: Double
    package var phoneDays: Double
  }

  /// The rungs, cheapest first; the last has all phones and all hours.
  package private(set) var rungs: [Rung]
  package let candidates: Int

  private static let phonesMin = 20
  /// The greatest cost of a search of several rungs, as a share of a full grid's cost.
  package static let shareMax = 0.5
  /// The desired number of candidates on the last rung: a single one makes no Pareto front.
  private static let finalists = 4

  /// The share of the measured time that the first of several rungs simulates.
  private static let firstHours = 2.0 / 3

  /// - Parameter seconds: The scenario seconds that the last rung measures.
  /// - Parameter warmStart: The scenario seconds simulated before every run.
  package init(candidates: Int, phones: Int, seconds: Double, warmStart: Double) {
    precondition(
      candidates > 0 && phones > 0 && seconds > 0, "a search needs candidates, phones and time")
    self.candidates = candidates
    let shares: [Double] =
      switch candidates {
      case ..<4: [1]
      case ..<9: [1.0 / 6, 1]
      case ..<27: [1.0 / 9, 1.0 / 3, 1]
      case _: [1.0 / 27, 1.0 / 9, 1.0 / 3, 1]
      }
    let least = min(phones, Self.phonesMin)
    rungs = shares.enumerated().map { number, share in
      let lived = max(least, Int((Double(phones) * share).rounded()))
      // Shortens only the first rung, so that the other rungs judge all hours of a day.
      let part = number == 0 ? Self.firstHours : 1
      let time = max(min(seconds, 3_600), (seconds * part / 60).rounded() * 60)
      let counted = number == shares.count - 1 ? seconds : min(seconds, time)
      return Rung(
        candidates: candidates, phones: lived, seconds: counted,
        phoneDays: Double(lived) * (warmStart + counted) / 86_400)
    }
    guard rungs.count > 1 else { return }
    for keep in [2, 2.5, 3, 4, 6, 9] {
      var kept = Double(candidates)
      for n in rungs.indices.dropFirst() {
        kept /= keep
        rungs[n].candidates = max(1, Int(kept.rounded(.up)))
      }
      if isAffordable { break }
    }
    topUp()
  }

  package var phoneDays: Double {
    rungs.reduce(0) { $0 + Double($1.candidates) * $1.phoneDays }
  }

  /// The phone-days of a grid, which simulates every candidate as the last rung does.
  package var gridPhoneDays: Double { Double(candidates) * rungs[rungs.count - 1].phoneDays }

  private var isAffordable: Bool { phoneDays <= Self.shareMax * gridPhoneDays }

  private mutating func topUp() {
    while rungs.count > 2, !isAffordable { rungs.remove(at: 0) }
    rungs[0].candidates = candidates
    let last = rungs.count - 1
    while last > 0, rungs[last].candidates < min(Self.finalists, rungs[last - 1].candidates) {
      rungs[last].candidates += 1
      guard !isAffordable else { continue }
      rungs[last].candidates -= 1
      break
    }
    // A grid is the cheapest search if there are too few phones to divide.
    if !isAffordable { rungs = [rungs[last]] }
    rungs[0].candidates = candidates
  }
}
