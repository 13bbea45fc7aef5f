package import SimulationCore
package import Transport
package import Wire

/// How one collector process is set up; what a run asks of it comes later, with `OpenRun`.
package struct CollectorConfiguration: Sendable {
  /// Loopback unless told otherwise.
  package var host = "127.0.0.1"
  /// 0: the system chooses.
  package var port: UInt16 = 0
  /// Names the store that batches are committed to.
  package var store: StoreAddress
  /// The longest a batch waits for others before a commit begins, under load. 2 ms: a tenth of
  /// what a mobile round trip costs, and five fsyncs of a common SSD.
  package var groupDelay = WallDuration.milliseconds(2)
  /// Called on the store's own queue before each commit: whoever waits in it is a disk that hangs.
  package var beforeCommit: (@Sendable () -> Void)?
  /// Limits connections, messages and calls, each with its default.
  package var limits = ServerLimits()
  /// What zstd payloads may name beside none.
  package var dictionary: PayloadDictionary?
  /// What every call must carry; needed off loopback.
  package var token: String?
  /// Where `/metrics`, `/healthz` and `/readyz` are; nil: nowhere.
  package var admin: Endpoint?
  /// How long it goes on serving after it has said that it is not ready. Zero: a client that is
  /// told to go away comes back to whoever listens; a balancer in front needs its probe's period.
  package var drainDelay = WallDuration.zero
  /// How long calls that are open at the end may take.
  package var drainLimit = WallDuration.seconds(10)
  /// Takes the process's log lines; by default they are dropped.
  package var log = CollectorLog.none
  /// For logs and metrics alone.
  package var unixTime: @Sendable () -> UnixInstant = UnixInstant.now
  /// Is the program's version, for logs and metrics.
  package var version = ""
  /// Is the process id that the start line of the log names; 0: not given.
  package var processID = 0
  /// A phone costs 64 bytes of table; 10 million are 640 MB.
  package var phonesMax = 10_000_000

  /// Makes a configuration with a store and the defaults for the rest.
  package init(store: StoreAddress) { self.store = store }
}

/// Why a collector cannot start.
package enum CollectorError: Error, Equatable, Sendable {
  case store(StoreError)
  case transport(TransportError)
  /// Empty, longer than `BearerToken.bytesMax`, or with other than printable ASCII.
  case badToken
  /// A host that others can reach, without a token.
  case tokenNeeded(host: String)
}

extension CollectorError: CustomStringConvertible {
  /// Says why the collector does not start and what the user can do.
  package var description: String {
    switch self {
    case .store(let error): error.description
    case .transport(let error): error.description
    case .badToken:
      "The token cannot be used: 1 to \(BearerToken.bytesMax) printable ASCII characters, no space."
    case .tokenNeeded(let host):
      "\(host) can be reached from other machines: give a token, or listen on 127.0.0.1."
    }
  }
}
