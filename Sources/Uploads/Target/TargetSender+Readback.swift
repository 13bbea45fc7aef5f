internal import Fleet
internal import SimulationCore
internal import Targets
package import Telemetry
internal import Transport

/// What the server is found to hold.
extension TargetSender {
  /// Is what a phone has sent and the server has said to have.
  package struct Stored: Sendable {
    /// Is the phone's place among those of the process.
    package var place: Int
    /// Are the fixes that the server has said to have.
    package var fixes: [Fix]
    /// Are those whose requests came to no answer.
    package var unknown: [Fix]
  }

  /// Lists the fixes of a phone that the server has said to have.
  package func stored(_ place: Int) -> [Fix] { loop.sync { [self] in phones[place].stored } }

  /// Lists the same of all phones that have some.
  package func allStored() -> [Stored] {
    loop.sync { [self] in
      phones.enumerated().compactMap { place, phone in
        guard !phone.stored.isEmpty else { return nil }
        return Stored(
          place: place, fixes: phone.stored,
          unknown: phone.queue.unknown.map { phone.fixes[$0] })
      }
    }
  }

  /// Asks what the server holds of a phone; `then` is called on the loop's thread.
  package func readBack(_ place: Int, then: @escaping @Sendable (TargetExchange) -> Void) {
    loop.post { [self] in
      guard let database = setup.database else {
        readers[ask(.readback, place, 0..<0, intended: loop.now)] = then
        return
      }
      let phone = PhoneID(rawValue: UInt32(parts.fleet.phones.lowerBound + place))
      var context = UploadContext(
        phones[place].queue.batch
          ?? BatchID(phone: phone, epoch: parts.fleet.context.epoch, sequence: 0),
        columns: setup.identities.row(of: phone.rawValue), kept: phones[place].kept, shift: shift,
        now: setup.now())
      context.span = span(of: phones[place], now: context.now)
      database.ask(context) { [self] exchange in
        loop.post { [self] in
          noteReadback(exchange)
          then(exchange)
        }
      }
    }
  }
}
