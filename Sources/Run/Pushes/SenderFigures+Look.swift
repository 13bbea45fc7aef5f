internal import Core
package import Figures
internal import Push
internal import Transport
package import Uploads

extension SenderFigures {
  /// - Parameter areKeysChecked: false if every provider token was accepted.
  package init(_ look: PushProviderServer.Look, areKeysChecked: Bool) {
    self.init()
    let tally = look.tally
    requests = tally.requests
    accepted = tally.accepted
    withheld = tally.withheld
    busiestSecond = tally.busiestSecond
    // The span counts whole seconds of the clock, as the busiest second does.
    let seconds = tally.span.map { Double($0.upperBound / 1_000 - $0.lowerBound / 1_000 + 1) } ?? 1
    perSecond = Double(requests) / seconds
    func row(_ reason: PushReason?, _ count: Int) -> Answers {
      Answers(
        status: reason?.status ?? 200, reason: reason?.rawValue, count: count,
        perSecond: Double(count) / seconds, busiestSecond: tally.busiestSecond(of: reason))
    }
    answers = (accepted > 0 ? [row(nil, accepted)] : []) + tally.reasons.map(row)
    answerTime = RunRecord.Metrics(look.answerTime)
    kinds = tally.kinds.map {
      Kind(
        type: $0.type.rawValue, priority: $0.priority, contentAvailable: $0.asksToRun,
        count: $0.count)
    }
    connections = Int(look.server.accepted)
    brokenConnections = Int(look.server.broken)
    signaturesChecked = areKeysChecked
    faults = tally.faults.all.map { fault in
      let at = SimInstant(microseconds: fault.at * 1_000)
      return Fault(
        fault.fault, count: fault.count, example: fault.example,
        at: ClockText.text(at, CivilClock(utcOffset: .zero)) + "Z")
    }
  }
}

extension SenderFigures.Fault {
  init(_ fault: SenderFault, count: Int, example: String, at: String) {
    self.init(
      fault: "\(fault)", name: fault.rawValue, count: count, example: example, at: at,
      advice: fault.advice)
  }
}
