package import Core
package import Figures
package import Transport
internal import Wire

/// Polls a remote collector on one connection, and reopens it after a loss. Used from one thread.
package final class RemoteCollector {
  private let endpoint: Endpoint
  private let loop: EventLoop
  private let client: RPCClient
  private var watch = CollectorWatch()
  private static let deadline = WallDuration.seconds(3)

  /// Starts the event loop; the connection is opened with the first call.
  package init(_ endpoint: Endpoint, token: String?, tls: TLSClient? = nil) {
    self.endpoint = endpoint
    loop = EventLoop(name: "flotilla.watch")
    client = RPCClient(
      loop: loop, to: endpoint, tls: tls, token: token, compresses: true)
    loop.start()
  }

  /// Closes the connection, and returns when the event loop's thread has ended.
  package func close() {
    client.close()
    loop.stopAndWait()
  }

  /// Returns a snapshot, whose rates cover the time since the last call.
  package func look() throws(RemoteCollectorError) -> Snapshot {
    let account: CollectorAccount
    do {
      let reply = try client.callBlocking(
        .snapshot, SnapshotRequest(histogram: true, recent: true), deadline: Self.deadline,
        as: SnapshotReply.self)
      let health = try client.callBlocking(
        .health, HealthRequest(), deadline: Self.deadline, as: HealthReply.self)
      account = CollectorAccount(reply, health)
    } catch let failure as RPCClient.CallError {
      throw RemoteCollectorError(failure, endpoint)
    } catch {
      throw .noCollector(endpoint, why: "\(error)")
    }
    return watch.snapshot(of: account, detail: "\(endpoint)")
  }
}

package enum RemoteCollectorError: Error, Equatable, Sendable, CustomStringConvertible {
  case wrongToken(Endpoint)
  /// The peer answers, but it is not a collector.
  case noCollector(Endpoint, why: String)
  case silent(Endpoint, why: String)

  init(_ failure: RPCClient.CallError, _ endpoint: Endpoint) {
    let lead = "\(endpoint): "
    let whole = failure.status.text
    let text = whole.hasPrefix(lead) ? String(whole.dropFirst(lead.count)) : whole
    switch failure.status.code {
    case .unauthenticated: self = .wrongToken(endpoint)
    case .unavailable, .deadlineExceeded, .cancelled: self = .silent(endpoint, why: text)
    case .ok, .unknown, .invalidArgument, .notFound, .alreadyExists, .permissionDenied,
      .resourceExhausted, .failedPrecondition, .aborted, .outOfRange, .unimplemented, .internal,
      .dataLoss:
      self = .noCollector(endpoint, why: "\(failure.status.code) \(text)")
    }
  }

  package var reason: String {
    switch self {
    case .wrongToken: "the token is missing or wrong"
    case .noCollector(_, let why), .silent(_, let why): why
    }
  }

  package var description: String {
    switch self {
    case .wrongToken(let endpoint):
      "\(endpoint): the collector needs a token; give it with --token-file (load: run.tokenFile)."
    case .noCollector(let endpoint, let why):
      "\(endpoint): the listening program is not a collector (\(why))."
    case .silent(let endpoint, let why):
      """
      \(endpoint): no collector answers (\(why)). Use the address that 'flotilla collect' prints \
      after 'listening on', not its admin port.
      """
    }
  }
}
