package import Capacity
internal import Fleet
internal import Measure
internal import Scenarios
internal import SimulationCore
internal import Telemetry

/// Records what a simulated fleet asks of its server, from the begin of the measured time.
///
/// Used by one thread: the one that drives virtual time.
final class DemandMeter {
  private(set) var recorder: DemandRecorder
  private let begin: SimInstant
  private let encoding: BatchEncoding
  /// Names the policy of each cohort, and of each rollout.
  private let cohorts: [Int]
  private let rollouts: [Int]

  /// Sizes are estimated from one batch in this many: encoding every fix of every batch would cost
  /// as much as simulating it.
  private static let sized = 16
  private var number = 0
  private var bytesPerFix = 12.0

  init(_ scenario: Scenario) {
    recorder = DemandRecorder(
      policies: scenario.policies.map(\.name),
      seconds: (scenario.measureEnd - scenario.measureStart).seconds)
    begin = scenario.measureStart
    encoding = scenario.encoding
    cohorts = scenario.fleet.cohorts.map(\.policy)
    rollouts = scenario.rollouts.map(\.policy)
  }

  func arrived(_ order: UploadOrder, _ fixes: UnsafeBufferPointer<Fix>) {
    let second = (order.reachesServer - begin).seconds
    guard second >= 0 else { return }
    let policy = order.rollout > 0 ? rollouts[Int(order.rollout) - 1] : cohorts[Int(order.cohort)]
    let opens = (order.intended - begin).seconds
    let closes = (order.perceivedAt - begin).seconds
    recorder.add(
      second, phone: order.id.phone.rawValue, policy: policy, fixes: fixes.count,
      bytes: bytes(fixes), open: opens...max(opens, closes))
  }

  private func bytes(_ fixes: UnsafeBufferPointer<Fix>) -> Int {
    number += 1
    if number % Self.sized == 1 || fixes.count == 1 {
      var size = BatchSize()
      for fix in fixes { size.add(fix) }
      let bytes = size.bytes(as: encoding)
      if fixes.count > 1 {
        bytesPerFix += (Double(bytes) / Double(fixes.count) - bytesPerFix) / 64
      }
      return bytes
    }
    return Int(bytesPerFix * Double(fixes.count))
  }

  func pushed(_ instants: [SimInstant]) {
    for instant in instants { recorder.addPush((instant - begin).seconds) }
  }
}

/// Determines the demand of N phones: all of them, or a sample that stands for them, are simulated
/// in virtual time.
package struct DemandRun {
  /// Holds the results.
  package struct Outcome: Sendable {
    /// Is the outcome of the simulation, for the phones that were simulated.
    package var run: RunOutcome
    /// Holds what was recorded of the phones that were lived.
    package var recorder: DemandRecorder
    /// Is the demand of all phones, scaled from those that were lived.
    package var demand: DemandRecord
  }

  private let plan: RunPlan
  private let phones: Int

  /// - Parameters:
  ///   - plan: the plan of the scenario with all phones whose demand is wanted.
  ///   - lived: the greatest number of phones to simulate.
  package init(_ plan: RunPlan, lived: Int) {
    phones = plan.scenario.fleet.phones
    var plan = plan
    plan.scenario.fleet.phones = min(phones, max(1, lived))
    self.plan = plan
  }

  /// Lives the phones and returns what they ask of a server; a run that is stopped gives the demand
  /// up to there.
  package func run(
    progress: @escaping (RunProgress) -> Void, shouldStop: @escaping () -> Bool
  ) -> Outcome {
    var simulation = Simulation(plan)
    let meter = DemandMeter(plan.scenario)
    simulation.meter = meter
    let outcome = simulation.run(progress: progress, shouldStop: shouldStop)
    let demand = DemandRecord(
      meter.recorder, phones: phones, lived: plan.scenario.fleet.phones, seed: plan.scenario.seed)
    return Outcome(run: outcome, recorder: meter.recorder, demand: demand)
  }
}
