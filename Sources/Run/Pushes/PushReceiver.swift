internal import Core
internal import Figures
internal import Fleet

/// A process's part in the pushes of a user's sender. Used on the run's thread.
protocol PushSide: AnyObject {
  func look()
  func learn(_ endings: [(phone: PhoneID, from: SimInstant)])
  /// Returns the sender's rates; nil in a process without the endpoint.
  func rates() -> Snapshot.SenderRates?
  func close()
  var figures: SenderFigures? { get }
}

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
