package import Core
internal import Scenarios
package import Transport
internal import Wire

/// The run that a bench opens at a collector, a day at speed 1 without pushes.
package enum BenchRun {
  package static let begin = SimInstant(microseconds: 1_772_433_000_000_000)

  private static var unpushed: PushTerms {
    var terms = PushSettings.standard.terms
    terms.scheduler = .none
    return terms
  }

  package static func open(
    _ name: String, phones: Int, by calls: RPCClient
  ) throws(CollectorRunError) {
    let request = OpenRunRequest(
      runID: name, hashKey: 1, seed: 1,
      clock: RunClock(
        scenarioStart: begin, measureStart: begin, measureEnd: begin + .hours(24), speed: 1,
        startsIn: .zero),
      phones: UInt32(phones),
      push: unpushed,
      cohorts: [CohortTerms(name: "all", settings: TrackerSettings(version: 1))])
    do {
      _ = try calls.callBlocking(.openRun, request, deadline: .seconds(10), as: OpenRunReply.self)
    } catch {
      throw .unreachable("\(error)")
    }
  }
}
