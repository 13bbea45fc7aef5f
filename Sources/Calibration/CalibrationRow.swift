package import Measure

/// What a row of the calibration table proves.
package enum RowKind: String, CaseIterable, Sendable, Codable {
  /// Verifies a rule that is implemented.
  case rule
  /// True by a distribution that was chosen so.
  case constructed
  /// A parameter was fitted to this very claim.
  case fitted
  /// Rests on an input that nobody has measured.
  case assumed
  /// Nothing was fitted to it.
  case predicted
}

/// Where a measured value must lie; a missing bound does not bind.
package struct Band: Equatable, Sendable {
  package var low: Double?
  package var high: Double?

  package init(_ low: Double?, _ high: Double?) {
    self.low = low
    self.high = high
  }

  package func contains(_ value: Double) -> Bool {
    (low.map { value >= $0 } ?? true) && (high.map { value <= $0 } ?? true)
  }
}

/// One claim, set beside what the simulation shows.
package struct CalibrationRow: Equatable, Sendable {
  package enum Verdict: String, Sendable { case pass, short, skipped }

  /// C1 … C16, S1 … for the statistics of recorded traces, R… for comparisons with recordings.
  package var id: String
  package var claim: String
  package var source: String
  /// OS, significant-change and energy profile; "–" where none plays a part.
  package var profile: String
  package var kind: RowKind
  package var unit: String
  package var band: Band
  /// The measured value with its 95 % interval; nil: it could not be measured, `note` says why.
  package var measured: Ratio?
  package var note: String

  package init(
    id: String, claim: String, source: String, profile: String = "–", kind: RowKind,
    unit: String, band: Band, measured: Ratio?, note: String = ""
  ) {
    self.id = id
    self.claim = claim
    self.source = source
    self.profile = profile
    self.kind = kind
    self.unit = unit
    self.band = band
    self.measured = measured
    self.note = note
  }

  package var verdict: Verdict {
    guard let measured else { return .skipped }
    return band.contains(measured.value) ? .pass : .short
  }
}
