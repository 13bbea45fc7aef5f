package import SimulationCore
package import Transport
package import Wire

/// Configures one collector process; a run's own settings come later, with `OpenRun`.
package struct CollectorConfiguration: Sendable {
  /// Is the host to listen on: loopback by default.
  package var host = "127.0.0.1"
  /// Is the port to listen on; 0 lets the system choose.
  package var port: UInt16 = 0
  /// Names the store that batches are committed to.
  package var store: StoreAddress
  /// Is the longest time that a batch waits for others before a commit begins, under load. 2 ms are
  /// a tenth of a mobile round trip, and five fsyncs of a common SSD.
  package var groupDelay = WallDuration.milliseconds(2)
  /// Says how long calls may wait before admission refuses a share of them.
  package var admission = Admission.Settings()
  /// The time for which a reading of the store answers other clients as well.
  package var readingFreshFor = WallDuration.seconds(10)
  /// Is called on the store's own queue before each commit; a test that blocks in it simulates a
  /// disk that hangs.
  package var beforeCommit: (@Sendable () -> Void)?
  /// Limits connections, messages and calls, each with its default.
  package var limits = ServerLimits()
  /// Is the dictionary that zstd payloads may name; payloads without one are always accepted.
  package var dictionary: PayloadDictionary?
  /// Names certificate and keys; nil where connections are in the clear.
  package var tls: TLSServerFiles?
  /// Is the token that every call must carry; required off loopback.
  package var token: String?
  /// Is where `/metrics`, `/healthz` and `/readyz` are served; nil for nowhere.
  package var admin: Endpoint?
  /// Is how long it continues to serve after `/readyz` has said no. The default is zero, since a
  /// client that receives GOAWAY reconnects to any listener; a balancer in front needs its
  /// probe's period.
  package var drainDelay = WallDuration.zero
  /// Limits the time for calls that are open at the end.
  package var drainLimit = WallDuration.seconds(10)
  /// Takes the process's log lines; by default they are dropped.
  package var log = CollectorLog.none
  /// Reads the time of day, for logs and metrics alone.
  package var unixTime: @Sendable () -> UnixInstant = UnixInstant.now
  /// Is the program's version, for logs and metrics.
  package var version = ""
  /// Is the process id that the start line of the log names; 0: not given.
  package var processID = 0
  /// Limits the phones of a run. A phone costs 64 bytes of table; 10 million are 640 MB.
  package var phonesMax = 10_000_000

  /// Makes a configuration with a store and the defaults for the rest.
  package init(store: StoreAddress) { self.store = store }
}

/// Says why a collector cannot start.
package enum CollectorError: Error, Equatable, Sendable {
  case store(StoreError)
  case transport(TransportError)
  /// A certificate, key or CA cannot be used.
  case tls(TLSSetupError)
  /// The token is empty, longer than `BearerToken.bytesMax`, or not all printable ASCII.
  case badToken
  /// The host can be reached from other machines, and no token is set.
  case tokenNeeded(host: String)
}

extension CollectorError: CustomStringConvertible {
  /// Says why the collector does not start and what the user can do.
  package var description: String {
    switch self {
    case .store(let error): error.description
    case .transport(let error): error.description
    case .tls(let error): error.description
    case .badToken:
      "The token cannot be used: 1 to \(BearerToken.bytesMax) printable ASCII characters, no space."
    case .tokenNeeded(let host):
      "\(host) can be reached from other machines: give a token, or listen on 127.0.0.1."
    }
  }
}
