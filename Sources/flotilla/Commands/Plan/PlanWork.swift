internal import Capacity
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Run
internal import Scenarios
internal import Uploads

/// The steps of a plan. After a stop, the completed steps are reported.
struct PlanWork {
  let options: PlanOptions
  let plan: RunPlan
  let prices: PriceList
  let curve: [LawFit.Point]?
  let alternatives: [(name: String, plan: RunPlan)]
  let ensemble: Ensemble?
  /// The executable that the measurement starts.
  let program: String

  /// The numbers of phones simulated for a preview, and for each of `--policies`.
  private static let (quickLived, alternativeLived) = (10_000, 5_000)
  /// The number of phones simulated for a preview of a growth.
  private static let growthQuick = 2_000
  /// The default limit of the response time.
  private static let standardLatency = WallDuration.milliseconds(50)

  private var lived: Int {
    if options.isFleet, options.lived == 0 {
      return min(plan.scenario.fleet.phones, options.isQuick ? Self.growthQuick : Self.quickLived)
    }
    if options.isQuick, options.lived == 0 {
      return min(plan.scenario.fleet.phones, Self.quickLived)
    }
    return DemandCommand.livedPhones(plan.scenario.fleet.phones, wanted: options.lived)
  }

  var store: PlanStore {
    isMeasured ? options.store ?? PlanStore(plan.scenario.collector) : .file
  }

  private var isMeasured: Bool { options.capacity == nil && curve == nil }

  var announcement: String {
    let capacity =
      isMeasured
      ? """
      measure a collector for about \
      \(Figure.plain((measurement.expectedSeconds / 60).rounded(.up))) min
      """ : "use the given capacity"
    return """
      Would simulate \(Figure.grouped(lived)) of \
      \(Figure.grouped(plan.scenario.fleet.phones)) phones for \
      \(Figure.plain(plan.scenario.duration.seconds / 3_600)) h, \(alternatives.count) other \
      policies, and \(capacity)\(ensemble.map { ", then simulate \($0.words)" } ?? "").
      """
  }

  private struct Other {
    let name: String
    let demand: DemandRecord
    let served: ServedPhones
  }

  // MARK: Run

  func run(
    _ folder: RunFolder, _ console: Console, _ watch: StepWatch, _ interruption: Interruption
  ) throws -> RunRecord {
    let began = plan.wall()
    // The memory of the process is read before the simulation, while there are no phones.
    let residentBytes = ProcessMetrics.current().residentBytes
    let plan = livedPlan
    let display = RunDisplay(
      plan.firstSnapshot(.simulate), options.run, console, interruption: interruption)
    display.open(on: plan.scenario)
    watch.screen(isUp: display.hasScreen)
    watch.step("simulating \(Figure.grouped(lived)) phones")
    let outcome = lived(plan, lived, display, watch, interruption)
    var record = DemandCommand.record(plan, outcome)
    try folder.write(DemandCommand.csv(outcome), to: "demand.csv")
    let others = alternatives.compactMap { name, plan -> Other? in
      guard !interruption.isRequested else { return nil }
      watch.step("simulating phones with the policy \(name)")
      let other = self.lived(
        plan, min(lived, Self.alternativeLived), display, watch, interruption)
      return Other(name: name, demand: other.demand, served: ServedPhones(other.run.record))
    }
    _ = display.close()
    watch.screen(isUp: false)
    if !interruption.isRequested {
      let capacity = try capacity(outcome, folder, watch, interruption)
      watch.step(options.isFleet ? "simulating a sample for the growth" : "sizing")
      record.plan =
        options.isFleet
        ? PlanRecord(
          demand: outcome.demand, capacity: capacity,
          growth: growth(outcome, capacity, residentBytes: residentBytes))
        : PlanRecord(
          demand: outcome.demand, capacity: capacity, size: size(outcome, capacity, others))
      // An interrupted search gives no verdict.
      if !interruption.isRequested {
        let judged = CapacityVerdict(capacity)
        record.verdict = min(record.verdict, judged.verdict)
        record.reasons += judged.reasons
      }
    }
    if interruption.isRequested {
      record.verdict = .interrupted
      record.reasons.insert("Stopped before the measurement was complete.", at: 0)
    } else if let ensemble {
      watch.step("simulating \(ensemble.words)")
      record.ensemble = figures(of: ensemble, outcome.demand, record.plan?.capacity, interruption)
    }
    record.timing.wallSeconds = (plan.wall() - began).seconds
    return record
  }

