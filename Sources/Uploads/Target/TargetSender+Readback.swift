package import Dispatch
internal import Fleet
internal import SimulationCore
internal import Targets
package import Telemetry
internal import Transport

/// What the server is found to hold.
extension TargetSender {
  /// What a phone has sent and the server has said to have.
  package struct Stored: Sendable {
    /// The phone's place among those of the process.
    package var place: Int
    /// The fixes that the server has said to have.
    package var fixes: [Fix]
    /// Are those whose requests came to no answer.
    package var unknown: [Fix]
    /// The requests of which the server has said to have some fixes.
    package var partly: [PartlyStored]
  }

  /// From the oldest fix of a phone to the newest, and a second more at each end: servers round.
  func span(of phone: Phone, now: Int64) -> ClosedRange<Int64> {
    let times = (phone.stored + phone.partly.flatMap(\.fixes) + phone.fixes).map {
      $0.time.centiseconds * 10_000 + shift.microseconds
    }
    let first = min(times.min() ?? startsAt, startsAt) - 1_000_000
    return first...max(first, times.max() ?? now, now) + 1_000_000
  }

  /// Lists the fixes of a phone that the server has said to have.
  package func stored(_ place: Int) -> [Fix] { loop.sync { [self] in phones[place].stored } }

  /// Lists the same of all phones that have some.
  package func allStored() -> [Stored] {
    loop.sync { [self] in
      phones.enumerated().compactMap { place, phone in
        guard !phone.stored.isEmpty || !phone.partly.isEmpty else { return nil }
        return Stored(
          place: place, fixes: phone.stored,
          unknown: phone.queue.unknown.map { phone.fixes[$0] }, partly: phone.partly)
      }
    }
  }

  /// Asks what the server holds of a phone, page by page.
  ///
  /// - Parameters:
  ///   - queue: where answers are read, since a long one would make requests late; `then` is called
  ///     there.
  ///   - mayGoOn: whether there is time for another page.
  package func readBack(
    _ place: Int, on queue: DispatchQueue, mayGoOn: @escaping @Sendable () -> Bool = { true },
    then: @escaping @Sendable (Result<ReadbackRows, ReadbackError>) -> Void
  ) {
    guard let readback = setup.target.readback else {
      preconditionFailure("a target without a read-back was asked for one")
    }
    @Sendable func read(_ page: ReadbackPage, _ all: ReadbackRows?, before: ReadbackRows?) {
      ask(place, page) { end in
        queue.async {
          do throws(ReadbackError) {
            let rows = try end.readRows()
            var all = all ?? rows
            if before != nil { all.append(rows) }
            guard let next = try page.next(after: rows, before: before, readback) else {
              return then(.success(all))
            }
            guard mayGoOn() else {
              throw ReadbackError(description: "more pages than there was time for")
            }
            read(next, all, before: rows)
          } catch {
            then(.failure(error))
          }
        }
      }
    }
    read(.first, nil, before: nil)
  }

  /// Asks for one page; `then` is called on the loop's thread.
  private func ask(
    _ place: Int, _ page: ReadbackPage, then: @escaping @Sendable (TargetExchange) -> Void
  ) {
    loop.post { [self] in
      guard let database = setup.database else {
        readers[ask(.readback, place, 0..<0, intended: loop.now, page: page)] = then
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
