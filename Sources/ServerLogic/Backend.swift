package import Core

package enum IngestResult: Equatable, Sendable {
  case stored
  case duplicate
  case rejected(Rejection)
}

/// The server logic of one run, without sockets or clock. One phone's batches arrive in time order.
/// Within a sweep interval simulations merge by phone, so batches of different phones may be out of
/// order.
package struct Backend: Sendable {
  /// The number of phones of the run. Phone numbers go from 0 to `phones - 1`.
  package let phones: Int
  package let settings: PushTerms
  package internal(set) var ledger = CollectorLedger()
  package internal(set) var wake = Sheet()
  /// The cohorts of the phones, and the pushes of each part of the fleet.
  package var parts: BackendParts
  package internal(set) var occasions: [WakeOccasion] = []
  /// The number of distinct batches whose newest fix was stamped after the batch's arrival (CK2).
  package internal(set) var stampedAhead = 0

  let seed: UInt64
  let hashKey: UInt64
  let accuracyLimit: UInt16
  var table: [LastSeen]
  var batches = StoredBatches()
  let pace: WakePace
  let answerWindow: SimDuration
  var calendar: WakeCalendar
  var backlog = SweepQueue()
  var early = SweepQueue()
  var freshness: FreshnessIntegral
  var answered: [UInt64] = []
  var measure = MeasureWindow()
  var comingUp: [PhoneID] = []
  var chosen: [Choice] = []
  var choosesAtOnce = false
  /// Agrees with the backends of the fleet's other parts which phones a sweep pushes. nil if this
  /// backend has all phones. Every backend calls the closure at each sweep that may reach the rate,
  /// and a call returns after all backends have called.
  package var agree: (@Sendable (SweepBids) -> SweepCut)?

  /// Creates a backend. `fresh(X)` is exact for each X in `freshWithin`. Phones use the same
  /// `hashKey`. Pushes and ages are also counted for each part of the fleet: `partOfCohort` has a
  /// part for each cohort.
  package init(
    phones: Int, seed: UInt64, push: PushTerms, hashKey: UInt64,
    freshWithin: [SimDuration] = FreshnessIntegral.customary, partOfCohort: [Int] = []
  ) {
    precondition(phones >= 0 && phones < Int(UInt32.max), "phones must fit 32 bits (\(phones))")
    self.phones = phones
    self.seed = seed
    self.settings = push
    self.hashKey = hashKey
    parts = BackendParts(ofCohort: partOfCohort, phones: phones)
    freshness = FreshnessIntegral(within: freshWithin, parts: parts.wake.count)
    accuracyLimit = UInt16(min(max(push.accuracyLimit.meters, 0), Double(UInt16.max)))
    pace = WakePace(push)
    answerWindow = push.windows.filter { $0 <= push.spacing }.reduce(push.within, max)
    var unknown = LastSeen()
    unknown.answerShare = pace.prior
    table = [LastSeen](repeating: unknown, count: phones)
    calendar = WakeCalendar(
      phones: phones, sweep: push.sweep, horizon: pace.leastSilence)
  }

  package func lastSeen(_ phone: PhoneID) -> LastSeen { table[Int(phone.rawValue)] }

  func knows(_ phone: PhoneID) -> Bool { Int(phone.rawValue) < phones }

  /// Records a registration. Returns false for a phone outside the fleet. A registration has no
  /// effect once a batch of a later installation is stored (LC16).
  @discardableResult
  package mutating func register(
    _ phone: PhoneID, epoch: UInt32 = 1, authorization: Authorization, tokenValid: Bool,
    at now: SimInstant
  ) -> Bool {
    guard knows(phone) else { return false }
    let index = Int(phone.rawValue)
    guard epoch >= table[index].epoch else { return true }
    let wasReachable = table[index].isReachable
    countAge(index, until: now)
    table[index].authorization = authorization
    table[index].tokenValid = tokenValid
    if table[index].reportedAt == .distantPast { table[index].reportedAt = now }
    if table[index].isReachable != wasReachable {
      reconsider(phone, at: now)
    } else {
      schedule(phone, at: now)
    }
    return true
  }

  package mutating func note(_ phone: PhoneID, cohort: Int) { parts.note(phone, cohort: cohort) }

  // MARK: Batches

  package mutating func ingest(
    _ id: BatchID, fixes: UnsafeBufferPointer<Fix>, at now: SimInstant
  ) -> IngestResult {
    if holds(id) {
      recordDuplicate(fixes: fixes.count)
      return .duplicate
    }
    if hasForgotten(id) {
      recordRejected(.forgotten, fixes: fixes.count)
      return .rejected(.forgotten)
    }
    switch inspect(id, fixes: fixes, at: now) {
    case .success(let digest):
      commit(digest, at: now)
      return .stored
    case .failure(let failure):
      recordRejected(failure.reason, fixes: fixes.count)
      return .rejected(failure.reason)
    }
  }

  /// Returns whether the batch is stored. `holds`, `hasForgotten` and `inspect` are `mutating`
  /// because a nonmutating call on a struct in a class retains and releases the struct's tables.
  package mutating func holds(_ id: BatchID) -> Bool {
    knows(id.phone) && batches.holds(id, row: table[Int(id.phone.rawValue)].run)
  }

  /// Returns whether the server has forgotten if the batch was stored, and must reject the batch.
  package mutating func hasForgotten(_ id: BatchID) -> Bool {
    knows(id.phone) && batches.hasForgotten(id)
  }

  /// The number of runs of batch numbers that were forgotten because a phone left too many gaps.
  package var forgottenRuns: UInt64 { batches.forgotten }

  package mutating func inspect(
    _ id: BatchID, fixes: UnsafeBufferPointer<Fix>, at now: SimInstant
  ) -> Result<BatchDigest, InspectionError> {
    guard knows(id.phone) else { return .failure(.init(.unknownPhone)) }
    return BatchDigest.of(
      id, fixes: fixes, key: hashKey, accuracyLimit: accuracyLimit, at: now)
  }

  /// Records an inspected batch that is already durable. `now` is the batch's time of arrival.
  package mutating func commit(_ digest: BatchDigest, at now: SimInstant) {
    precondition(!holds(digest.id), "a batch is committed once: \(digest.id)")
    let index = Int(digest.id.phone.rawValue)
    // CK2: A timestamp in the future comes from a wrong clock. Once the clock is corrected, stamps
    // jump back, and the batch with the higher number is newer, whatever its stamp.
    let isLater =
      table[index].newestFix > FixTime(now) && digest.id.order > table[index].run.order
    batches.insert(digest.id, row: &table[index].run)
    ledger.addDistinct(digest)
    if digest.newest > FixTime(now) { stampedAhead += 1 }
    table[index].noteStamp(digest.newest, at: now)
    countAge(index, until: now)
    if digest.newest > table[index].newestFix || isLater {
      table[index].newestFix = digest.newest
      table[index].coordinate = digest.newestCoordinate
    }
    table[index].reportedAt = max(table[index].reportedAt, now)
    table[index].unanswered = 0
    recordAnswer(digest, at: now)
  }

  package mutating func recordDuplicate(fixes count: Int) { ledger.addDuplicate(fixes: count) }

  package mutating func recordRejected(_ reason: Rejection, fixes count: Int) {
    ledger.addRejected(reason, fixes: count)
  }
}