  /// The plan to simulate. With `--fleet` only some phones are simulated, and scaled up.
  private var livedPlan: RunPlan {
    guard options.isFleet else { return plan }
    var few = plan
    few.scenario.fleet.phones = lived
    return few
  }

  private func growth(
    _ outcome: DemandRun.Outcome, _ capacity: CapacityRecord, residentBytes: Int
  ) -> GrowthRecord {
    let scenario = livedPlan.scenario
    let forecast = LoadForecast(livedPlan)
    let cpu = outcome.run.record.machine.processes["simulation"]?.cpuSeconds ?? 0
    let phoneSeconds = Double(lived) * (scenario.duration + scenario.warmStart).seconds
    let input = GrowthInput(
      demand: outcome.demand, bytesPerPhone: forecast.bytesPerPhone,
      bytesPerRank: Double(residentBytes), livingSeconds: cpu / max(1, phoneSeconds),
      sendingSeconds: capacity.sendingSecondsPerBatch,
      reduceSeconds: ReduceTrial.secondsPerProcess(scenario, plan.wall),
      capacity: capacity, prices: prices)
    let phones = Double(plan.scenario.fleet.phones)
    return GrowthRecord(input, phones: [phones / 10, phones, phones * 10])
  }

  private func lived(
    _ plan: RunPlan, _ phones: Int, _ display: RunDisplay, _ watch: StepWatch,
    _ interruption: Interruption
  ) -> DemandRun.Outcome {
    let outcome = DemandRun(plan, lived: phones).run(
      progress: {
        display.show($0)
        watch.noteShown()
      }, shouldStop: { interruption.isRequested })
    guard let outcome else { preconditionFailure("a plan requires a single process") }
    return outcome
  }

  /// Returns what to buy, or nil if a core's capacity is unknown.
  private func size(
    _ outcome: DemandRun.Outcome, _ capacity: CapacityRecord, _ others: [Other]
  ) -> SizeRecord? {
    guard let input = input(outcome.demand, capacity) else { return nil }
    var size = SizeRecord(input, seed: plan.scenario.seed)
    size.alternatives = others.map {
      SizeRecord.Alternative($0.name, $0.demand, like: input, served: $0.served)
    }
    size.storm = StormRecord(
      outcome.arrivals(seed: plan.scenario.seed), instances: size.instances,
      perInstance: size.perCore * Double(size.instance.cores))
    return size
  }

  /// Returns figures over sets. A set has too few phones for the shape of the peak, which is that
  /// of the scenario as written; its height is in proportion to the set's busiest hour.
  private func figures(
    of ensemble: Ensemble, _ demand: DemandRecord, _ capacity: CapacityRecord?,
    _ interruption: Interruption
  ) -> EnsembleFigures? {
    let sizing = capacity.flatMap { input(demand, $0) }
    let hour = demand.curve.peakHour.batchesPerSecond
    let peak = demand.sustained(delay: delay)?.value ?? 0
    var figures = ensemble.figures(
      progress: { _ in }, shouldStop: { interruption.isRequested },
      planned: { busiestHour in
        guard hour > 0 else { return [:] }
        let factor = busiestHour / hour
        var values = [EnsembleFigures.peak: peak * factor]
        values[EnsembleFigures.instances] = sizing.map { Double($0.instances(atPeak: factor)) }
        return values
      })
    // Quantiles lie between the sets' whole numbers.
    if let found = figures?.figures[EnsembleFigures.instances] {
      figures?.figures[EnsembleFigures.instances] = Ratio(
        value: found.value.rounded(.up), low: found.low.rounded(.down),
        high: found.high.rounded(.up))
    }
    return figures
  }

