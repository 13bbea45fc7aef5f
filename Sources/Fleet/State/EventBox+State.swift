internal import Core
internal import Phone
internal import Scenarios

/// Writes and reads the events that a phone's app has not sent.
extension EventBox {
  func write(to tape: inout RecordWriter) {
    tape.append(number)
    tape.append(entered.bits)
    tape.append(left.bits)
    tape.append(motion ?? .max)
    tape.append(startedAt?.microseconds ?? .min)
    tape.append(UInt8(clamping: waiting.count))
    for event in waiting { event.write(to: &tape) }
  }

  init(_ tape: inout StateReader) throws(FleetStateError) {
    self.init()
    number = try tape.next()
    entered = PlaceSet(bits: try tape.next())
    left = PlaceSet(bits: try tape.next())
    let activity = try tape.next(UInt8.self)
    motion = activity == .max ? nil : activity
    startedAt = try tape.instant()
    for _ in 0..<(try tape.next(UInt8.self)) { waiting.append(try AppEvent(&tape)) }
  }
}

extension AppEvent {
  fileprivate func write(to tape: inout RecordWriter) {
    tape.append(kind.rawValue)
    tape.append(place)
    tape.append(detail)
    tape.append(UInt8(isStored ? 1 : 0))
    tape.append(number)
    tape.append(dwellSeconds ?? .max)
    for instant in [noticed, happened, sent] { tape.append(instant?.microseconds ?? .min) }
    tape.append(UInt8(fix == nil ? 0 : 1))
    fix?.write(to: &tape)
  }

  fileprivate init(_ tape: inout StateReader) throws(FleetStateError) {
    guard let kind = Kind(rawValue: try tape.next()) else { throw .impossible("an event") }
    let (place, detail) = (try tape.next(UInt8.self), try tape.next(UInt8.self))
    let isStored = try tape.next(UInt8.self) == 1
    let (number, dwell) = (try tape.next(UInt32.self), try tape.next(UInt32.self))
    guard let noticed = try tape.instant(), place < PlaceRule.most else {
      throw .impossible("an event")
    }
    self.init(
      kind, place: place, detail: detail, number: number,
      dwellSeconds: dwell == .max ? nil : dwell, noticed: noticed, happened: try tape.instant())
    sent = try tape.instant()
    self.isStored = isStored
    if try tape.next(UInt8.self) == 1 { fix = try Fix(&tape) }
  }
}

extension StateReader {
  fileprivate mutating func instant() throws(FleetStateError) -> SimInstant? {
    let microseconds = try next(Int64.self)
    guard microseconds > .min else { return nil }
    let instant = SimInstant(microseconds: microseconds)
    guard instant.isWithinReach else { throw .impossible("a time that is out of reach") }
    return instant
  }
}
