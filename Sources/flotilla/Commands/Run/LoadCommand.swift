internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Scenarios
internal import Transport
internal import Uploads

enum LoadCommand {
  static var command: Command {
    LoadOptions.command { options, console in
      try BuildServer.report("load", options.run, console) { try run(options, console, $0) }
    }
  }

  private static func run(
    _ given: LoadOptions, _ console: Console, _ server: BuildServer
  ) throws -> ExitCode {
    let options = try LoadTarget.paced(given)
    try options.run.checkShard([])
    let interruption = Interruption(console)
    guard var plan = try plan(options, console, shouldStop: { interruption.isRequested }) else {
      return .interrupted
    }
    let keys = plan.scenario.run
    try check(options, keys)
    try startTogether(&plan)
    plan.dictionary = try keys.dictionary.map(DictionaryFile.read)
    // Errors in the TLS files are reported before the simulation.
    _ = try keys.tls.map { try TLSClientFiles($0).client() }
    let backend = try LoadTarget.setup(options, plan.scenario, console)
    let events = plan.scenario.events
    if let backend {
      plan.scenario.put(on: backend)
      try LoadTarget.checkPrime(backend, plan.scenario)
    } else {
      plan.scenario.keepEvents([])
    }
    RunSupport.printShortening(plan.scenario, options.run, console)
    if options.run.isDryRun { return dryRun(plan, options, backend, console) }
    let web = try web(options, plan, console)
    if let web { plan.isWatched = { web.isWatched } }
    let metrics = try plan.leads ? MetricsFeed.open(keys.metrics, plan, console) : nil
    let journal = try keys.state.map { try FleetJournal(directory: $0, plan) }
    let folder = try RunSupport.folder(options.run, plan)
    let capture = try keys.capture.map { try CaptureFile(path: $0) }
    let secrets = try LoadTLS.ownSecrets(options, plan, folder)
    defer { secrets?.remove() }
    if let secrets { plan.scenario.run.tls?.authorities = secrets.authority }
    plan.senders = try LoadPushes.senders(plan, backend, folder)
    if keys.endsWithParent, folder != nil { ParentWatch.begin { interruption.request() } }
    if !options.run.isQuiet, options.run.interface != .json {
      RunSupport.printRecordings(plan.scenario, console)
      console.line(announcement(plan, options))
      let dropped = events.subtracting(plan.scenario.events)
      if !dropped.isEmpty { console.line(LoadTarget.without(dropped, backend)) }
      warn(plan, options, console)
    }
    let collectors =
      try backend == nil ? LoadCollectors(options, plan.scenario, folder) : nil
    let display = RunDisplay(
      plan.firstSnapshot(.load), options.run, console, interruption: interruption,
      isShown: folder != nil, web: web, metrics: metrics)
    display.open(on: plan.scenario)
    plan.asked = display.asked
    let load = LoadRun(
      plan,
      target: try folder.flatMap {
        try collectors?.target($0, secrets, program: console.surroundings.program)
      }, backend: backend,
      database: collectors?.database, capture: capture, journal: journal,
      via: keys.via,
      inputsPath: folder?.path("inputs.bin"),
      progress: display.show, shouldStop: { interruption.isRequested })
    return try carriedOut(display) {
      var outcome = try load.run()
      if keys.hasTwin, folder != nil {
        Agreement(plan).measure(
          &outcome, progress: display.show, shouldStop: { interruption.isRequested })
      }
      if plan.senders != nil, folder != nil, !keys.pushEndpoint.isNotCompared {
        SchedulerTrial(plan).measure(
          &outcome, progress: display.show, shouldStop: { interruption.isRequested })
      }
      return try RunSupport.finish(.load, outcome, of: plan, folder, display, server)
    }
  }

  /// Returns nil if stopped while a log is read.
  private static func plan(
    _ options: LoadOptions, _ console: Console, shouldStop: () -> Bool
  ) throws -> RunPlan? {
    if !options.replay.paths.isEmpty {
      return try LoadReplay.plan(options, console, shouldStop: shouldStop)
    }
    guard !options.run.scenario.names.isEmpty else {
      throw UsageError.missingArgument("SCENARIO, or --replay FILE", of: "load")
    }
    return try RunSupport.sharedPlan(options.run, console)
  }

  private static func web(
    _ options: LoadOptions, _ plan: RunPlan, _ console: Console
  ) throws -> LiveWeb? {
    guard plan.leads else { return nil }
    let scenario = plan.scenario
    let page = LivePage(
      plan.firstSnapshot(.load),
      utcOffsetSeconds: scenario.clock.offset(at: scenario.start).seconds,
      outages: scenario.outages(), hasMap: plan.hasMap)
    return try LiveWeb.open(options.web, page, token: scenario.run.webToken, console)
  }

