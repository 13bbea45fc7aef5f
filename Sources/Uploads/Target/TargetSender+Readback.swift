package import Core
package import Dispatch
internal import Fleet
package import Targets
internal import Transport

extension TargetSender {
  package struct Stored: Sendable {
    package var place: Int
    package var fixes: [Fix]
    /// The fixes of requests without an answer.
    package var unknown: [Fix]
    package var partly: [PartlyStored]
  }

  /// Returns the wall-clock range of a phone's fixes or events, plus a second at each end for
  /// rounding.
  func span(of phone: Phone, _ kind: RequestKind, now: Int64) -> ClosedRange<Int64> {
    let times =
      kind == .eventReadback
      ? phone.storedEvents.flatMap(\.times).map { $0 * 1_000 }
      : (phone.stored + phone.partly.flatMap(\.fixes) + phone.fixes).map {
        $0.time.centiseconds * 10_000 + shift.microseconds
      }
    let first = min(times.min() ?? startsAt, startsAt) - 1_000_000
    return first...max(first, times.max() ?? now, now) + 1_000_000
  }

  package func stored(_ place: Int) -> [Fix] { loop.sync { [self] in phones[place].stored } }

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

  /// Returns the acknowledged events of each phone that has any.
  package func allStoredEvents() -> [(place: Int, events: [StoredEvent])] {
    loop.sync { [self] in
      phones.enumerated().compactMap { place, phone in
        phone.storedEvents.isEmpty ? nil : (place, phone.storedEvents)
      }
    }
  }

  /// Reads back a phone, page by page.
  /// - Parameters:
  ///   - kind: `readback` or `eventReadback`.
  ///   - queue: parses answers and calls `then`, off the loop that sends requests.
  package func readBack(
    _ place: Int, _ kind: RequestKind = .readback, on queue: DispatchQueue,
    mayGoOn: @escaping @Sendable () -> Bool = { true },
    then: @escaping @Sendable (Result<ReadbackRows, ReadbackError>) -> Void
  ) {
    let target = setup.target
    guard let readback = kind == .readback ? target.readback : target.events?.readback else {
      preconditionFailure("the target has no \(kind.rawValue)")
    }
    @Sendable func read(_ page: ReadbackPage, _ all: ReadbackRows?, before: ReadbackRows?) {
      ask(place, kind, page) { end in
        queue.async {
          do throws(ReadbackError) {
            let rows = try end.readRows()
            var all = all ?? rows
            if before != nil { all.append(rows) }
            guard let next = try page.next(after: rows, before: before, readback) else {
              return then(.success(all))
            }
            guard mayGoOn() else {
              throw ReadbackError(description: "the pages took longer than the time limit")
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

  /// `then` is called on the loop's thread.
  private func ask(
    _ place: Int, _ kind: RequestKind, _ page: ReadbackPage,
    then: @escaping @Sendable (TargetExchange) -> Void
  ) {
    loop.post { [self] in
      guard kind == .readback, let database = setup.database else {
        readers[ask(kind, place, 0..<0, intended: loop.now, page: page)] = then
        return
      }
      let phone = PhoneID(rawValue: UInt32(parts.fleet.phones.lowerBound + place))
      var context = UploadContext(
        phones[place].queue.batch
          ?? BatchID(phone: phone, epoch: parts.fleet.context.epoch, sequence: 0),
        columns: setup.identities.row(of: phone.rawValue), kept: phones[place].kept, shift: shift,
        now: setup.now())
      context.span = span(of: phones[place], kind, now: context.now)
      database.ask(context) { [self] exchange in
        loop.post { [self] in
          noteReadback(exchange)
          then(exchange)
        }
      }
    }
  }
}
