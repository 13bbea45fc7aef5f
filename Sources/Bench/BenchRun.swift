internal import Coordinator
internal import SimulationCore
internal import Transport
internal import Wire

/// The run that a collector under a bench serves: a day at speed 1, in which nobody is pushed.
enum BenchRun {
  static let begin = SimInstant(microseconds: 1_772_433_000_000_000)

  static func open(
    _ name: String, phones: Int, by calls: RPCClient
  ) throws(CollectorTrouble) {
    let request = OpenRunRequest(
      runID: name, hashKey: 1, seed: 1,
      clock: RunClock(
        scenarioStart: begin, measureStart: begin, measureEnd: begin + .hours(24), speed: 1,
        startsIn: .zero),
      phones: UInt32(phones),
      push: PushTerms(
        scheduler: "none", silentAfter: .hours(1), within: .minutes(10), sweep: .minutes(1),
        spacing: .minutes(30), rate: Rate(perSecond: 1), holdout: 0, jitter: .zero,
        accuracyLimit: .meters(1_000), expiration: .minutes(10)),
      cohorts: [CohortTerms(name: "all", settings: TrackerSettings(version: 1))])
    do {
      _ = try calls.callBlocking(.openRun, request, deadline: .seconds(10), as: OpenRunReply.self)
    } catch {
      throw .unreachable("\(error)")
    }
  }
}
