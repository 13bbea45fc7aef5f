internal import CFlotillaProto
package import SimulationCore

/// A time in which the server is down for its phones.
package struct OutageTerms: Equatable, Sendable {
  /// Is the scenario instant at which the outage begins.
  package var at: SimInstant
  /// Is how long the outage takes, in scenario time.
  package var lasts: SimDuration

  /// Makes an outage from its begin and its length.
  package init(at: SimInstant, lasts: SimDuration) {
    self.at = at
    self.lasts = lasts
  }

  init(_ message: Flotilla__V1__Outage) throws(WireError) {
    self.init(
      at: try WireBounds.instant("outages.at_us", message.at_us),
      lasts: try WireBounds.span("outages.lasts_us", message.lasts_us))
  }

  func message(in arena: Arena) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__Outage> {
    let message = try arena.make(flotilla__v1__outage__init)
    message.pointee.at_us = at.microseconds
    message.pointee.lasts_us = lasts.microseconds
    return message
  }
}
