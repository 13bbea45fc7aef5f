package import Figures

/// What a row of the calibration table proves.
package enum RowKind: String, CaseIterable, Sendable, Codable {
  /// Verifies a rule that is implemented.
  case rule
  /// True by what was chosen: a distribution, the order of two constants, a scenario.
  case constructed
  /// A parameter was fitted to this very claim.
  case fitted
  /// Rests on an input that nobody has measured.
  case assumed
  /// Nothing was fitted to it, and it could have failed.
  case predicted
}

/// Where a measured value must lie; a missing bound does not bind.
package struct Band: Equatable, Sendable {
  /// Is the least value that passes, inclusive; nil where the band is open below.
  package var low: Double?
  /// Is the greatest value that passes, inclusive; nil where the band is open above.
  package var high: Double?

  /// Makes a band from its two inclusive bounds, of which either may be nil.
  package init(_ low: Double?, _ high: Double?) {
    self.low = low
    self.high = high
  }

  /// Is true where the value lies between the bounds, both inclusive.
  package func contains(_ value: Double) -> Bool {
    (low.map { value >= $0 } ?? true) && (high.map { value <= $0 } ?? true)
  }

  /// Judges a measured value with its interval; nil, nothing measured, is `skipped`.
  package func verdict(_ measured: Ratio?) -> CalibrationRow.Verdict {
    guard let measured else { return .skipped }
    guard contains(measured.value) else { return .short }
    return contains(measured.low) && contains(measured.high) ? .pass : .edge
  }
}

/// One claim, set beside what the simulation shows.
package struct CalibrationRow: Equatable, Sendable {
  /// Says whether the whole 95 % interval lies in the band (`pass`), the value alone (`edge`), or
  /// not even that (`short`); `skipped`: it could not be measured.
  package enum Verdict: String, CaseIterable, Sendable, Codable { case pass, edge, short, skipped }

  /// C1 … C16, S1 … for the statistics of recorded traces, R… for comparisons with recordings.
  package var id: String
  /// States in words what is claimed.
  package var claim: String
  /// Names where the claim was published.
  package var source: String
  /// OS, significant-change and energy profile; "–" where none plays a part.
  package var profile: String
  /// Says what a pass of this row proves.
  package var kind: RowKind
  /// Is the unit of band and measured value; empty for a pure number.
  package var unit: String
  /// Is the band in which the measured value must lie.
  package var band: Band
  /// The measured value with its 95 % interval; nil: it could not be measured, `note` says why.
  package var measured: Ratio?
  /// Explains a row that does not pass; empty where there is nothing to explain.
  package var note: String

  /// Makes a row from a claim and what was measured for it; `profile` and `note` may be left out.
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

  /// Judges the measured value and its interval against the band.
  package var verdict: Verdict { band.verdict(measured) }
}