  private static func carriedOut(
    _ display: RunDisplay, _ run: () throws -> ExitCode
  ) throws -> ExitCode {
    do { return try run() } catch {
      _ = display.close()
      throw error
    }
  }

  private static func check(_ options: LoadOptions, _ keys: RunSettings) throws {
    try options.run.checkShard(
      [
        ("run.state", keys.state != nil), ("run.capture", keys.capture != nil),
        ("run.twin", keys.hasTwin),
      ],
      startsTogether: keys.startAt != nil)
    guard options.run.shard != nil else { return }
    guard options.collector != nil || options.target.name != nil, keys.startAt != nil else {
      throw CommandError(
        exit: .usage,
        message: "--shard is one of several processes: give all of them the same --collector or "
          + "--target, and the same run.startAt, after the warm start.")
    }
  }

  private static func startTogether(_ plan: inout RunPlan) throws {
    guard let start = plan.scenario.run.startAt else { return }
    guard start.timeIntervalSinceNow > 0 else {
      throw CommandError(
        exit: .usage,
        message: "run.startAt: \(start.formatted(.iso8601)) is in the past; give a later time.")
    }
    plan.startsAt = start.formatted(.iso8601)
    plan.startsIn = { WallDuration(seconds: start.timeIntervalSinceNow) }
  }

  private static func dryRun(
    _ plan: RunPlan, _ options: LoadOptions, _ backend: TargetSetup?, _ console: Console
  ) -> ExitCode {
    console.line(announcement(plan, options))
    if let backend, let line = LoadTarget.priming(backend) { console.line(line) }
    let (forecast, flight) = preflight(plan, options)
    console.line(needs(forecast, flight))
    let lacks = lacks(flight, plan)
    console.line(lacks.isEmpty ? "this machine has enough" : lacks.joined(separator: "\n"))
    return .pass
  }

  private static func announcement(_ plan: RunPlan, _ options: LoadOptions) -> String {
    let scenario = plan.scenario
    let wall = scenario.duration.seconds / scenario.speed
    let phones = Figure.grouped(scenario.fleet.phones)
    let as1 = Figure.grouped(Int(Double(scenario.fleet.phones) * scenario.speed))
    return """
      \(scenario.name): \(phones) phones at \(Figure.plain(scenario.speed)) × for \
      \(Figure.plain((wall * 10).rounded() / 10)) s of wall-clock time, seed \(scenario.seed)
      The fleet sends at the rate of \(as1) phones, with connections and memory of \(phones).
      """
  }

  /// Returns the expected load and needs, from a sample of phones, and what this machine lacks.
  private static func preflight(
    _ plan: RunPlan, _ options: LoadOptions
  ) -> (LoadForecast, Preflight) {
    let forecast = LoadForecast(plan)
    let flight = Preflight(
      plan.scenario, forecast, .current(), at: plan.place,
      isLoopback: options.collector.map { $0.host.hasPrefix("127.") || $0.host == "::1" } ?? true)
    return (forecast, flight)
  }

  private static func needs(_ forecast: LoadForecast, _ flight: Preflight) -> String {
    let addresses = flight.sourceAddresses > 1 ? " from \(flight.sourceAddresses) addresses" : ""
    return """
      offers   \(Figure.grouped(Int(forecast.startPerSecond.rounded()))) uploads/s in the first \
      simulated minute, about \(Figure.grouped(Int(forecast.peakPerSecond.rounded()))) in the \
      busiest (from \(Figure.grouped(forecast.sample)) simulated phones)
      needs    \(Figure.grouped(flight.descriptors)) descriptors, \
      \(Figure.grouped(flight.ports)) ports\(addresses), \
      \(Figure.grouped(flight.memoryBytes / 1_000_000)) MB, \
      \(Figure.grouped(Int(forecast.bytesPerPhone.rounded()))) bytes of it for each phone
      """
  }

  private static func lacks(_ flight: Preflight, _ plan: RunPlan) -> [String] {
    guard let link = plan.link else {
      return flight.shortages.map { "lacks    \(plan.place.label($0, from: plan.place.number))" }
    }
    return link.exchange(flight.shortages).enumerated().flatMap { number, shortages in
      (shortages ?? []).map { "lacks    \(plan.place.label($0, from: number))" }
    }
  }

  /// Prints what the run needs and this machine lacks, if the fleet is larger than the sample.
  private static func warn(_ plan: RunPlan, _ options: LoadOptions, _ console: Console) {
    guard plan.scenario.fleet.phones > LoadForecast.sampleMax else { return }
    let (forecast, flight) = preflight(plan, options)
    console.line(needs(forecast, flight))
    for line in lacks(flight, plan) { console.line(line) }
  }
}
