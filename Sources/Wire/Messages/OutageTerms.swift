internal import CFlotillaProto
package import SimulationCore

package struct OutageTerms: Equatable, Sendable {
  /// The scenario instant at which the outage begins.
  package var at: SimInstant
  /// How long the outage takes, in scenario time.
  package var lasts: SimDuration

  /// Creates an outage from its begin and its length.
  package init(at: SimInstant, lasts: SimDuration) {
    self.at = at
    self.lasts = lasts
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__Outage>(
    flotilla__v1__outage__init, OutageTerms(at: .distantPast, lasts: .zero),
    [
      .instant("outages.at_us", \.at, \.at_us),
      .time("outages.lasts_us", \.lasts, \.lasts_us),
    ])
}
