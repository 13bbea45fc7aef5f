package import Core
package import Foundation

/// Settings for the execution of a run. No setting changes what is simulated, a hash or a warm
/// start. Paths are absolute.
package struct RunSettings: Equatable, Sendable {
  /// The wall-clock start of the live part; nil to start as soon as the fleet is ready.
  package var startAt: Date?
  /// The folder of the cache, or `standard` or `off`.
  package var cache = "standard"
  package var capture: String?
  /// The folder of the fleet's journal, from which a killed fleet resumes.
  package var state: String?
  /// The number of threads; 0 for one per core.
  package var threads = 0
  /// The most requests to a target, besides the limit in the target's file.
  package var rateLimit: Rate?
  /// Whether a collector's store is read at the end, to verify what was acknowledged.
  package var readsStore = true
  package var endsWithParent = false
  /// Whether a live run is followed by a simulation of the same scenario, for comparison.
  package var hasTwin = false
  /// The token that the live page asks for; nil if only this machine can reach the page.
  package var webToken: String?
  /// The address of a proxy for uploads.
  package var via: Endpoint?
  package var carrier = CarrierKind.flotilla
  package var dictionary: String?
  /// A file whose first line is the token that the collector demands.
  package var tokenFile: String?
  /// The settings of TLS; nil for connections without TLS.
  package var tls: TLSKeys?
  package var pushEndpoint = PushEndpointKeys()
  package var metrics = MetricsKeys()

  package init() {}

  /// The settings for a record: without secrets, and without settings of one process and machine.
  package var recorded: RunSettings {
    var copy = self
    (copy.webToken, copy.state, copy.threads, copy.rateLimit) = (nil, nil, 0, nil)
    copy.metrics = MetricsKeys()
    return copy
  }

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
  /// A PEM file with the CAs that may sign a server's certificate; nil for the system's CAs.
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
  /// The accepted keys, as `any` or as TEAM:KEYID:FILE for each key, with commas between them.
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
  /// Whether the simulation of other push schedulers after the run is skipped.
  package var isNotCompared = false

  package init() {}
}

package struct MetricsKeys: Equatable, Sendable {
  /// The address of the page; nil for none.
  package var listen: Endpoint?
  /// The URLs of servers that take metrics.
  package var otlp: String?
  package var remoteWrite: String?

  package init() {}
}
