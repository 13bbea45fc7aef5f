internal import Core
internal import Figures
internal import Fleet
internal import Push
internal import Scenarios
internal import ServerLogic

extension SenderFigures {
  /// Adds the pushes of the measured time to phones that were off or offline, to force-quit apps
  /// and to phones without permission. Pushes in flight at `end` do not count.
  mutating func setWaste(
    _ fleet: FleetAccount, _ server: WakeAccount, _ wake: RunRecord.Wake, until end: SimInstant,
    _ scenario: Scenario
  ) {
    var outcomes: [UInt64: WakeOutcome] = [:]
    outcomes.reserveCapacity(fleet.pushEndings.count)
    for ending in fleet.pushEndings { outcomes[ending.id] = ending.outcome }
    let within = scenario.push.within
    var first: [SenderFault: WakeOccasion] = [:]
    var counts: [SenderFault: Int] = [:]
    for occasion in server.occasions where !occasion.isWithheld {
      guard !occasion.isUnderWay(within: within, at: end),
        let fault = outcomes[occasion.pushID].flatMap(SenderFault.init)
      else { continue }
      counts[fault, default: 0] += 1
      if let earlier = first[fault], earlier.at <= occasion.at { continue }
      first[fault] = occasion
    }
    for fault in SenderFault.allCases {
      guard let count = counts[fault], let example = first[fault] else { continue }
      faults.append(
        Fault(
          fault, count: count, example: "phone \(example.phone.rawValue)",
          at: ClockText.text(example.at, scenario.clock)))
    }
    let caused = wake.outcomes[WakeOutcome.caused.rawValue] ?? 0
    pushesPerCaused = caused > 0 ? Double(wake.requested) / Double(caused) : nil
  }
}

extension SenderFault {
  /// Creates the sender's fault; nil if there was none that the sender could know of.
  fileprivate init?(_ outcome: WakeOutcome) {
    switch outcome {
    case .switchedOff, .offline, .expired, .storeFull: self = .unreachablePhone
    case .overwritten: self = .replaced
    case .forceQuit, .stopped: self = .forceQuitApp
    case .noPermission: self = .noPermission
    case .rejected, .unregistered, .lowPower, .refreshOff, .throttled, .doze, .bucketQuota,
      .deprioritized, .alertOnly, .beforeFirstUnlock, .appCrashed, .noFix, .uploadFailed, .late,
      .caused, .raced, .pending:
      return nil
    }
  }
}
