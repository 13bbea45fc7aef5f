package import Core
internal import Foundation
package import Transport
package import Wire

extension AskRequest {
  /// The time for which a silent push wakes an app (SP2).
  package static let customaryDeadline = SimDuration.seconds(30)
  /// The wall-clock time after which a connected collector is given up. A request ends by the
  /// scenario clock, which is slower than the wall clock at a speed below 1.
  private static let patience = WallDuration.hours(24)

  /// Sends the request on a new connection, and waits for the reply; nil if `shouldStop`.
  package func ask(
    _ endpoint: Endpoint, token: String?, tls: TLSClient? = nil, shouldStop: () -> Bool
  ) throws(PositionQuestionError) -> AskReply? {
    let loop = EventLoop(name: "flotilla.ask")
    loop.start()
    let client = RPCClient(loop: loop, to: endpoint, tls: tls, token: token)
    defer {
      client.close()
      loop.stopAndWait()
    }
    let codec = MessageCodec(capacity: 1 << 16)
    do {
      let inbox = Awaited<RPCClient.Reply>()
      client.call(.ask, try codec.encode(self), deadline: Self.patience) {
        inbox.set($0)
        Waiter.shared.wake()
      }
      var reply: RPCClient.Reply?
      Waiter.shared.wait {
        reply = inbox.wait(until: .now()).first
        return reply != nil || shouldStop()
      }
      return try reply.map { try codec.decode(AskReply.self, from: $0.get()) }
    } catch let failure as RPCClient.CallError {
      throw PositionQuestionError(failure, endpoint)
    } catch {
      throw .remote(.noCollector(endpoint, why: "\(error)"))
    }
  }
}

package enum PositionQuestionError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The collector is unreachable, or the peer is not a collector.
  case remote(RemoteCollectorError)
  /// The collector rejects the request, for example for an unknown phone.
  case invalid(Endpoint, why: String)
  case notNow(Endpoint, why: String)

  init(_ failure: RPCClient.CallError, _ endpoint: Endpoint) {
    let text = failure.status.text
    switch failure.status.code {
    case .invalidArgument: self = .invalid(endpoint, why: text)
    case .failedPrecondition, .aborted: self = .notNow(endpoint, why: text)
    // This side's messages about a connection begin with the address.
    case .unavailable where !text.hasPrefix("\(endpoint): "): self = .notNow(endpoint, why: text)
    case .ok, .cancelled, .unknown, .deadlineExceeded, .notFound, .alreadyExists,
      .permissionDenied, .resourceExhausted, .outOfRange, .unimplemented, .internal, .unavailable,
      .dataLoss, .unauthenticated:
      self = .remote(RemoteCollectorError(failure, endpoint))
    }
  }

  package var description: String {
    switch self {
    case .remote(let error): error.description
    case .invalid(let endpoint, let why): "\(endpoint): \(why)."
    case .notNow(let endpoint, let why): "\(endpoint): the collector queries no phone now (\(why))."
    }
  }
}
