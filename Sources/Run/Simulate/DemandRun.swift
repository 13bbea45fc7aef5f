package import Capacity
internal import Core
package import Figures
internal import Fleet
internal import Scenarios
package import Uploads

/// Determines the demand of N phones by simulating them or a sample in virtual time.
package struct DemandRun {
  package struct Outcome: Sendable {
    package var run: RunOutcome
    package var recorder: DemandRecorder
    /// The demand of all phones, scaled from the simulated phones.
    package var demand: DemandRecord
    package var target: TargetDemand?
  }

  private let plan: RunPlan
  private let phones: Int
  private let requests: RequestMeter?
  private let viewersRead: Bool

  /// - Parameters:
  ///   - plan: The plan of the whole fleet.
  ///   - lived: The number of phones to simulate; of a smaller fleet, all are simulated.
  ///   - viewersRead: Whether the scenario's viewers send reads if no requests are counted.
  package init(
    _ plan: RunPlan, lived: Int, requests: RequestMeter? = nil, viewersRead: Bool = true
  ) {
    self.requests = requests
    self.viewersRead = viewersRead
    let all = plan.scenario.fleet.phones
    var plan = plan
    plan.scenario.fleet.phones = min(all, max(1, lived))
    // A part of a run whose processes do not communicate scales only to its share of the phones.
    phones = plan.shard != nil ? plan.place.range(of: all).count : all
    self.plan = plan
  }

  /// Simulates the phones until the end or a stop; nil except in the process that leads the run.
  package func run(
    progress: @escaping (RunProgress) -> Void, shouldStop: @escaping () -> Bool
  ) -> Outcome? {
    let meter = DemandMeter(plan.scenario, keepsLog: plan.place.count > 1, requests: requests)
    var simulation = Simulation(plan)
    simulation.meter = meter
    let run = simulation.run(progress: progress, shouldStop: shouldStop)
    guard plan.leads else { return nil }
    guard meter.log != nil else { return outcome(run, meter) }
    do throws(DemandLogError) { return try outcome(of: run) } catch {
      preconditionFailure("the processes of a run run one program: \(error)")
    }
  }

  func outcome(of run: RunOutcome) throws(DemandLogError) -> Outcome {
    let meter = DemandMeter(plan.scenario)
    try meter.record(run.batches)
    return outcome(run, meter)
  }

  private func outcome(_ run: RunOutcome, _ meter: DemandMeter) -> Outcome {
    meter.pushed(run.server?.wake.requests ?? [])
    let lived = run.account?.phones.count ?? plan.phones.count
    var recorder = meter.recorder
    if let requests {
      recorder.views = requests.views(scale: Double(phones) / Double(max(1, lived)))
    } else if viewersRead {
      recorder.views = ViewSchedule.reads(plan.scenario, phones: phones).map { ViewSeries($0) }
    }
    var demand = DemandRecord(recorder, phones: phones, lived: lived, seed: plan.scenario.seed)
    demand.systems = run.record.systems.flatMap { SystemDemand.parts(recorder, $0, demand) }
    let end = run.account?.livedUntil ?? plan.scenario.measureEnd
    let target = requests?.demand(
      scale: demand.scale, seconds: (end - plan.scenario.measureStart).seconds, recorder.views)
    return Outcome(run: run, recorder: recorder, demand: demand, target: target)
  }
}
