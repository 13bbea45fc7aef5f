internal import CFlotillaProto
package import SimulationCore

/// A time in which the server is down for its phones.
package struct OutageTerms: Equatable, Sendable {
  package var at: SimInstant
  package var lasts: SimDuration

  package init(at: SimInstant, lasts: SimDuration) {
    self.at = at
    self.lasts = lasts
  }

  init(_ message: Flotilla__V1__Outage) {
    self.init(
      at: SimInstant(microseconds: message.at_us), lasts: .microseconds(message.lasts_us))
  }

  func message(in arena: Arena) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__Outage> {
    let message = try arena.make(flotilla__v1__outage__init)
    message.pointee.at_us = at.microseconds
    message.pointee.lasts_us = lasts.microseconds
    return message
  }
}
