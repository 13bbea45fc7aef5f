internal import CFlotillaProto
package import Core

package struct OutageTerms: Equatable, Sendable {
  package var at: SimInstant
  package var lasts: SimDuration

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
