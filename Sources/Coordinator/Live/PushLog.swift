internal import Measure
internal import Scenarios
internal import ServerLogic
internal import SimulationCore
internal import Synchronization
internal import Telemetry
internal import Wire

/// Every push the server asked for, or would have but for the holdout, and which were answered.
final class PushLog: Sendable {
  struct Content: Sendable {
    var occasions: [WakeOccasion] = []
    /// From the sweep to the answer, by push.
    var answered: [UInt64: SimDuration] = [:]
    var withheld = 0
    /// Occasions before this one have had their time to be answered.
    var matured = 0
    var funnel = Snapshot.PushFunnel()
  }
  private let content = Mutex(Content())

  func note(_ sweep: PushSweep) {
    content.withLock { content in
      for push in sweep.requests {
        content.occasions.append(
          WakeOccasion(pushID: push.id, at: sweep.sweptAt, isWithheld: false))
      }
      for id in sweep.withheld {
        content.occasions.append(WakeOccasion(pushID: id, at: sweep.sweptAt, isWithheld: true))
      }
      content.withheld += sweep.withheld.count
      for answer in sweep.answered { content.answered[answer.id] = answer.after }
    }
  }

  /// How it stands at `now`, without what became of the pushes on their phones. Sweeps come in
  /// order, so each occasion is looked at once, when W has passed.
  func funnel(at now: SimInstant, _ scenario: Scenario) -> Snapshot.PushFunnel {
    content.withLock { content in
      while content.matured < content.occasions.count,
        content.occasions[content.matured].at + scenario.push.within <= now
      {
        let occasion = content.occasions[content.matured]
        content.matured += 1
        guard !occasion.isWithheld, occasion.at >= scenario.measureStart else { continue }
        content.funnel.eligible += 1
        if let after = content.answered[occasion.pushID], after <= scenario.push.within {
          content.funnel.answered += 1
        }
      }
      content.funnel.withheld = content.withheld
      content.funnel.requested = content.occasions.count - content.withheld
      return content.funnel
    }
  }

  /// The sweeps that requested each push.
  var requestInstants: [SimInstant] {
    content.withLock { $0.occasions.filter { !$0.isWithheld }.map(\.at) }
  }
  var requested: Int { content.withLock { $0.occasions.count } }
  var answered: Int { content.withLock { $0.answered.count } }

  /// Of the measured time, each with whether it was answered.
  func occasions(in scenario: Scenario, until end: SimInstant) -> [WakeOccasion] {
    content.withLock { content in
      content.occasions.compactMap { occasion in
        guard occasion.at >= scenario.measureStart, occasion.at < end else { return nil }
        return WakeOccasion(
          pushID: occasion.pushID, at: occasion.at, isWithheld: occasion.isWithheld,
          answeredAfter: content.answered[occasion.pushID])
      }
    }
  }
}
