internal import Capacity
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Run
internal import Scenarios
internal import Targets
internal import Uploads

enum TargetPlan {
  /// The defaults where the scenario has no limit of latency or failures.
  private static let standard = (latency: WallDuration.seconds(1), failedShare: 0.01)
  /// The wall-clock seconds of a step, by default and with --quick.
  private static let (stepSeconds, quickSeconds) = (10, 4)
  private static let quickLived = 10_000

  static func run(
    _ given: PlanOptions, _ console: Console, _ server: BuildServer
  ) throws -> ExitCode {
    var options = given
    options.run.scenario.settings.append(
      ScenarioChange("speed=1", option: "--target \(options.target.name ?? "")"))
    let demandPlan = try RunSupport.plan(options.run, console)
    try check(options, demandPlan.scenario.run)
    let setup = try LoadTarget.setup(
      options.target, options.run, demandPlan.scenario, console)
    guard let rate = setup.rateLimit, let time = options.timeLimit else {
      throw CommandError(
        exit: .usage,
        message: "the search increases the load step by step; set limits with "
          + "--set run.rateLimit=500/s and --time-limit 5min.")
    }
    let levels = demandPlan.scenario.slo
    let step = options.trial > 0 ? options.trial : options.isQuick ? quickSeconds : stepSeconds
    let limits = TargetSearch.Limits(
      perSecond: rate.perSecond, time: time, step: .seconds(Int64(step)),
      latency: levels.responseP99 ?? standard.latency,
      failedShare: levels.failed ?? levels.undelivered ?? standard.failedShare)
    RunSupport.printShortening(demandPlan.scenario, options.run, console)
    console.line(announcement(limits, setup))
    if options.run.isDryRun { return .pass }
    let folder = try RunSupport.folder(
      options.run.out, name: "\(demandPlan.scenario.name)-plan")
    let interruption = Interruption(console)
    let began = demandPlan.wall()
    let outcome = try lived(demandPlan, setup, options, console, interruption)
    var record = DemandCommand.record(demandPlan, outcome)
    if !interruption.isRequested {
      var plan = demandPlan
      plan.scenario.put(on: setup)
      let search = TargetSearch(
        plan, setup, limits, fixes: Int(outcome.demand.fixesPerBatch.rounded()))
      var found = search.run(
        progress: { if !options.run.isQuiet, options.run.interface != .json { console.line($0) } },
        shouldStop: { interruption.isRequested })
      let busiest =
        outcome.target?.requests.busiestMinute ?? outcome.demand.curve.peakMinute.batchesPerSecond
      let phones = Double(outcome.demand.phones)
      if busiest > 0 { found.uploadsPerPhone = busiest / phones }
      if let views = outcome.demand.views, !views.areMessages {
        found.readsPerPhone = views.peakMinute / phones
      }
      found.eventsPerPhone = outcome.target?.events.map { $0.busiestMinute / phones }
      record.targetCapacity = found
      judge(&record, found)
    }
    if interruption.isRequested {
      record.verdict = .interrupted
      record.reasons.insert("Stopped before the measurement was complete.", at: 0)
    }
    record.timing.wallSeconds = (demandPlan.wall() - began).seconds
    return try PlanCommand.conclude(
      record, ["demand.csv": DemandCommand.csv(outcome)], options.run, folder, console, server)
  }

  private static func check(_ options: PlanOptions, _ run: RunSettings) throws {
    try CommandError.refuse([
      "--capacity": options.capacity != nil, "--curve": options.curve != nil,
      "--store": options.store != nil, "--fleet": options.isFleet,
      "--policies": options.policies != nil, "--prices": options.prices != nil,
      "tls": run.tls != nil, "run.carrier": run.carrier != .flotilla,
    ]) { "\($0) applies to collectors only and cannot be combined with --target." }
  }

  private static func announcement(
    _ limits: TargetSearch.Limits, _ setup: TargetSetup
  ) -> String {
    "\(setup.target.name): from \(Figure.quantity(limits.perSecond / 16)) to "
      + "\(Figure.quantity(limits.perSecond)) uploads/s in steps of "
      + "\(Figure.plain(limits.step.seconds)) s, \(Figure.plain(limits.time.seconds)) s at most, "
      + "until p99 exceeds \(Figure.time(Double(limits.latency.microseconds))) or "
      + "\(Figure.percent(limits.failedShare)) fail"
  }

  private static func lived(
    _ plan: RunPlan, _ setup: TargetSetup, _ options: PlanOptions, _ console: Console,
    _ interruption: Interruption
  ) throws -> DemandRun.Outcome {
    let all = plan.scenario.fleet.phones
    let lived =
      options.isQuick && options.lived == 0
      ? min(all, quickLived) : DemandCommand.livedPhones(all, wanted: options.lived)
    // Over protocols other than HTTP, batches count as requests.
    let meter = try? RequestMeter(setup.target, plan.scenario)
    let display = RunDisplay(
      plan.firstSnapshot(.simulate), options.run, console, interruption: interruption)
    display.open(on: plan.scenario)
    defer { _ = display.close() }
    let hasReads = setup.target.view != nil && !setup.target.isWatched
    let outcome = DemandRun(plan, lived: lived, requests: meter, viewersRead: hasReads).run(
      progress: display.show, shouldStop: { interruption.isRequested })
    guard let outcome else { preconditionFailure("a plan requires a single process") }
    return outcome
  }

  private static func judge(_ record: inout RunRecord, _ found: TargetCapacity) {
    record.reasons.append(found.ended)
    if let step = found.steps.last, step.invalid != nil {
      record.verdict = min(record.verdict, .invalid)
    } else if found.lowerBound == nil, found.upperBound != nil {
      record.verdict = min(record.verdict, .sloMissed)
    }
    guard let served = found.phonesServed, found.upperBound != nil,
      served < record.scenario.phones
    else { return }
    record.verdict = min(record.verdict, .sloMissed)
    record.reasons.append(
      "\(Figure.grouped(record.scenario.phones)) phones need more in their busiest minute.")
  }
}
