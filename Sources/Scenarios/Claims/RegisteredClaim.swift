/// A published figure, registered before a run judged it: one entry of `scenarios/claims/*.yaml`.
package struct RegisteredClaim: Equatable, Sendable {
  package enum Area: String, CaseIterable, Sendable, Codable {
    case accuracy, latency, sensor, movement, background, energy, push
  }

  package enum Kind: String, CaseIterable, Sendable, Codable {
    /// A claim from which a parameter may be set.
    case fit
    /// A claim that was seen while a parameter was set, and is therefore no longer a prediction.
    case fitted
    /// A claim from which no parameter may be set.
    case predict
  }

  package enum Weight: String, CaseIterable, Sendable, Codable {
    case measured = "A"
    case log = "B"
    case user = "C"
  }

  package struct Source: Equatable, Sendable {
    /// The address of the text, or several addresses.
    package internal(set) var address: String
    package internal(set) var title: String
    /// The year of the text; 0 if unknown.
    package internal(set) var year: Int
    package internal(set) var device: String
    package internal(set) var system: String
  }

  /// A correction of a claim that misreported its source, with the words as registered and the
  /// reason. A failure of the model is no reason for a correction.
  package struct Correction: Equatable, Sendable {
    /// The day of the correction, such as `2026-11-27`.
    package internal(set) var date: String
    /// The band as registered; nil if unchanged.
    package internal(set) var band: Band?
    package internal(set) var measure: String?
    package internal(set) var why: String
  }

  /// The permanent id, such as `A-cell-true-city`.
  package internal(set) var id: String
  package internal(set) var area: Area
  package internal(set) var kind: Kind
  package internal(set) var weight: Weight
  /// The claim, reworded from the source.
  package internal(set) var claim: String
  package internal(set) var source: Source
  /// What is simulated and measured, in words.
  package internal(set) var measure: String
  package internal(set) var observation: Observation
  /// The range in which the measured value must lie, in `unit`.
  package internal(set) var band: Band
  /// The unit of the band; empty for a share.
  package internal(set) var unit: String
  package internal(set) var why: String
  package internal(set) var note: String
  /// The correction; nil if the claim stands as registered.
  package internal(set) var correction: Correction?
  /// The abbreviated hash of the commit that registered the claim.
  package internal(set) var registered: String

  /// The defaults of an entry; every key but `note` and `corrected` is required.
  static let blank = RegisteredClaim(
    id: "", area: .accuracy, kind: .fit, weight: .user, claim: "",
    source: Source(address: "", title: "", year: 0, device: "", system: ""), measure: "",
    observation: Observation(value: 0, error: .factor(1), of: .populationMedian, group: ""),
    band: Band(0, 1), unit: "", why: "", note: "", registered: "")
}