  private func input(_ demand: DemandRecord, _ capacity: CapacityRecord) -> SizingInput? {
    guard capacity.perCore.low > 0 else { return nil }
    var input = SizingInput(
      demand: demand, perCore: capacity.perCore, prices: prices, delay: delay,
      bytesStored: capacity.storedBytesPerBatch, residentBytes: capacity.residentBytes,
      tls: capacity.tls, isHTTP2: plan.scenario.run.carrier == .grpc)
    input.conditions = capacity.conditions
    input.systems = plan.scenario.systems
    input.database = capacity.database
    return input
  }

  /// The longest delay in the demand's table that the latency limit allows, in seconds.
  private var delay: Double {
    DemandCurve.delays.last { $0 <= latency.seconds } ?? DemandCurve.delays[0]
  }

  private var latency: WallDuration { plan.scenario.slo.responseP99 ?? Self.standardLatency }

  // MARK: Capacity

  private func capacity(
    _ outcome: DemandRun.Outcome, _ folder: RunFolder, _ watch: StepWatch,
    _ interruption: Interruption
  ) throws -> CapacityRecord {
    if let given = options.capacity {
      var record = CapacityRecord(
        source: .given, perCore: Ratio(value: given, low: given, high: given))
      record.lawNote = "not fitted: a single capacity was given"
      return record
    }
    if let curve { return GivenCurve(curve, cores: prices.instance.cores).record }
    var measurement = measurement
    let store = try PlanTrialStore(store, in: folder)
    defer { store.close() }
    measurement.store = store.trials
    measurement.logFile = folder.path("collector.log")
    measurement.fixesPerBatch = Int(outcome.demand.fixesPerBatch.rounded())
    measurement.identities = outcome.recorder.phones
    measurement.phones = lived
    watch.step("starting a collector")
    do throws(CollectorRunError) {
      let record = try CapacityBench.run(
        measurement, progress: { show($0, watch) }, shouldStop: { interruption.isRequested })
      if plan.scenario.run.tls != nil { watch.step("measuring the cost of TLS") }
      return try secured(record, folder, interruption)
    } catch {
      throw CommandError(exit: .cannotListenOrWrite, message: error.description)
    }
  }

  private func show(_ progress: CapacityBench.Progress, _ watch: StepWatch) {
    switch progress {
    case .begins(let trial):
      watch.step(
        "\(TrialLine.name(trial)) load=\(Int(trial.load))/s for \(Figure.plain(trial.seconds)) s")
    case .ended(let trial, let left): watch.line(TrialLine.text(trial, left: left))
    }
  }

  private func secured(
    _ record: CapacityRecord, _ folder: RunFolder, _ interruption: Interruption
  ) throws(CollectorRunError) -> CapacityRecord {
    let run = plan.scenario.run
    guard let tls = run.tls, !interruption.isRequested,
      var cost = try TLSCost.measure(
        run.carrier, resumedShare: tls.resumedShare, folder: folder.url.path,
        shouldStop: { interruption.isRequested })
    else { return record }
    // The certificates of the measurement are no longer needed.
    for name in ["ca.pem", "server.pem", "server.key"] {
      try? FileManager.default.removeItem(atPath: folder.path(name))
    }
    var record = record
    record.perCore = cost.applied(
      to: record.perCore, cpuSecondsPerBatch: record.cpuSecondsPerBatch)
    record.tls = cost
    return record
  }

  private var measurement: CapacityPlan {
    let full = Double(options.trial > 0 ? options.trial : options.isQuick ? 4 : 15)
    var plan = CapacityPlan(
      executable: program, store: .file(""),
      logFile: "",
      goal: SearchGoal(
        finalSeconds: full, sumSeconds: full * 3,
        initialSeconds: options.isQuick ? min(2, full / 2) : min(4, full / 2), lossRatio: 0.01),
      latencyLimit: latency, fixesPerBatch: 20, searches: options.isQuick ? 1 : 3,
      identities: [0], phones: 1)
    plan.carrier = self.plan.scenario.run.carrier
    return plan
  }
}
