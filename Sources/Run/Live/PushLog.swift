internal import Core
internal import Scenarios
internal import ServerLogic
internal import Synchronization
internal import Wire

/// Records the server's requested and withheld pushes of some phones, and their answers.
final class PushLog: Sendable {
  struct Content: Sendable {
    var occasions: [WakeOccasion] = []
    var withheld: Set<UInt64> = []
    var answered: [UInt64: SimDuration] = [:]
    var matured = 0
    var counts = Sheet()
  }
  private let content = Mutex(Content())
  private let phones: Range<Int>

  /// - Parameter phones: the phones of this process; sweeps also name phones of other processes.
  init(of phones: Range<Int>) { self.phones = phones }

  private func has(_ pushID: UInt64) -> Bool {
    phones.contains(Int(UInt32(truncatingIfNeeded: pushID)))
  }

  func note(_ sweep: PushSweep, withheldAs manner: PushManner = .ofScenario) {
    content.withLock { content in
      for push in sweep.requests where has(push.id) {
        content.occasions.append(
          WakeOccasion(
            pushID: push.id, at: sweep.sweptAt, isWithheld: false, manner: push.manner))
        content.counts[.pushesRequested] += 1
      }
      for id in sweep.withheld where has(id) {
        content.occasions.append(
          WakeOccasion(pushID: id, at: sweep.sweptAt, isWithheld: true, manner: manner))
        content.counts[.pushesWithheld] += 1
        content.withheld.insert(id)
      }
      for answer in sweep.answered where has(answer.id) {
        let isNew = content.answered.updateValue(answer.after, forKey: answer.id) == nil
        if isNew, !content.withheld.contains(answer.id) { content.counts[.pushAnswers] += 1 }
      }
    }
  }

  /// Returns the counts at `now`, without the outcomes on the phones. Occasions are ordered by
  /// time, so each is judged once, when W has passed.
  func counts(at now: SimInstant, _ scenario: Scenario) -> Sheet {
    content.withLock { content in
      while content.matured < content.occasions.count,
        content.occasions[content.matured].at + scenario.push.within <= now
      {
        let occasion = content.occasions[content.matured]
        content.matured += 1
        guard !occasion.isWithheld, occasion.at >= scenario.measureStart else { continue }
        content.counts[.pushesEligible] += 1
        if let after = content.answered[occasion.pushID], after <= scenario.push.within {
          content.counts[.pushesAnswered] += 1
        }
      }
      return content.counts
    }
  }

  func account(of scenario: Scenario, until end: SimInstant) -> WakeAccount {
    content.withLock { content in
      var account = WakeAccount()
      account.requests = content.occasions.filter { !$0.isWithheld }.map(\.at)
      account.occasions = content.occasions.compactMap { occasion in
        guard occasion.at >= scenario.measureStart, occasion.at < end else { return nil }
        return WakeOccasion(
          pushID: occasion.pushID, at: occasion.at, isWithheld: occasion.isWithheld,
          answeredAfter: content.answered[occasion.pushID], manner: occasion.manner)
      }
      return account
    }
  }
}
