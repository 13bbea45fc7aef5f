package import Core
package import Foundation

/// Settings for the execution of a run. They do not change what is simulated: no hash and no warm
/// start depends on them. Paths are absolute.
package struct RunSettings: Equatable, Sendable {
  /// The start of the live part; nil for as soon as the fleet is ready.
  package var startAt: Date?
  /// The cache: a folder, `standard` or `off`.
  package var cache = "standard"
  package var capture: String?
  /// Whether a collector's store is read at the end, to verify what was acknowledged.
  package var readsStore = true
  package var endsWithParent = false
  /// Whether a load is followed by a simulation of the same scenario, and compared with it.
  package var hasTwin = false
  /// The token that the live page asks for; nil if only this machine can reach the page.
  package var webToken: String?
  /// The address of a proxy for uploads.
  package var via: Endpoint?
  package var carrier = CarrierKind.flotilla
  package var dictionary: String?
  /// A file whose first line the collector demands.
  package var tokenFile: String?
  /// nil for connections without TLS.
  package var tls: TLSKeys?
  package var pushEndpoint = PushEndpointKeys()

  package init() {}

  /// Returns whether a text is 16 to 128 characters that need no escape in a URL or a cookie.
  package static func isWebToken(_ text: String) -> Bool {
    (16...128).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case let other: "-._~".utf8.contains(other)
        }
      }
  }
}

package struct TLSKeys: Equatable, Sendable {
  /// A PEM file with the CAs of servers; nil for the system's.
  package var authorities: String?
  package var certificate: String?
  package var key: String?
  /// The share of upload connections that resume a session, 0 ... 1.
  package var resumedShare = 0.0

  package init() {}
}

/// The emulated push provider for a user's push sender.
package struct PushEndpointKeys: Equatable, Sendable {
  package var listen: Endpoint?
  /// `any`, or TEAM:KEYID:FILE for each key, with commas between them.
  package var auth: String? = "any"
  /// The app's topic and the team's other allowed topics, with commas between them.
  package var topic: String?
  package var tokensOut: String?
  package var authorityOut: String?
  package var isInTheClear = false
  package var accountOut: String?
  /// Whether the endpoint accepts Home Assistant's notifications.
  package var hasWebhook = false
  package var withhold = 0.0
  /// Whether no schedulers are simulated after the run.
  package var isNotCompared = false

  package init() {}
}
