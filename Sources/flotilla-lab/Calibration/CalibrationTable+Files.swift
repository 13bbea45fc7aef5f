internal import Core
internal import Scenarios

extension CalibrationTable {
  // MARK: CSV

  /// CSV with a header and a line per row and per value of a claim, without a trailing newline.
  package var csv: String {
    let header = "id,claim,source,profile,kind,unit,band_low,band_high,value,low,high,verdict,note"
    let lines = rows.map(\.fields) + claims.flatMap(\.fields)
    return ([header] + lines.map { $0.map(Self.quoted).joined(separator: ",") })
      .joined(separator: "\n")
  }

  static func quoted(_ field: String) -> String {
    guard field.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return field }
    return "\"" + field.replacing("\"", with: "\"\"") + "\""
  }

  // MARK: JSON

  private struct Row: Encodable {
    let id, claim, source, profile, kind, unit: String
    let bandLow, bandHigh: Double?
    let measured: Ratio?
    let verdict, note: String
  }

  private struct Claim: Encodable {
    struct Value: Encodable {
      let name: String
      let measured: Ratio?
      /// The range of the figure over single phones; nil if the figure is not of one phone.
      let phonesLow, phonesHigh: Double?
      let verdict: String
    }
    let id, area, kind, weight, claim, source, measure, unit, registered: String
    let value: Double
    let error, of, group: String
    let bandLow, bandHigh: Double?
    let values: [Value]
    let verdict, reason: String
  }

  private struct Score: Encodable {
    let contained, figures: Int
    let areas: [String: [String: Int]]
    let width: Double
    let commit: String

    init(_ evidence: ClaimEvidence) {
      (contained, figures) = (evidence.all.contained, evidence.all.made)
      areas = evidence.areas.mapValues { ["contained": $0.contained, "figures": $0.made] }
      (width, commit) = (evidence.width, evidence.commit)
    }
  }

  private struct Document: Encodable {
    let schema = "flotilla.calibration/3"
    /// The score of the recorded intervals.
    let score: Score?
    let claims: [Claim]
    let rows: [Row]
  }

  /// Pretty-printed JSON of schema `flotilla.calibration/3`. Throws the encoder's error for a value
  /// that is not finite.
  package func json() throws -> String {
    let document = Document(
      score: evidence.map(Score.init), claims: claims.map(Self.claim),
      rows: rows.map {
        Row(
          id: $0.id, claim: $0.claim, source: $0.source, profile: $0.profile,
          kind: $0.kind.rawValue, unit: $0.unit, bandLow: $0.band.low, bandHigh: $0.band.high,
          measured: $0.measured, verdict: $0.verdict.rawValue, note: $0.note)
      })
    return try document.jsonText(isPretty: true)
  }

  private static func claim(_ judged: JudgedClaim) -> Claim {
    let claim = judged.claim
    return Claim(
      id: claim.id, area: claim.area.rawValue, kind: claim.kind.rawValue,
      weight: claim.weight.rawValue, claim: claim.claim, source: claim.source.address,
      measure: claim.measure, unit: claim.unit, registered: claim.registered,
      value: claim.observation.value, error: claim.observation.error.description,
      of: claim.observation.of.description, group: claim.observation.group,
      bandLow: claim.band.low, bandHigh: claim.band.high,
      values: judged.values.map {
        Claim.Value(
          name: $0.name, measured: $0.measured, phonesLow: $0.phones?.low,
          phonesHigh: $0.phones?.high, verdict: $0.verdict.rawValue)
      }, verdict: judged.verdict.rawValue, reason: judged.reason)
  }
}

extension CalibrationRow {
  fileprivate var fields: [String] {
    [id, claim, source, profile, kind.rawValue, unit]
      + Band.fields(band.low, band.high, measured) + [verdict.rawValue, note]
  }
}

extension JudgedClaim {
  fileprivate var fields: [[String]] {
    func line(_ id: String, _ measured: Ratio?, _ verdict: CalibrationRow.Verdict) -> [String] {
      [id, claim.claim, claim.source.address, claim.area.rawValue, claim.kind.rawValue, claim.unit]
        + Band.fields(claim.band.low, claim.band.high, measured)
        + [verdict.rawValue, measured == nil ? reason : ""]
    }
    if values.isEmpty { return [line(claim.id, nil, .skipped)] }
    return values.map { line($0.id(of: claim), $0.measured, $0.verdict) }
  }
}

extension JudgedClaim.Value {
  func id(of claim: RegisteredClaim) -> String {
    name.isEmpty ? claim.id : "\(claim.id)/\(name)"
  }
}

extension Band {
  fileprivate static func fields(_ low: Double?, _ high: Double?, _ measured: Ratio?) -> [String] {
    [low, high, measured?.value, measured?.low, measured?.high].map { $0.map(Figure.plain) ?? "" }
  }
}
