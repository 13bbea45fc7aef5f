internal import Figures
internal import Fleet
internal import Foundation
package import PushEndpoint
internal import Scenarios
internal import SimulationCore
internal import Telemetry
package import Transport
internal import Uploads

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
  /// Hears which port the endpoint has, and writes what senders need, before the run begins.
  package var listens: @Sendable (UInt16) throws(TransportError) -> Void
  /// Takes the token of an app that was installed anew, with its phone's number; on a shard's
  /// queue.
  package var newToken: @Sendable (_ phone: UInt32, _ token: String) -> Void
  /// Holds the tokens of the run's phones.
  let tokens: RunTokens

  /// Makes the plan from its parts.
  package init(
    address: Endpoint, rules: EndpointRules, tls: TLSServer?,
    unixNow: @escaping @Sendable () -> Int64,
    listens: @escaping @Sendable (UInt16) throws(TransportError) -> Void = { _ in },
    newToken: @escaping @Sendable (_ phone: UInt32, _ token: String) -> Void = { _, _ in }
  ) {
    self.newToken = newToken
    self.listens = listens
    tokens = RunTokens(DeviceTokens(seed: rules.seed))
    self.unixNow = unixNow
    self.address = address
    self.rules = rules
    self.tls = tls
  }
}

/// The push provider of one live run: between a user's sender and the phones, those of other
/// processes too.
final class RunPushProvider: PushSide {
  private let loop = EventLoop(name: "flotilla.push")
  private let server: PushProviderServer
  private let outside: OutsidePushes
  private let areKeysChecked: Bool
  private let link: (any ShareLink)?
  private let senders: PushSenderPlan
  private let wall: @Sendable () -> WallInstant
  private let unixNow: @Sendable () -> Int64
  private let clock: PacedClock
  private var lastLook: (at: WallInstant, requests: Int)
  let port: UInt16

  init(
    _ senders: PushSenderPlan, _ plan: RunPlan, clock: PacedClock, to outside: OutsidePushes,
    mailbox: FleetMailbox
  ) throws(TransportError) {
    wall = plan.wall
    unixNow = senders.unixNow
    self.clock = clock
    lastLook = (plan.wall(), 0)
    self.outside = outside
    areKeysChecked =
      switch senders.rules.keys {
      case .any: false
      case .known: true
      }
    let (link, place, phones) = (plan.link, plan.place, plan.scenario.fleet.phones)
    self.link = link
    self.senders = senders
    server = PushProviderServer(
      ProviderEndpoint(senders.rules, phones: phones), loop: loop, tls: senders.tls,
      unixNow: senders.unixNow
    ) { push, unix in
      let process = place.process(of: push.phone, of: phones)
      guard process == place.number else {
        var parcel = PushParcel()
        (parcel.pushes, parcel.unix) = ([push], unix)
        link?.send(parcel.data, to: process)
        return
      }
      guard let push = outside.take(push, unix: unix) else { return }
      mailbox.deliver([(push.phone, .push(push))])
    }
    let server = server
    outside.watchInstallations { Self.note($0, senders, server) }
    loop.start()
    do throws(TransportError) {
      port = try server.listen(on: senders.address)
      try senders.listens(port)
    } catch {
      loop.stopAndWait()
      throw error
    }
  }

  /// Apps were installed anew: their former tokens are dead, and the new ones are in the list.
  private static func note(
    _ installations: [PushParcel.Installation], _ senders: PushSenderPlan,
    _ server: PushProviderServer
  ) {
    let phones = installations.map { PhoneID(rawValue: $0.phone) }
    server.reinstall(phones)
    for phone in phones { senders.newToken(phone.rawValue, senders.tokens.text(of: phone)) }
  }

  /// Takes what other processes have found of their phones' tokens.
  func look() {
    for (_, data) in link?.takeParcels() ?? [] {
      guard let parcel = PushParcel(data) else { continue }
      learn(
        parcel.endings.map {
          (PhoneID(rawValue: $0.phone), SimInstant(microseconds: $0.microseconds))
        })
      let fresh = parcel.installations.filter {
        senders.tokens.register(PhoneID(rawValue: $0.phone), epoch: $0.epoch)
      }
      Self.note(fresh, senders, server)
    }
  }

  /// A run that could not go live lets it go unclosed.
  deinit { loop.stopAndWait() }

  /// Tokens that the provider of the phones has found dead answer 410 from their instants on.
  func learn(_ endings: [(phone: PhoneID, from: SimInstant)]) {
    guard !endings.isEmpty else { return }
    let (now, unix) = (wall(), unixNow())
    server.unregister(
      endings.map { phone, from in
        let ahead = (clock.wall(of: from) - now).microseconds / 1_000
        return (phone, UInt32(clamping: (unix + ahead) / 1_000))
      })
  }

  /// Holds what the senders asked, once they were sent away.
  private(set) var figures: SenderFigures?

  /// Returns what the senders have asked so far, with the rate since the last call.
  func rates() -> Snapshot.SenderRates? {
    let (look, now) = (server.look(), wall())
    var rates = Snapshot.SenderRates()
    let seconds = (now - lastLook.at).seconds
    if seconds > 0 {
      rates.requestsPerSecond = Double(look.tally.requests - lastLook.requests) / seconds
    }
    lastLook = (now, look.tally.requests)
    rates.accepted = look.tally.accepted
    rates.faults = look.tally.faults.all.reduce(0) { $0 + $1.count }
    for (reason, count) in look.tally.reasons {
      rates.refused["\(reason.status) \(reason.rawValue)"] = count
    }
    return rates
  }

  /// Answers what is under way, and sends the senders away.
  func close() {
    guard figures == nil else { return }
    let done = DispatchSemaphore(value: 0)
    server.stop { done.signal() }
    done.wait()
    let look = server.look()
    loop.stopAndWait()
    var figures = SenderFigures(look, areKeysChecked: areKeysChecked)
    outside.fill(&figures)
    self.figures = figures
  }
}
