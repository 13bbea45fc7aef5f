internal import Collector
internal import Commands
internal import Core
internal import Figures
internal import Foundation
internal import Report
internal import Run
internal import Uploads

struct OverloadOptions: Equatable {
  var seconds = 60
  var factor = 3
  var connections = 64
  var fixes = 500
  var phones = 200_000
  /// The sustainable rate in batches per second; 0 to search for the rate.
  var rate = 0
  var isStoreless = false
  /// The output folder; nil for a new folder in `runs`.
  var out: String?
  var json = false
}

enum OverloadCommand {
  static var command: Command {
    Command(
      "overload", "Find the sustainable rate of a collector, then offer a multiple of it.",
      options: [
        .count("--seconds", \.seconds, 1...3_600, "Length of the overload, in seconds."),
        .count(
          "--factor", \.factor, 2...10, "Offered load, as a multiple of the sustainable rate."),
        .count("--connections", \.connections, 1...4_000, "Number of connections."),
        .count("--fixes", \.fixes, 1...500, "Fixes per batch."),
        .count("--phones", \.phones, 1_000...10_000_000, "Number of phones."),
        .count(
          "--rate", \.rate, 0...10_000_000,
          "Sustainable batches per second, to be confirmed; 0: search."),
        .flag("--no-store", \.isStoreless, "Run the collector without a store."),
        .text("--out", "FOLDER", \.out, "Output folder of overload.json and report.html."),
        .flag("--json", \.json, "Print the record as JSON."),
      ],
      examples: [
        "flotilla-lab bench overload", "flotilla-lab bench overload --seconds 10 --no-store",
      ],
      start: OverloadOptions(), body: run)
  }

  private static func run(_ options: OverloadOptions, _ console: Console) throws -> ExitCode {
    let folder = try BenchFolder.kept(options.out, name: "overload")
    let interruption = Interruption(drainingOn: console)
    var plan = OverloadPlan(
      executable: Programs.flotilla,
      storePath: options.isStoreless ? nil : folder.path("store.sqlite"),
      logFile: folder.path("collector.log"))
    plan.overloadSeconds = options.seconds
    plan.factor = Double(options.factor)
    plan.connections = options.connections
    plan.fixesPerBatch = options.fixes
    plan.phones = options.phones
    plan.knownRate = options.rate > 0 ? Double(options.rate) : nil
    // Removes the store, which is temporary and grows by a gigabyte.
    defer { StoreFiles(folder.path("store.sqlite")).remove() }
    do {
      let record = try OverloadBench.run(
        plan, progress: { if !options.json { console.line(line($0)) } },
        shouldStop: { interruption.isRequested })
      return try finish(record, folder, options, console, isStopped: interruption.isRequested)
    } catch let problem as CollectorRunError {
      throw CommandError(exit: .cannotListenOrWrite, message: problem.description)
    }
  }

  private static func finish(
    _ record: OverloadRecord, _ folder: RunFolder, _ options: OverloadOptions, _ console: Console,
    isStopped: Bool
  ) throws -> ExitCode {
    try BenchFolder.conclude(
      record, as: "overload.json", record.report, conclusion(record), isJSON: options.json,
      in: folder, console)
    if isStopped { return .interrupted }
    return OverloadBar.all(record).allSatisfy(\.isMet) ? .pass : .missed
  }

  private static func line(_ progress: OverloadBench.Progress) -> String {
    switch progress {
    case .step(let step):
      return [
        "search", "planned=\(Int(step.plannedPerSecond))/s",
        "offered=\(Int(step.offeredPerSecond))/s",
        "acked=\(Int(step.acknowledgedPerSecond))/s",
        "p99=\(compact(step.p99Microseconds))",
        "cores=\(step.collectorCores.map(OverloadRecord.number) ?? "—")",
        step.isSustained ? "sustained" : "too-much",
      ].joined(separator: " ")
    case .second(let second):
      return [
        second.phase.rawValue, "second=\(second.second)", "offered=\(second.offered)",
        "acked=\(second.acknowledged)", "shed=\(second.shed)", "failed=\(second.failed)",
        "p99=\(compact(second.p99Microseconds))", "lag99=\(compact(second.lagP99Microseconds))",
        "cores=\(OverloadRecord.number(second.collectorCores))",
        "rss=\(second.collectorBytes / 1_000_000)MB",
      ].joined(separator: " ")
    }
  }

  private static func compact(_ microseconds: Double?) -> String {
    OverloadRecord.milliseconds(microseconds).replacing(" ", with: "")
  }

  private static func conclusion(_ record: OverloadRecord) -> [String] {
    let bars = OverloadBar.all(record).map { bar in
      "\(bar.isMet ? "met   " : "MISSED")  \(bar.name): \(bar.measured), required \(bar.asked)"
    }
    return ["", record.answer, record.perCore, ""] + bars + [""]
  }
}

struct OverloadBar {
  let name: String
  let measured: String
  let asked: String
  let isMet: Bool

  /// The growth of memory that counts as none, since the table of phones grows.
  private static let flatBytes = 16_000_000

  /// Describes late seconds without overload, and commits that waited for the disk.
  private static func late(_ record: OverloadRecord) -> String {
    let (before, after) = (record.seconds(of: .before), record.seconds(of: .after))
    return """
       (p99 beyond \(OverloadRecord.milliseconds(record.baselineMicroseconds)) in \
      \(record.lateSeconds(of: .before)) of \(before.count) baseline seconds before, in \
      \(record.lateSeconds(of: .after)) of \(after.count) after\(slowCommits(record)))
      """
  }

  private static func slowCommits(_ record: OverloadRecord) -> String {
    guard let counts = record.slowCommits else { return "" }
    let words = OverloadRecord.Phase.allCases.map { "\(counts[$0.rawValue] ?? 0) \($0)" }
    return "; commits beyond 50 ms: \(words.joined(separator: ", "))"
  }

  static func all(_ record: OverloadRecord) -> [OverloadBar] {
    let share = record.goodputShare
    let p99 = record.overloadP99Microseconds
    let back = record.backAfterSeconds
    return [
      OverloadBar(
        name: "offered, multiple of the sustainable rate",
        measured: record.offeredFactor.map(OverloadRecord.number) ?? "—",
        asked: "\(OverloadRecord.number(record.factor)) (at least 95 %)",
        isMet: (record.offeredFactor ?? 0) >= 0.95 * record.factor),
      OverloadBar(
        name: "goodput of the sustainable rate", measured: share.map(OverloadRecord.percent) ?? "—",
        asked: "90 %", isMet: (share ?? 0) >= 0.9),
      OverloadBar(
        name: "p99 of accepted batches, median second", measured: OverloadRecord.milliseconds(p99),
        asked: OverloadRecord.milliseconds(record.latencyLimitMicroseconds),
        isMet: p99.map { $0 <= record.latencyLimitMicroseconds } ?? false),
      OverloadBar(
        name: "memory growth",
        measured: record.memoryGrowth.map { "\(Figure.plain(Double($0) / 1e6)) MB" } ?? "—",
        asked: "at most 16 MB",
        isMet: record.memoryGrowth.map { $0 <= flatBytes } ?? false),
      OverloadBar(
        name: "normal again after",
        measured: (back.map { "\($0) s" } ?? "never") + late(record), asked: "10 s",
        isMet: (back ?? .max) <= OverloadRecord.recovery),
    ]
  }
}
