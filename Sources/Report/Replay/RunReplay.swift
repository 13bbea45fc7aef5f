package import Core
package import Figures
package import Foundation

/// A recorded run as snapshots. Figures without values by second appear only in the last one.
package struct RunReplay: Sendable {
  @Boxed package private(set) var record: RunRecord
  private let timeline: Timeline
  /// The sample of phones; nil without the file `phones.json`.
  package let phones: PhoneSample?
  /// The latency intervals, by the timeline row in which each ends.
  private let intervals: [[LatencyLog.Interval]]
  /// The rows shown per wall-clock second if a simulation is replayed, which has no recorded pace.
  private static let rowsPerSecond = 10.0

  /// - Parameter folder: The run's folder, or its `run.json`.
  package static func read(from folder: URL) throws(RunFilesError) -> RunReplay {
    RunReplay(try RunFiles.read(from: folder))
  }

  package static func report(of folder: URL) -> URL {
    RunFiles.home(folder).appendingPathComponent("report.html")
  }

  /// Assigns each latency interval to the timeline row in which it ends.
  package init(_ files: RunFiles) {
    record = files.record
    timeline = files.timeline
    phones = files.phones
    intervals = files.byRow { _ in true }
  }

  package var rows: Int { timeline.rows }

  /// Returns the wall-clock seconds to the next row, as recorded but at most ten.
  package func pause(after row: Int) -> Double {
    guard row + 1 < rows else { return 0 }
    guard isLive else { return 1 / Self.rowsPerSecond }
    guard let now = value("wall_s", row), let next = value("wall_s", row + 1) else { return 1 }
    return min(10, max(0, next - now))
  }

  /// Returns a row with today's columns of `timeline.csv`, empty where the run's file lacks one.
  package func csv(_ row: Int) -> String {
    TimelineRow.header.split(separator: ",").map { name in
      name == "phase"
        ? progress(row).phase : value(String(name), row).map(Figure.plain) ?? ""
    }.joined(separator: ",")
  }

  package func scenarioSeconds(_ row: Int) -> Double { value("scenario_s", row) ?? 0 }

  private var isLive: Bool {
    record.machine.collectorAddress != nil || record.latency.response.count > 0
  }

  private func value(_ name: String, _ row: Int) -> Double? { timeline[name][row] }

  // MARK: Frames

  package var opening: Snapshot {
    let phones = Figure.grouped(record.scenario.phones)
    let speed = isLive ? " at \(Figure.plain(record.scenario.speed)) ×" : ""
    var snapshot = Snapshot(
      source: isLive ? .load : .simulate, name: record.scenario.name,
      detail: "\(phones) phones\(speed), seed \(record.seed)")
    snapshot.outlook = Outlook(.recorded, outcome)
    return snapshot
  }

  private var outcome: String {
    let lead = "verdict \(record.verdict.rawValue)"
    return record.reasons.first.map { "\(lead): \($0)" } ?? "\(lead)."
  }

  /// - Parameter sums: The latencies of earlier rows, to which those of this row are added.
  package func snapshot(
    _ row: Int, adding sums: inout LatencyHistograms
  ) throws(LineError) -> Snapshot {
    var snapshot = opening
    snapshot.progress = progress(row)
    snapshot.rates = rates(row)
    var last = Histogram()
    for interval in intervals[row] {
      let histogram = try interval.histogram()
      if interval.tag == .response { last = histogram }
      sums[interval.tag].merge(histogram)
    }
    if isLive {
      snapshot.latency = RunRecord.Latency(sums)
      snapshot.intervalP90Microseconds = last.percentile(0.9).microseconds
    }
    snapshot.freshness = freshness(row)
    snapshot.cohorts = record.freshness.cohorts?.map { .init($0.name, fresh: $0.share) }
    snapshot.pushes = pushes(row)
    if isLive { snapshot.wire = wire(row) }
    snapshot.processes = processes(row)
    if row + 1 == rows { finish(&snapshot) }
    return snapshot
  }

  private func progress(_ row: Int) -> Snapshot.Progress {
    var progress = Snapshot.Progress()
    progress.phase = row < timeline.phases.count ? timeline.phases[row] : ""
    progress.share = rows > 1 ? Double(row) / Double(rows - 1) : 1
    let scenario = value("scenario_s", row) ?? 0
    let first = value("scenario_s", 0) ?? 0
    let gone = isLive ? value("wall_s", row) ?? 0 : scenario - first
    progress.elapsedSeconds = gone
    let whole =
      isLive ? value("wall_s", rows - 1) ?? 0 : (value("scenario_s", rows - 1) ?? 0) - first
    progress.leftSeconds = max(0, whole - gone)
    progress.scenarioTime = Snapshot.Progress.timeOfDay(
      scenario + (record.scenario.utcOffsetSeconds ?? 0))
    return progress
  }

  private func rates(_ row: Int) -> Snapshot.Rates {
    var rates = Snapshot.Rates()
    rates.offered = value("offered_per_s", row)
    rates.acknowledged = value("acked_per_s", row) ?? 0
    rates.failed = value("failed_per_s", row) ?? 0
    rates.inFlight = count("in_flight", row)
    rates.outboxFixes = count("outbox_fixes", row)
    return rates
  }

  private func count(_ name: String, _ row: Int) -> Int {
    value(name, row).flatMap { Int(exactly: $0.rounded()) } ?? 0
  }

  private func freshness(_ row: Int) -> RunRecord.Freshness {
    var freshness = RunRecord.Freshness()
    freshness.withinSeconds = record.freshness.withinSeconds
    freshness.installed.share = value("fresh_installed", row)
    freshness.reachable.share = value("fresh_reachable", row)
    freshness.moving.share = value("fresh_moving", row)
    return freshness
  }

  /// Returns the pushes up to a row. Pushes requested at least W before the row are eligible.
  private func pushes(_ row: Int) -> Snapshot.PushFunnel {
    var pushes = Snapshot.PushFunnel()
    pushes.requested = count("pushes_requested", row)
    pushes.answered = count("pushes_answered", row)
    guard let within = record.wake.withinSeconds, let now = value("scenario_s", row) else {
      return pushes
    }
    let then = (0..<row).last { (value("scenario_s", $0) ?? now) <= now - within }
    pushes.eligible = then.map { count("pushes_requested", $0) } ?? 0
    return pushes
  }

  private func wire(_ row: Int) -> Snapshot.WireMetrics {
    var wire = Snapshot.WireMetrics()
    wire.connections = count("connections", row)
    wire.bytesUpPerSecond = value("bytes_sent_per_s", row) ?? 0
    wire.bytesDownPerSecond = value("bytes_received_per_s", row) ?? 0
    let (up, down) = (timeline["bytes_sent_per_s"], timeline["bytes_received_per_s"])
    let walls = timeline["wall_s"]
    for i in 0...row {
      let seconds = (walls[i] ?? 0) - (i > 0 ? walls[i - 1] ?? 0 : 0)
      wire.bytesUp += Int((up[i] ?? 0) * seconds)
      wire.bytesDown += Int((down[i] ?? 0) * seconds)
    }
    return wire
  }

  private func processes(_ row: Int) -> [Snapshot.ProcessLoad] {
    ["generator", "collector"].compactMap { name in
      guard let bytes = value("\(name)_rss_bytes", row) else { return nil }
      return .init(name: name, cores: value("\(name)_cores", row), residentBytes: Int(bytes))
    }
  }

  private func finish(_ snapshot: inout Snapshot) {
    snapshot.outlook.levels = record.slo
    if isLive { snapshot.latency = record.latency }
    snapshot.wire?.saved = TrafficFigures.saved(record.traffic.compressed)
    snapshot.freshness = record.freshness
    var pushes = Snapshot.PushFunnel()
    pushes.requested = record.wake.requested
    pushes.withheld = record.wake.withheld
    pushes.eligible = record.wake.eligible
    pushes.answered = Int(
      ((record.wake.answered?.value ?? 0) * Double(record.wake.eligible)).rounded())
    pushes.outcomes = record.wake.outcomes.filter { $0.value > 0 }
    snapshot.pushes = pushes
    snapshot.errors = record.errors.filter { $0.value > 0 }
    guard isLive else { return }
    snapshot.wire?.connects = record[.connects] ?? 0
    snapshot.wire?.bytesUp = record[.bytesSent] ?? 0
    snapshot.wire?.bytesDown = record[.bytesReceived] ?? 0
    snapshot.wire?.bytesPerFix = record.traffic.bytesPerFix
  }
}
