/// A published figure that was written down before a run judged it: one entry of
/// `scenarios/claims/*.yaml`.
package struct RegisteredClaim: Equatable, Sendable {
  /// Says which part of the model the figure is about.
  package enum Area: String, CaseIterable, Sendable, Codable {
    case accuracy, latency, sensor, movement, background, energy, push
  }

  /// Says what the figure may be used for.
  package enum Kind: String, CaseIterable, Sendable, Codable {
    /// A parameter may be set from it.
    case fit
    /// Somebody looked at it while a parameter was set, so that it predicts no more.
    case fitted
    /// No parameter may be set from it.
    case predict
  }

  /// Says how the figure was come by.
  package enum Weight: String, CaseIterable, Sendable, Codable {
    /// Measured with a method that is told.
    case measured = "A"
    /// A log, or a vendor's statistic.
    case log = "B"
    /// One user's word.
    case user = "C"
  }

  /// Is where the figure was read, and of which device.
  package struct Source: Equatable, Sendable {
    /// Is the address of the text, or several.
    package internal(set) var address: String
    /// Is the text's own title.
    package internal(set) var title: String
    /// Is the year of the text; 0: it is not told.
    package internal(set) var year: Int
    /// Names the device; empty: it is not told.
    package internal(set) var device: String
    /// Names the system's version; empty: it is not told.
    package internal(set) var system: String
  }

  /// Is the claim's name for good, such as `A-cell-true-city`.
  package internal(set) var id: String
  /// Says which part of the model it is about.
  package internal(set) var area: Area
  /// Says what it may be used for.
  package internal(set) var kind: Kind
  /// Says how it was come by.
  package internal(set) var weight: Weight
  /// Is the claim in our words.
  package internal(set) var claim: String
  /// Is where it was read.
  package internal(set) var source: Source
  /// Says in words what is to be simulated and measured.
  package internal(set) var measure: String
  /// Is the range in which the measured value must lie, in `unit`, both ends included.
  package internal(set) var band: ClosedRange<Double>
  /// Is the unit of the band; empty for a share.
  package internal(set) var unit: String
  /// Says why the band has these ends.
  package internal(set) var why: String
  /// Is what else there is to know; may be empty.
  package internal(set) var note: String
  /// Is the commit that registered the claim, abbreviated.
  package internal(set) var registered: String

  /// Is what an entry says that has no key written yet; every key but `note` is required.
  static let blank = RegisteredClaim(
    id: "", area: .accuracy, kind: .fit, weight: .user, claim: "",
    source: Source(address: "", title: "", year: 0, device: "", system: ""), measure: "",
    band: 0...1, unit: "", why: "", note: "", registered: "")
}
