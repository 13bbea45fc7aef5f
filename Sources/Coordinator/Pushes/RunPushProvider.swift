internal import Fleet
internal import Foundation
internal import Measure
package import PushEndpoint
internal import SimulationCore
internal import Telemetry
package import Transport

/// Says how a live run is pushed by a user's own sender.
package struct PushSenderPlan: Sendable {
  /// Is where the endpoint listens.
  package var address: Endpoint
  /// Says whose tokens are good, and what is refused.
  package var rules: EndpointRules
  /// Secures its connections; nil: they are in the clear.
  package var tls: TLSServer?
  /// Reads the milliseconds since 1970.
  package var unixNow: @Sendable () -> Int64

  /// Makes the plan from its parts.
  package init(
    address: Endpoint, rules: EndpointRules, tls: TLSServer?,
    unixNow: @escaping @Sendable () -> Int64
  ) {
    self.unixNow = unixNow
    self.address = address
    self.rules = rules
    self.tls = tls
  }
}

/// The push provider of one live run: between a user's sender and the phones of this process.
final class RunPushProvider {
  private let loop = EventLoop(name: "flotilla.push")
  private let server: PushProviderServer
  private let outside: OutsidePushes
  private let areKeysChecked: Bool
  let port: UInt16

  init(_ senders: PushSenderPlan, phones: Int, to outside: OutsidePushes, mailbox: FleetMailbox)
    throws(TransportError)
  {
    self.outside = outside
    areKeysChecked =
      switch senders.rules.keys {
      case .any: false
      case .known: true
      }
    server = PushProviderServer(
      ProviderEndpoint(senders.rules, phones: phones), loop: loop, tls: senders.tls,
      unixNow: senders.unixNow
    ) { push, unix in
      guard let push = outside.take(push, unix: unix) else { return }
      mailbox.deliver([(push.phone, .push(push))])
    }
    loop.start()
    do throws(TransportError) { port = try server.listen(on: senders.address) } catch {
      loop.stopAndWait()
      throw error
    }
  }

  /// A run that could not go live lets it go unclosed.
  deinit { loop.stopAndWait() }

  /// Tokens that the provider of the phones has found dead answer 410 from now on.
  func learn(_ statuses: [(id: UInt64, status: Int)]) {
    server.unregister(
      statuses.filter { $0.status == 410 }
        .map { PhoneID(rawValue: UInt32(truncatingIfNeeded: $0.id)) })
  }

  /// Sends the senders away; returns what is to be said of them.
  func close() -> [String] {
    let done = DispatchSemaphore(value: 0)
    server.stop { done.signal() }
    done.wait()
    let look = server.look()
    loop.stopAndWait()
    let tally = look.tally
    var lines = [
      "your sender: \(Figure.grouped(tally.requests)) pushes, \(Figure.grouped(tally.accepted)) "
        + "accepted, \(Figure.grouped(tally.withheld)) of them withheld"
        + (areKeysChecked ? "" : "; signatures were not checked")
    ]
    lines += tally.reasons.map { reason, count in
      "your sender: \(reason.status) \(reason.rawValue): \(Figure.grouped(count))"
    }
    lines += tally.faults.all.map { fault in
      "your sender: \(fault.fault.rawValue): \(Figure.grouped(fault.count)), such as "
        + "\(fault.example). \(fault.fault.advice)"
    }
    if outside.ofOtherKind > 0 {
      lines.append(
        "your sender: \(Figure.grouped(outside.ofOtherKind)) pushes had another type or priority "
          + "than push.request, whose gates they passed")
    }
    return lines
  }
}
