internal import Capacity
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Run
internal import Scenarios

struct FitWork {
  private let study: LogStudy
  /// The first days of the log, on which candidates are compared.
  private var short: LogStudy
  private let name: String
  private let options: FitOptions
  private let console: Console

  private static let searchMax = SimDuration.hours(48)

  init(_ study: LogStudy, name: String, options: FitOptions, _ console: Console) {
    self.study = study
    short = study
    self.name = name
    self.options = options
    self.console = console
  }

  var described: FitRecord {
    var record = FitRecord()
    record.name = name
    record.command = RunSupport.commandLine(console)
    record.seed = UInt64(options.seed)
    record.log = study.describe(files: options.log.paths)
    record.start = study.start
    record.figures = study.figures(nil)
    record.logHours = study.whole.hours
    if !study.fitted.accuracies.isEmpty { record.sensors = SensorEstimate(study.fitted.accuracies) }
    return record
  }

  mutating func run(
    in folder: RunFolder, _ printer: ProgressPrinter, shouldStop: @escaping () -> Bool
  ) throws -> FitRecord {
    var record = described
    guard options.runs > 0, let start = study.start else { return record }
    short = study.first(Self.searchMax)
    var sensors = record.sensors ?? SensorEstimate([])
    var search = FitSearch(from: start, budget: options.runs)
    var nearest: LogSample?
    var simulated: [FitRanges.Trial] = []
    while !shouldStop(), let candidate = search.next() {
      let tried = Double(search.trials.count) / Double(options.runs + 1)
      printer.show(
        "policy \(search.trials.count + 1) of at most \(options.runs)", share: tried)
      let files = files(candidate, start, sensors, short)
      guard let sample = try lived(files, folder, short, &record, shouldStop) else { break }
      let before = search.nearest
      search.note(candidate, loss: short.fitted.loss(to: sample) ?? 1)
      simulated.append(.init(candidate, sample.statistics))
      if search.nearest != before { nearest = sample }
    }
    record.trials = search.trials
    guard let best = search.nearest?.candidate, let found = nearest else {
      record.isInterrupted = true
      return record
    }
    let seed = UInt64(options.seed)
    let round = FitRanges.policies(round: best, count: options.runs / 2, seed: seed)
    for (number, candidate) in round.enumerated() where !shouldStop() {
      printer.show(
        "range: policy \(number + 1) of \(round.count)",
        share: 0.95 * Double(number) / Double(round.count))
      // Each policy has other people, so that the ranges include the differences between seeds.
      let files = files(candidate, start, sensors, short, seed: Draw.mix(seed &+ UInt64(number)))
      guard let sample = try lived(files, folder, short, &record, shouldStop) else { break }
      simulated.append(.init(candidate, sample.statistics))
    }
    record.ranges = FitRanges(best, simulated, short.targets, seed: seed)
    sensors.setCaution(
      log: study.fitted.accuracies, simulated: found.accuracies,
      standard: SensorProfile.standard.reported.caution)
    printer.show("best policy, whole log", share: 0.95)
    let files = files(best, start, sensors, study)
    let last = shouldStop() ? nil : try lived(files, folder, study, &record, shouldStop)
    // A stopped search reports the best candidate so far, with its results for the first days.
    if last == nil { try write(files, folder) }
    let sample = last ?? found
    record.isInterrupted = last == nil
    record.fitted = best
    record.sensors = sensors
    record.simulatedPhones = options.phones
    record.simulatedFixes = sample.fixes
    record.figures = (last == nil ? short : study).figures(sample)
    record.simulatedHours = sample.hours
    return record
  }

  private func files(
    _ candidate: FitCandidate, _ start: FitStart, _ sensors: SensorEstimate, _ study: LogStudy,
    seed: UInt64? = nil
  ) -> FittedFiles {
    FittedFiles(
      name: name,
      source: options.log.paths.map { URL(fileURLWithPath: $0).lastPathComponent }
        .prefix(3).joined(separator: ", "),
      candidate: candidate, start: start, sensors: sensors, window: study.window,
      clock: study.clock, centre: study.log.centre, phones: options.phones,
      seed: seed ?? UInt64(options.seed))
  }

  private func write(_ files: FittedFiles, _ folder: RunFolder) throws {
    try ReportCommand.write(files.all, to: folder.url)
  }

  /// Simulates the fitted files. Returns nil if stopped.
  private func lived(
    _ files: FittedFiles, _ folder: RunFolder, _ study: LogStudy, _ record: inout FitRecord,
    _ shouldStop: @escaping () -> Bool
  ) throws -> LogSample? {
    try write(files, folder)
    var run = options.run
    run.scenario.names = [folder.path("\(name).yaml")]
    // Each warm start of the search is used only once, so caching has no benefit.
    run.scenario.settings += ["run.cache=off", "run.threads=\(options.threads)"]
    let plan = try RunSupport.plan(run, console)
    let fixes = ReceivedFixes(plan)
    if record.tool.version.isEmpty {
      let head = RunRecord.of(plan)
      (record.tool, record.machine) = (head.tool, head.machine)
      record.timing.startedAt = head.timing.startedAt
    }
    let taker = LogTaker(phones: options.phones)
    guard fixes.run(shouldStop: shouldStop, taker.take) else { return nil }
    return study.sample(of: taker.log)
  }
}

/// Collects the fixes that a simulated server received, as rows of a log. Used by one thread.
private final class LogTaker {
  private var rows: [LogRow] = []
  private let phones: Int

  init(phones: Int) { self.phones = phones }

  func take(_ fix: ReceivedFix) {
    rows.append(
      LogRow(
        phone: fix.phone.rawValue, time: fix.fix.time.instant.microseconds,
        received: fix.received.microseconds, accuracy: Float(fix.fix.accuracyMeters)))
  }

  var log: PhoneLog {
    PhoneLog(
      rows: rows, phones: (0..<phones).map { "phone \($0)" },
      columns: [.phone, .time, .received, .accuracy])
  }
}
