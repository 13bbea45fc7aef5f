package import Core
package import Transport
package import Wire

package struct CollectorConfiguration: Sendable {
  package var host = "127.0.0.1"
  /// The port to listen on; with 0 the system chooses one.
  package var port: UInt16 = 0
  package var store: StoreAddress
  /// The maximum time that a batch waits for others before a commit, under load. 2 ms are a tenth
  /// of a mobile round trip, and five fsyncs of a common SSD.
  package var groupDelay = WallDuration.milliseconds(2)
  package var admission = Admission.Settings()
  package var readingFreshFor = WallDuration.seconds(10)
  /// Called on the store's queue before each commit; tests block there to simulate a hung disk.
  package var beforeCommit: (@Sendable () -> Void)?
  package var limits = ServerLimits()
  /// The dictionary that zstd payloads may name; a payload that names none is always accepted.
  package var dictionary: PayloadDictionary?
  package var tls: TLSServerFiles?
  /// The token that every call must carry; required unless the host is loopback.
  package var token: String?
  /// The address of `/metrics`, `/healthz` and `/readyz`; nil for none.
  package var admin: Endpoint?
  /// The time for which the collector serves after `/readyz` fails. Zero suits clients that
  /// reconnect anywhere after GOAWAY; a load balancer needs the period of its probe.
  package var drainDelay = WallDuration.zero
  package var drainLimit = WallDuration.seconds(10)
  package var log = CollectorLog.none
  /// The time of day, which only logs and metrics use.
  package var unixTime: @Sendable () -> UnixInstant = UnixInstant.now
  package var version = ""
  package var processID = 0
  /// The maximum number of phones. A phone takes 64 bytes of table, so 10 million take 640 MB.
  package var phonesMax = 10_000_000

  package init(store: StoreAddress) { self.store = store }
}

package enum CollectorError: Error, Equatable, Sendable {
  case store(StoreError)
  case transport(TransportError)
  case tls(TLSSetupError)
  /// The token is empty, longer than `BearerToken.bytesMax`, or not printable ASCII.
  case badToken
  case tokenNeeded(host: String)
}

extension CollectorError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .store(let error): error.description
    case .transport(let error): error.description
    case .tls(let error): error.description
    case .badToken:
      "The token is invalid; use 1 to \(BearerToken.bytesMax) printable ASCII characters, no space."
    case .tokenNeeded(let host):
      "\(host) is reachable from other machines: set a token, or listen on 127.0.0.1."
    }
  }
}
