internal import Core
internal import Foundation
internal import Scenarios

/// The result of a study over ranges: its scores, and the interval of each claim.
struct RangeTable: Sendable {
  let forecasts: [ClaimForecast]
  /// The forecasts from the shipped values; empty if the values were not simulated.
  let shipped: [ClaimForecast]
  /// The forecasts from the whole ranges; empty if `forecasts` come from the whole ranges.
  var whole: [ClaimForecast] = []
  let points: Int

  /// The evidence of all claims; nil if no prediction has an interval.
  var evidence: ClaimEvidence? {
    ClaimEvidence(forecasts.map(\.claim), forecasts.compactMap(\.interval))
  }

  /// The text of `intervals.csv`.
  var intervals: String {
    ([ClaimInterval.header] + forecasts.compactMap { $0.interval?.line }).map { $0 + "\n" }.joined()
  }

  /// Returns a recorded table with newer lines: each takes the place of the line with the same id,
  /// or comes at the end. Both texts begin with the same header.
  static func replaced(_ newer: String, in old: String) -> String {
    func id(_ line: Substring) -> Substring { line.prefix { $0 != "," } }
    let lines = newer.split(separator: "\n")
    var kept = old.split(separator: "\n")
    var rest: [Substring] = []
    for line in lines {
      if let place = kept.firstIndex(where: { id($0) == id(line) }) {
        kept[place] = line
      } else {
        rest.append(line)
      }
    }
    return (kept + rest).map { $0 + "\n" }.joined()
  }

  // MARK: Text

  /// Plain text: the score, the scores by area and of the shipped values, and the claims.
  var text: String {
    var lines = [evidence?.line ?? "no prediction has an interval"]
    let of = whole.isEmpty ? "points" : "points of matched sets, and as many of the whole ranges"
    lines += ["", "\(points) \(of); each source weighs one:"]
    lines += CalibrationTable.aligned(
      ["area", "figures", "sources", "in 90 %", "in 50 %", "width", "CRPS"]
        + (whole.isEmpty ? [] : ["CRPS of the ranges"]),
      scores.map { $0.score.cells($0.name) + wholeCells($0.area) })
    lines += notes + [""]
    lines += CalibrationTable.aligned(
      ["claim", "kind", "of", "published", "50 % interval", "90 % interval", "PIT", ""],
      forecasts.map(\.cells))
    return lines.joined(separator: "\n")
  }

  /// A line of the table of scores; the area is nil for all areas.
  private typealias Line = (name: String, area: RegisteredClaim.Area?, score: ClaimScore)

  private var scores: [Line] {
    var scores: [Line] = forecasts.scores.map { ($0.area.rawValue, $0.area, $0.score) }
    if let all = ClaimScore(forecasts) { scores.insert(("all", nil, all), at: 0) }
    if let shipped = ClaimScore(shipped) { scores.append(("all, shipped values", nil, shipped)) }
    return scores
  }

  /// Returns the cell with the CRPS of the whole ranges; no cell without matched sets.
  private func wholeCells(_ area: RegisteredClaim.Area?) -> [String] {
    guard !whole.isEmpty else { return [] }
    let score = ClaimScore(area.map { area in whole.filter { $0.claim.area == area } } ?? whole)
    return [score?.crpsCell ?? "–"]
  }

  /// Returns 1 − CRPS of `own` ÷ CRPS of the whole ranges: 1 for perfect forecasts, 0 for forecasts
  /// no better than the ranges.
  private func skill(_ own: [ClaimForecast]) -> Double? {
    guard let own = ClaimScore(own)?.crps,
      let ranges = ClaimScore(whole.isEmpty ? forecasts : whole)?.crps, ranges.value > 0
    else { return nil }
    return 1 - own.value / ranges.value
  }

  private var notes: [String] {
    let predictions = forecasts.filter { $0.claim.kind == .predict }
    let bounds = predictions.filter { $0.claim.observation.of == .bound }.compactMap(\.interval)
    let unreached = forecasts.filter { $0.interval.map { !$0.isReached } ?? false }
    var notes: [String] = []
    if !whole.isEmpty, let skill = skill(forecasts) {
      notes.append("skill of the matched sets against the ranges: \(Figure.hundredths(skill))")
    }
    if let skill = skill(shipped) {
      notes.append(
        "skill of the shipped values against the ranges: \(Figure.hundredths(skill))")
    }
    if let mean = Sample.mean(bounds.map(\.pit)) {
      notes.append(
        """
        bounds, which are not in the score: met with a probability of \(Figure.percent(mean)), mean \
        of \(bounds.count)
        """)
    }
    notes.append(
      """
      no point reaches \(unreached.count { $0.claim.kind == .predict }) predictions and \
      \(unreached.count { $0.claim.kind != .predict }) claims to fit; \
      \(predictions.count { $0.interval == nil }) predictions are not judged
      """)
    return notes
  }

  // MARK: CSV and JSON

