package import Core

/// A server's state of one phone, passed to the collector of a run with a warm start.
package struct PhoneSnapshot: Equatable, Sendable, BitwiseCopyable {
  package var phone: PhoneID
  package var authorization: Authorization
  package var tokenValid: Bool
  package var reportedAt: SimInstant
  package var chosenAt: SimInstant
  /// The timestamp of the newest fix, or `LastSeen.neverSeen` without a fix.
  package var newestFix: FixTime
  /// The position of the newest fix, meaningless without a fix.
  package var coordinate: Coordinate
  /// The newest run of consecutive batch numbers that the server has stored.
  package var sequences: SequenceRun
  package var answers: AnswerHistory?

  package init(
    phone: PhoneID, authorization: Authorization, tokenValid: Bool, reportedAt: SimInstant,
    chosenAt: SimInstant, newestFix: FixTime, coordinate: Coordinate, sequences: SequenceRun,
    answers: AnswerHistory? = nil
  ) {
    self.phone = phone
    self.authorization = authorization
    self.tokenValid = tokenValid
    self.reportedAt = reportedAt
    self.chosenAt = chosenAt
    self.newestFix = newestFix
    self.coordinate = coordinate
    self.sequences = sequences
    self.answers = answers
  }
}

package struct AnswerHistory: Equatable, Sendable, BitwiseCopyable {
  /// The share of answered pushes in units of 1/255, where newer pushes weigh more.
  package var share: UInt8
  package var unanswered: UInt8

  package init(share: UInt8, unanswered: UInt8) {
    self.share = share
    self.unanswered = unanswered
  }
}

package struct Holding: Equatable, Sendable {
  package var phone: PhoneID
  /// At least one run of stored batch numbers, ascending by epoch and number.
  package var runs: [SequenceRun]

  package init(phone: PhoneID, runs: [SequenceRun]) {
    self.phone = phone
    self.runs = runs
  }
}

extension Backend {
  package func snapshot(of phone: PhoneID) -> PhoneSnapshot {
    let row = table[Int(phone.rawValue)]
    return PhoneSnapshot(
      phone: phone, authorization: row.authorization, tokenValid: row.tokenValid,
      reportedAt: row.reportedAt, chosenAt: chosenAt(row), newestFix: row.newestFix,
      coordinate: row.coordinate, sequences: batches.run(of: phone, row: row.run),
      answers: AnswerHistory(share: row.answerShare, unanswered: row.unanswered))
  }

  /// Restores a phone's state from another server. The ledger does not change, since the other
  /// server has counted the phone's batches. Returns false for a phone outside the fleet.
  @discardableResult
  package mutating func restore(_ snapshot: PhoneSnapshot, at now: SimInstant) -> Bool {
    guard knows(snapshot.phone) else { return false }
    let index = Int(snapshot.phone.rawValue)
    countAge(index, until: now)
    table[index].authorization = snapshot.authorization
    table[index].tokenValid = snapshot.tokenValid
    table[index].reportedAt = snapshot.reportedAt
    table[index].chosenSweep =
      snapshot.chosenAt == .distantPast
      ? 0
      : UInt32(clamping: WakeCalendar.firstSweep(from: snapshot.chosenAt, settings.sweep))
    table[index].newestFix = snapshot.newestFix
    table[index].coordinate = snapshot.coordinate
    batches.restore(snapshot.sequences, of: snapshot.phone, row: &table[index].run)
    table[index].answerShare = snapshot.answers?.share ?? pace.prior
    table[index].unanswered = snapshot.answers?.unanswered ?? 0
    reconsider(snapshot.phone, at: now)
    return true
  }

  package func holdings(from first: PhoneID, limit: Int) -> [Holding] {
    let spilled = batches.runsByPhone
    var page: [Holding] = []
    var index = Int(first.rawValue)
    while index < phones, page.count < limit {
      let phone = PhoneID(rawValue: UInt32(index))
      var runs = spilled[phone] ?? []
      if !table[index].run.isEmpty { runs.append(batches.run(of: phone, row: table[index].run)) }
      if !runs.isEmpty {
        runs.sort { ($0.epoch, $0.low) < ($1.epoch, $1.low) }
        page.append(Holding(phone: phone, runs: runs))
      }
      index += 1
    }
    return page
  }
}
