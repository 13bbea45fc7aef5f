internal import Core
internal import ServerLogic

/// Writes and reads a server's row of one phone, without the stored sequence numbers, which are
/// derived from the phone.
extension PhoneSnapshot {
  func write(to tape: inout RecordWriter) {
    tape.append(authorization.rawValue)
    tape.append(UInt8(tokenValid ? 1 : 0) | (answers == nil ? 0 : 2))
    tape.append(answers?.share ?? 0)
    tape.append(answers?.unanswered ?? 0)
    tape.append(reportedAt.microseconds)
    tape.append(chosenAt.microseconds)
    tape.append(newestFix.centiseconds)
    tape.append(coordinate.latitudeE6)
    tape.append(coordinate.longitudeE6)
  }

  init(_ phone: PhoneID, _ tape: inout StateReader) throws(FleetStateError) {
    guard let authorization = Authorization(rawValue: try tape.next()) else {
      throw .impossible("a permission that does not exist")
    }
    let flags = try tape.next(UInt8.self)
    let share = try tape.next(UInt8.self)
    let unanswered = try tape.next(UInt8.self)
    self.init(
      phone: phone, authorization: authorization, tokenValid: flags & 1 != 0,
      reportedAt: SimInstant(microseconds: try tape.next()),
      chosenAt: SimInstant(microseconds: try tape.next()),
      newestFix: FixTime(centiseconds: try tape.next()),
      coordinate: Coordinate(latitudeE6: try tape.next(), longitudeE6: try tape.next()),
      sequences: SequenceRun(),
      answers: flags & 2 == 0 ? nil : AnswerHistory(share: share, unanswered: unanswered))
    guard reportedAt.isWithinReach, chosenAt.isWithinReach,
      newestFix.isWithinReach || newestFix == LastSeen.neverSeen
    else { throw .impossible("a time that is out of reach") }
  }
}

extension Fix {
  func write(to tape: inout RecordWriter) {
    tape.append(coordinate.latitudeE6)
    tape.append(coordinate.longitudeE6)
    tape.append(time.centiseconds)
    tape.append(accuracyMeters)
    tape.append(speedDecimetersPerSecond)
    tape.append(courseDegrees)
  }

  init(_ tape: inout StateReader) throws(FleetStateError) {
    self.init(
      coordinate: Coordinate(latitudeE6: try tape.next(), longitudeE6: try tape.next()),
      time: FixTime(centiseconds: try tape.next()), accuracyMeters: try tape.next(),
      speedDecimetersPerSecond: try tape.next(), courseDegrees: try tape.next())
    guard time.isWithinReach else { throw .impossible("a time that is out of reach") }
  }
}
