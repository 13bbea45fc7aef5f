package import Core
internal import Figures
internal import Fleet
internal import Foundation
package import Push
internal import Scenarios
package import Transport
internal import Uploads

package struct PushSenderPlan: Sendable {
  package var address: Endpoint
  package var rules: EndpointRules
  /// The TLS settings; nil for plaintext connections.
  package var tls: TLSServer?
  /// Returns the milliseconds since 1970.
  package var unixNow: @Sendable () -> Int64
  /// Called with the endpoint's port before the run begins, to write the files that senders need.
  package var listens: @Sendable (UInt16) throws(TransportError) -> Void
  /// Called on a shard's queue with the token of a reinstalled app.
  package var newToken: @Sendable (_ phone: UInt32, _ token: String) -> Void
  let tokens: RunTokens

  package init(
    address: Endpoint, rules: EndpointRules, tls: TLSServer?,
    unixNow: @escaping @Sendable () -> Int64,
    listens: @escaping @Sendable (UInt16) throws(TransportError) -> Void = { _ in },
    newToken: @escaping @Sendable (_ phone: UInt32, _ token: String) -> Void = { _, _ in }
  ) {
    self.newToken = newToken
    self.listens = listens
    tokens = RunTokens(DeviceTokens(rules))
    self.unixNow = unixNow
    self.address = address
    self.rules = rules
    self.tls = tls
  }
}

/// The push provider of a live run, for the phones of all its processes.
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

  private static func note(
    _ installations: [PushParcel.Installation], _ senders: PushSenderPlan,
    _ server: PushProviderServer
  ) {
    let phones = installations.map { PhoneID(rawValue: $0.phone) }
    server.reinstall(phones)
    for phone in phones { senders.newToken(phone.rawValue, senders.tokens.text(of: phone)) }
  }

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

  deinit { loop.stopAndWait() }

  /// Invalidates the tokens of `endings`, each from its instant on. The endpoint then answers 410.
  func learn(_ endings: [(phone: PhoneID, from: SimInstant)]) {
    guard !endings.isEmpty else { return }
    let (now, unix) = (wall(), unixNow())
    server.unregister(
      endings.map { phone, from in
        let ahead = (clock.wall(of: from) - now).microseconds / 1_000
        return (phone, UInt32(clamping: (unix + ahead) / 1_000))
      })
  }

  private(set) var figures: SenderFigures?

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
