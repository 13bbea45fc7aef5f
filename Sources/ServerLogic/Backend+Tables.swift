package import SimulationCore
package import Telemetry

/// A phone as it stands on one server, to be set up on another: the collector of a run that lived
/// its warm start in virtual time.
package struct PhoneSnapshot: Equatable, Sendable, BitwiseCopyable {
  /// Names the phone.
  package var phone: PhoneID
  /// Is the location permission that the last registration reported.
  package var authorization: Authorization
  /// Is true where the last registration reported a valid push token.
  package var tokenValid: Bool
  /// Is the instant of the last arrival of a batch, or of the registration; `distantPast`: neither
  /// came.
  package var reportedAt: SimInstant
  /// Is the instant of the sweep that last chose the phone; `distantPast`: none did.
  package var chosenAt: SimInstant
  /// nil-like `LastSeen.neverSeen` when no fix is held.
  package var newestFix: FixTime
  /// Is where the newest fix was taken; meaningless where no fix is held.
  package var coordinate: Coordinate
  /// Is the newest run of sequence numbers that the server holds.
  package var sequences: SequenceRun
  /// What the wake scheduler learned of the phone; nil: nothing.
  package var answers: AnswerHistory?

  /// Makes the row from its parts.
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

/// How a phone answered the pushes it got.
package struct AnswerHistory: Equatable, Sendable, BitwiseCopyable {
  /// Of 255: what it answers, the newer pushes weighing more.
  package var share: UInt8
  /// Unanswered pushes since its last report.
  package var unanswered: UInt8

  /// Makes a history from the share answered, in 255ths, and the unanswered pushes.
  package init(share: UInt8, unanswered: UInt8) {
    self.share = share
    self.unanswered = unanswered
  }
}

/// The batches of one phone that a server holds, as runs of sequence numbers.
package struct Holding: Equatable, Sendable {
  /// Names the phone.
  package var phone: PhoneID
  /// Holds the runs, ascending by epoch and sequence; never empty.
  package var runs: [SequenceRun]

  /// Creates the holding of a phone.
  package init(phone: PhoneID, runs: [SequenceRun]) {
    self.phone = phone
    self.runs = runs
  }
}

extension Backend {
  /// Returns what the server knows of one phone, for another server to restore.
  package func snapshot(of phone: PhoneID) -> PhoneSnapshot {
    let row = table[Int(phone.rawValue)]
    return PhoneSnapshot(
      phone: phone, authorization: row.authorization, tokenValid: row.tokenValid,
      reportedAt: row.reportedAt, chosenAt: chosenAt(row), newestFix: row.newestFix,
      coordinate: row.coordinate, sequences: batches.run(of: phone, row: row.run),
      answers: AnswerHistory(share: row.answerShare, unanswered: row.unanswered))
  }

  /// Sets a phone up as it stood elsewhere. The ledger does not change: those batches belong to
  /// the other server's count. Answers false for a phone outside the fleet.
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

  /// What is held, phone by phone from `first` on, of at most `limit` phones that hold anything.
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
