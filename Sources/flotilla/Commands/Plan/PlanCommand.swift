internal import Capacity
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Scenarios

enum PlanCommand {
  static var command: Command {
    PlanOptions.command { options, console in
      try BuildServer.report("plan", options.run, console) { try run(options, console, $0) }
    }
  }

  private static func run(
    _ options: PlanOptions, _ console: Console, _ server: BuildServer
  ) throws -> ExitCode {
    try options.run.checkShard([("plan", true)])
    try RunSupport.refuseEnsemble(
      options.ensemble,
      with: ["--target": options.target.name != nil, "--fleet": options.isFleet])
    var options = options
    options.run = DemandCommand.wholeDay(options.run)
    if options.target.name != nil { return try TargetPlan.run(options, console, server) }
    let plan = try RunSupport.plan(options.run, console)
    try check(options, plan.scenario.run)
    let prices = try options.prices.map { (path) throws(ScenarioError) in
      try PriceList.read(path)
    }
    let curve = try options.curve.map(Self.curve)
    let work = PlanWork(
      options: options, plan: plan, prices: prices ?? .unpriced, curve: curve,
      alternatives: try alternatives(options, console),
      ensemble: try RunSupport.ensembles(
        options.ensemble ?? 0, [plan], options.run, measuresDemand: true
      ).first, program: console.surroundings.program)
    RunSupport.printShortening(plan.scenario, options.run, console)
    if options.run.isDryRun {
      console.line(work.announcement)
      return .pass
    }
    // An unusable database is reported before the simulation.
    if case .database(let url) = work.store { _ = try PlanTrialStore.given(url) }
    let folder = try RunSupport.folder(options.run.out, name: "\(plan.scenario.name)-plan")
    let watch = StepWatch(console, options.run)
    defer { watch.close() }
    let record = try work.run(folder, console, watch, Interruption(console))
    watch.step("writing the report")
    let trials = record.plan?.capacity?.trials ?? []
    let exit = try conclude(
      record, trials.isEmpty ? [:] : ["trials.csv": TrialRecord.csv(trials)], options.run, folder,
      console, server, whenWritten: watch.close)
    // Standard output may be JSON.
    guard let stopped = RunSupport.stopped(work.ensemble, record) else { return exit }
    console.printError(stopped)
    return .interrupted
  }

  private static func check(_ options: PlanOptions, _ run: RunSettings) throws {
    let isGiven = options.capacity != nil || options.curve != nil
    try CommandError.refuse([
      "--target-url, run.rateLimit and --time-limit require --target.":
        options.target != TargetChoice() || run.rateLimit != nil || options.timeLimit != nil,
      "--capacity and --curve exclude each other; remove one.":
        options.capacity != nil && options.curve != nil,
      """
      tls and run.carrier apply to a measured collector; remove them, and include their cost in \
      --capacity or --curve.
      """: isGiven && (run.tls != nil || run.carrier != .flotilla),
      "--store cannot be combined with --capacity or --curve, which replace the measurement.":
        isGiven && options.store != nil,
      "--policies cannot be combined with --fleet; remove one.":
        options.isFleet && options.policies != nil,
    ]) { $0 }
  }

  private static func alternatives(
    _ options: PlanOptions, _ console: Console
  ) throws -> [(name: String, plan: RunPlan)] {
    guard let list = options.policies else { return [] }
    return try ScenarioOptions.names(list, of: "--policies").map { name in
      let scenario = try options.run.scenario.load(policy: name, origin: "--policies \(list)")
      return (name, RunSupport.plan(options.run, scenario, console))
    }
  }

  static func conclude(
    _ record: RunRecord, _ files: [String: String], _ options: RunOptions, _ folder: RunFolder,
    _ console: Console, _ server: BuildServer? = nil, whenWritten: () -> Void = {}
  ) throws -> ExitCode {
    var keeping = Keeping()
    let report = keeping {
      for (name, text) in files { try folder.write(text, to: name) }
      try folder.write(record.json(), to: "run.json")
      return try ReportCommand.render(folder.url, console)
    }
    whenWritten()
    let lines = DemandCommand.lines(record)
    server?.note(record, lines)
    if options.interface == .json {
      console.line(String(decoding: try record.json(), as: UTF8.self))
    } else {
      for line in lines { console.line(line) }
      if let report { console.line("report   \(report.path)") }
    }
    try keeping.end()
    return RunSupport.exitCode(record.verdict)
  }
}

extension PlanCommand {
  /// The maximum size of a curve's file in bytes, for about 100,000 rows.
  private static let curveBytesMax = 1 << 20

  /// Reads measurements of a backend from CSV rows of `cores,batches_per_second`.
  private static func curve(_ path: String) throws(CommandError) -> [LawFit.Point] {
    let text: String
    do throws(InputFileError) {
      text = try InputFile(path, bytesMax: curveBytesMax, isRegular: false).text()
    } catch {
      throw CommandError(exit: .badInput, message: "\(path): \(error.text)")
    }
    var points: [LawFit.Point] = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let cells = line.split(whereSeparator: { ",;\t\r ".contains($0) })
      if cells.isEmpty || line.hasPrefix("#") { continue }
      let numbers = cells.compactMap { Double($0) }
      // The first line may be a header.
      if numbers.isEmpty, points.isEmpty { continue }
      guard cells.count == 2, numbers.count == 2, numbers.allSatisfy({ $0 > 0 && $0.isFinite })
      else {
        throw CommandError(
          exit: .badInput,
          message: """
            \(path):\(number + 1): '\(line)' is not a pair of positive numbers; write cores and \
            batches per second, such as 4,12500.
            """)
      }
      points.append(LawFit.Point(load: numbers[0], throughput: numbers[1]))
    }
    guard !points.isEmpty else {
      throw CommandError(
        exit: .badInput,
        message: "\(path): no rows; write cores and batches per second, such as 4,12500.")
    }
    return points
  }
}
