package import Core
package import Figures
package import Scenarios

extension RunOutcome {
  /// Adds the storms after outages since `began`. Call it after the timeline is filled.
  mutating func setStorms(_ scenario: Scenario, from began: SimInstant? = nil, speed: Double) {
    let began = max(began ?? scenario.start, scenario.start)
    let outages = scenario.outages(from: began == scenario.start ? .distantPast : began)
    guard !outages.isEmpty, !timeline.isEmpty else { return }
    let watch = StormWatch(
      timeline, from: began.unixSeconds, speed: speed,
      pushes: sweeps.map(\.unixSeconds))
    record.storm = watch.storms(after: outages)
  }

  mutating func setPushes(_ instants: [SimInstant]) {
    sweeps = instants
    let sorted = instants.map(\.unixSeconds).sorted()
    var requested = 0
    for i in timeline.indices {
      while requested < sorted.count, sorted[requested] <= timeline[i].scenarioSeconds {
        requested += 1
      }
      timeline[i].pushesRequested = requested
    }
  }
}

extension Scenario {
  /// Returns the faults that separate phones from their server, as known before the run.
  package func outages(from began: SimInstant = .distantPast) -> [StormFigures] {
    faults.filter { $0.at >= began }.compactMap { StormFigures($0, self) }
  }
}

extension StormFigures {
  /// Returns nil unless the fault separates phones from their server for a known simulated time.
  fileprivate init?(_ fault: Fault, _ scenario: Scenario) {
    let kind: String
    switch fault.kind {
    case .networkOutage: kind = "network-outage"
    case .serverOutage: kind = "server-outage"
    case .providerOutage, .collectorStall, .collectorKill, .generatorStall, .wireDelay,
      .wireStall, .wireCut, .wireHalfOpen, .wireThrottle, .wireFlip:
      return nil
    }
    self.init(kind: kind, from: fault.at.unixSeconds, until: (fault.at + fault.lasts).unixSeconds)
    cohort = fault.cohorts.map { cohorts in
      cohorts.map { scenario.fleet.cohorts[$0].name }.joined(separator: ", ")
    }
    share = fault.share
  }
}

extension SimInstant {
  fileprivate var unixSeconds: Double { Double(microseconds) / 1e6 }
}

extension AnswerKind {
  init(_ answer: Scenarios.Answer) {
    self =
      switch answer {
      case .capacity: .capacity
      case .freshness: .freshness
      case .wake: .wake
      case .storm: .storm
      case .cohorts: .cohorts
      }
  }
}
