internal import Figures
internal import Fleet
internal import PushEndpoint
internal import SimulationCore
internal import Telemetry

/// Is the part that a process of a live run has in pushes from outside: the endpoint itself, or the
/// phones of a process that has none.
///
/// Called on the run's own thread, every few milliseconds.
protocol PushSide: AnyObject {
  /// Takes what other processes have sent.
  func look()
  /// Takes the tokens of this process's phones that their provider has found dead.
  func learn(_ endings: [(phone: PhoneID, from: SimInstant)])
  /// Returns what the senders have asked so far; nil where another process knows.
  func rates() -> Snapshot.SenderRates?
  /// Ends it.
  func close()
  /// Holds what this process knows of the senders, once it has ended.
  var figures: SenderFigures? { get }
}

/// Hands the pushes that the first process's endpoint has accepted to the phones of this one.
final class PushReceiver: PushSide {
  private let outside: OutsidePushes
  private let mailbox: FleetMailbox
  private let link: any ShareLink
  private(set) var figures: SenderFigures?

  init(of outside: OutsidePushes, mailbox: FleetMailbox, over link: any ShareLink) {
    self.outside = outside
    self.mailbox = mailbox
    self.link = link
    outside.watchInstallations { installations in
      var parcel = PushParcel()
      parcel.installations = installations
      link.send(parcel.data, to: 0)
    }
  }

  func look() {
    for (_, data) in link.takeParcels() {
      guard let parcel = PushParcel(data) else { continue }
      let pushes = parcel.pushes.compactMap { outside.take($0, unix: parcel.unix) }
      mailbox.deliver(pushes.map { ($0.phone, .push($0)) })
    }
  }

  func learn(_ endings: [(phone: PhoneID, from: SimInstant)]) {
    guard !endings.isEmpty else { return }
    var parcel = PushParcel()
    parcel.endings = endings.map {
      .init(phone: $0.phone.rawValue, microseconds: $0.from.microseconds)
    }
    link.send(parcel.data, to: 0)
  }

  func rates() -> Snapshot.SenderRates? { nil }

  func close() {
    look()
    var figures = SenderFigures()
    outside.fill(&figures)
    self.figures = figures
  }
}
