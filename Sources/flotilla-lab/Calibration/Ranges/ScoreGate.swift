internal import Core
internal import Foundation
internal import Scenarios

/// The scores at a few points, recorded for each prediction in `scenarios/claims/gate.csv`, with
/// which a build is compared. All builds have the same points and people, so that only code changes
/// make a difference.
enum ScoreGate {
  static let points = 8
  static let header = "id,half,most,crps,commit"

  /// Returns a study of only the predictions that count in the score.
  static func study(
    _ bench: CalibrationBench, _ claims: [RegisteredClaim], commit: String
  ) -> RangeStudy {
    RangeStudy(bench, claims.filter(\.isScored), points: points, commit: commit)
  }

  /// The part that one prediction has in the score.
  struct Entry: Equatable {
    let id: String
    /// Whether the 50 % interval contains the figure; `isInMost` is for the 90 % interval.
    let isInHalf: Bool
    let isInMost: Bool
    let crps: Double?

    init?(_ forecast: ClaimForecast) {
      guard forecast.claim.isScored, let interval = forecast.interval else { return nil }
      id = forecast.claim.id
      (isInHalf, isInMost) = (interval.contains(0.5), interval.contains(0.9))
      // Rounds as the file does, so that an unchanged score is equal.
      crps = forecast.crps.map { ($0 * 1e5).rounded() / 1e5 }
    }

    init?(_ line: Substring) {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard cells.count == 5, ["yes", "no"].contains(cells[1]), ["yes", "no"].contains(cells[2])
      else { return nil }
      id = cells[0]
      (isInHalf, isInMost) = (cells[1] == "yes", cells[2] == "yes")
      crps = Double(cells[3])
    }

    func line(_ commit: String) -> String {
      [
        id, isInHalf ? "yes" : "no", isInMost ? "yes" : "no",
        crps.map { String(format: "%.5f", locale: Locale(identifier: "en_US_POSIX"), $0) } ?? "",
        commit,
      ].joined(separator: ",")
    }
  }

  /// The text of `gate.csv`.
  static func text(_ forecasts: [ClaimForecast], commit: String) -> String {
    let lines = forecasts.compactMap { Entry($0)?.line(commit) }
    return ([header] + lines).map { $0 + "\n" }.joined()
  }

  /// The least rise of the CRPS that counts as a loss, as if figures were off by 1 % more.
  static let riseMin = 0.01
  /// The fewest sources for a comparison, since fewer have no bootstrap error.
  static let sourcesMin = 3

  /// Returns a line such as "push: CRPS 0.62 to 0.81" for each score, of an area or over all, that
  /// became worse by more than the bootstrap error since `file`. Compares only common predictions.
  ///
  /// - Returns: nil without a common prediction.
  static func losses(_ forecasts: [ClaimForecast], since file: String) -> [String]? {
    let lines = file.split(whereSeparator: \.isNewline).compactMap { Entry($0) }
    let then = Dictionary(lines.map { ($0.id, $0) }) { $1 }
    let pairs = forecasts.compactMap { forecast -> Pair? in
      guard let now = Entry(forecast), let then = then[now.id] else { return nil }
      return Pair(claim: forecast.claim, then: then, now: now)
    }
    guard !pairs.isEmpty else { return nil }
    let areas = RegisteredClaim.Area.allCases.map { area in
      (area.rawValue, pairs.filter { $0.claim.area == area })
    }
    return ([("all", pairs)] + areas).flatMap { name, pairs in
      losses(pairs).map { "\(name): \($0)" }
    }
  }

  private struct Pair {
    let claim: RegisteredClaim
    let then: Entry
    let now: Entry
  }

  private static func losses(_ pairs: [Pair]) -> [String] {
    let bySource = ClaimScore.bySource(pairs, \.claim)
    guard bySource.count >= sourcesMin else { return [] }
    /// Returns the change of the sources' means, from the recorded scores to this build's.
    func change(_ value: (Entry) -> Double?) -> Change? {
      let means = bySource.compactMap { source -> (then: Double, now: Double)? in
        let both = source.compactMap { pair -> (then: Double, now: Double)? in
          guard let then = value(pair.then), let now = value(pair.now) else { return nil }
          return (then, now)
        }
        guard let then = Sample.mean(both.map(\.then)), let now = Sample.mean(both.map(\.now))
        else { return nil }
        return (then, now)
      }
      guard let then = Sample.mean(means.map(\.then)), let now = Sample.mean(means.map(\.now)),
        let by = UnitBootstrap.estimate(
          means.map { $0.now - $0.then }, seed: 0, statistic: Sample.mean)
      else { return nil }
      return Change(then: then, now: now, by: by)
    }
    var losses: [String] = []
    let coverages: [(String, (Entry) -> Bool)] = [
      ("90 %", { $0.isInMost }), ("50 %", { $0.isInHalf }),
    ]
    for (name, isIn) in coverages {
      guard let change = change({ isIn($0) ? 1 : 0 }), change.by.high < 0 else { continue }
      losses.append(
        """
        coverage of \(name) intervals \(Figure.percent(change.then)) to \
        \(Figure.percent(change.now))
        """)
    }
    if let change = change(\.crps), change.by.low > 0, change.by.value >= riseMin {
      losses.append(
        """
        CRPS \(Figure.quantity(change.then)) to \(Figure.quantity(change.now)) \
        (+\(Figure.quantity(change.by.value)), 95 % interval \(Figure.quantity(change.by.low)) to \
        \(Figure.quantity(change.by.high)))
        """)
    }
    return losses
  }

  private struct Change {
    let then, now: Double
    let by: Ratio
  }
}