  /// CSV with a header and a line per claim, without a trailing newline.
  var csv: String {
    let header = "id,area,kind,of,unit,value,q05,q25,q50,q75,q95,pit,reached,crps,points,note"
    let lines = forecasts.map { $0.fields.map(CalibrationTable.quoted).joined(separator: ",") }
    return ([header] + lines).joined(separator: "\n")
  }

  /// Pretty-printed JSON of schema `flotilla.ranges/1`. Throws the encoder's error for a value that
  /// is not finite.
  func json() throws -> String {
    try Document(
      points: points, all: ClaimScore(forecasts).map(Score.init),
      areas: Dictionary(
        uniqueKeysWithValues: forecasts.scores.map { ($0.area.rawValue, Score($0.score)) }),
      shipped: ClaimScore(shipped).map(Score.init), whole: ClaimScore(whole).map(Score.init),
      skill: skill(shipped), skillOfSets: whole.isEmpty ? nil : skill(forecasts),
      claims: forecasts.map(Claim.init)
    ).jsonText(isPretty: true)
  }

  private struct Document: Encodable {
    let schema = "flotilla.ranges/1"
    let points: Int
    let all: Score?
    let areas: [String: Score]
    let shipped, whole: Score?
    let skill, skillOfSets: Double?
    let claims: [Claim]
  }

  private struct Score: Encodable {
    let figures, sources: Int
    let in90, in50: Ratio
    let width: Double?
    let crps: Ratio?

    init(_ score: ClaimScore) {
      (figures, sources) = (score.figures, score.sources)
      (in90, in50) = (score.most, score.half)
      (width, crps) = (score.width, score.crps)
    }
  }

  private struct Claim: Encodable {
    let id, area, kind, of, unit: String
    let value: Double
    let quantiles: [String: Double]?
    let pit: Double?
    let isReached: Bool?
    let crps: Double?
    let points: Int
    let reason: String

    init(_ forecast: ClaimForecast) {
      let claim = forecast.claim
      (id, area, kind) = (claim.id, claim.area.rawValue, claim.kind.rawValue)
      (of, unit, value) = (claim.observation.of.description, claim.unit, claim.observation.value)
      let names = ClaimInterval.shares.map { "\($0)" }
      quantiles = forecast.interval.map {
        Dictionary(uniqueKeysWithValues: zip(names, $0.quantiles))
      }
      (pit, isReached) = (forecast.interval?.pit, forecast.interval?.isReached)
      (crps, points, reason) = (forecast.crps, forecast.points, forecast.reason)
    }
  }
}

extension ClaimScore {
  fileprivate func cells(_ name: String) -> [String] {
    func share(_ ratio: Ratio) -> String {
      let ends = [ratio.low, ratio.high].map { Figure.plain((100 * $0).rounded()) }
      return "\(Figure.plain((100 * ratio.value).rounded())) % [\(ends.joined(separator: " – "))]"
    }
    return [
      name, "\(figures)", "\(sources)", share(most), share(half),
      width.map { "× \(Figure.quantity($0))" } ?? "–", crpsCell,
    ]
  }

  fileprivate var crpsCell: String {
    crps.map {
      """
      \(Figure.hundredths($0.value)) [\(Figure.hundredths($0.low)) – \
      \(Figure.hundredths($0.high))]
      """
    } ?? "–"
  }
}

extension ClaimForecast {
  fileprivate var cells: [String] {
    let unit = claim.unit.isEmpty ? "" : " \(claim.unit)"
    let begin = [claim.id, claim.kind.rawValue, claim.observation.of.description]
    let sign =
      claim.observation.of != .bound ? "" : claim.band.high == nil ? "≥ " : "≤ "
    let published = "\(sign)\(Figure.quantity(claim.observation.value))\(unit)"
    guard let interval else { return begin + [published, "–", "–", "–", "not judged: \(reason)"] }
    func range(_ low: Int, _ high: Int) -> String {
      let (low, high) = (interval.quantiles[low], interval.quantiles[high])
      return "\(Figure.quantity(low)) – \(Figure.quantity(high))"
    }
    return begin + [
      published, range(1, 3), range(0, 4), Figure.plain(interval.pit), note(interval),
    ]
  }

  private func note(_ interval: ClaimInterval) -> String {
    if !interval.isReached { return "no point reaches it" }
    return claim.observation.of == .bound || interval.contains(0.9) ? "" : "outside"
  }

  fileprivate var fields: [String] {
    let begin = [
      claim.id, claim.area.rawValue, claim.kind.rawValue, claim.observation.of.description,
      claim.unit,
    ]
    guard let interval else {
      return begin + [Figure.plain(claim.observation.value)] + Array(repeating: "", count: 8)
        + ["\(points)", reason]
    }
    // Takes the numbers as in `intervals.csv`, between the id and the commit.
    let cells = interval.line.split(separator: ",", omittingEmptySubsequences: false)
    let numbers = cells.dropFirst().dropLast().map(String.init)
    return begin + numbers + [crps.map(Figure.plain) ?? "", "\(points)", ""]
  }
}
