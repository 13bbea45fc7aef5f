internal import Core
package import Figures
internal import Scenarios
package import Transport

/// The metrics of a running load, from its latest interval: every count of the sheet, response
/// times, freshness, service levels and processes.
package struct RunMetrics: Sendable {
  private let scenario: String
  private let run: String
  private let version: String
  private var interval: LiveInterval?
  private var buckets: [BucketCounts]
  /// The record of the ended run; nil before its end.
  private var record: RunRecord?

  package init(_ plan: RunPlan) {
    scenario = plan.scenario.name
    run = plan.startedAt
    version = plan.version
    buckets = Self.times.map { _ in BucketCounts(Histogram(), bounds: BucketCounts.ofClient) }
  }

  package mutating func add(_ interval: LiveInterval) {
    self.interval = interval
    for (number, time) in Self.times.enumerated() {
      buckets[number].add(time.of(interval.latency))
    }
  }

  /// Gives the page the verdict and the final values of the SLOs.
  package mutating func end(_ record: RunRecord) { self.record = record }

  package var page: MetricPage {
    var page = MetricPage()
    page.add(Self.build, [([version], 1)])
    page.add(Self.info, [([run, scenario], 1)])
    for (time, counts) in zip(Self.times, buckets) { page.add(time.metric, counts) }
    let snapshot = interval?.snapshot
    let phase = record == nil ? snapshot?.progress.phase ?? "warm start" : "ended"
    page.add(Self.phase, Self.phases.map { ([$0], $0 == phase ? 1 : 0) })
    page.add(Self.time, interval?.row.scenarioSeconds ?? 0)
    page.add(Self.phones, snapshot?.phones?.installed ?? 0)
    let cohorts = snapshot?.cohorts ?? []
    page.add(
      Self.cohortPhones,
      cohorts.compactMap { one in one.phones.map { ([one.name, one.system ?? ""], Double($0)) } })
    page.add(
      Self.fresh,
      (snapshot?.freshness?.populations ?? []).compactMap { name, figures in
        figures.share.map { ([name], $0) }
      })
    page.add(
      Self.cohortFresh,
      cohorts.compactMap { one in one.fresh.map { ([one.name, one.system ?? ""], $0) } })
    page.add(Self.verdict, record.map { [([$0.verdict.rawValue], 1)] } ?? [])
    addLevels(record?.slo ?? snapshot?.outlook.levels ?? [], to: &page)
    addProcesses(snapshot?.processes ?? [], to: &page)
    addCounts(interval?.counts ?? Sheet(), to: &page)
    return page
  }

  private func addLevels(_ levels: [ServiceLevelResult], to page: inout MetricPage) {
    func samples(
      _ value: (ServiceLevelResult) -> Double?
    ) -> [(labels: [String], value: Double)] {
      levels.compactMap { level in value(level).map { ([level.name, level.unit], $0) } }
    }
    page.add(Self.levelMet, samples { $0.actual == nil ? nil : $0.pass ? 1 : 0 })
    page.add(Self.levelActual, samples(\.actual))
    page.add(Self.levelLimit, samples(\.limit))
  }

  private func addProcesses(_ processes: [Snapshot.ProcessLoad], to page: inout MetricPage) {
    page.add(
      Self.cores, processes.compactMap { one in one.cores.map { ([one.name], $0) } })
    page.add(Self.resident, processes.map { ([$0.name], Double($0.residentBytes)) })
  }

  private func addCounts(_ sheet: Sheet, to page: inout MetricPage) {
    for (count, metric) in Self.counted { page.add(metric, sheet[count]) }
    for (named, metric) in Self.named {
      page.add(
        metric, sheet[named].sorted { $0.key < $1.key }.map { ([$0.key], Double($0.value)) })
    }
  }
}

extension RunMetrics {
  private static let build = Metric(
    "flotilla_build_info", .info, "Version of the program.", labels: ["version"])
  private static let info = Metric(
    "flotilla_load_info", .info, "The run and its scenario.", labels: ["run", "scenario"])
  private static let phases = ["warm start", "ramp", "measure", "drain", "ended"]
  private static let phase = Metric(
    "flotilla_phase", .gauge, "1 for the present phase of the run.", labels: ["phase"])
  private static let time = Metric(
    "flotilla_scenario_timestamp_seconds", .gauge, "Scenario time since 1970 in seconds.")
  private static let phones = Metric("flotilla_phones", .gauge, "Phones with the app.")
  private static let cohortPhones = Metric(
    "flotilla_cohort_phones", .gauge, "Phones of a cohort.", labels: ["cohort", "os"])
  private static let fresh = Metric(
    "flotilla_load_fresh_ratio", .gauge,
    "Share of phone-time so far in which the server had a fresh position.", labels: ["population"])
  private static let cohortFresh = Metric(
    "flotilla_cohort_fresh_ratio", .gauge, "The fresh share of a cohort.",
    labels: ["cohort", "os"])
  private static let verdict = Metric(
    "flotilla_verdict", .gauge, "The verdict, once the run has ended.", labels: ["verdict"])
  private static let levelMet = Metric(
    "flotilla_slo_met", .gauge, "1 if the SLO is met so far, else 0.", labels: ["slo", "unit"])
  private static let levelActual = Metric(
    "flotilla_slo_actual", .gauge, "The value of an SLO so far.", labels: ["slo", "unit"])
  private static let levelLimit = Metric(
    "flotilla_slo_limit", .gauge, "The limit of an SLO.", labels: ["slo", "unit"])
  private static let cores = Metric(
    "flotilla_process_cores", .gauge, "Cores that a process used in the last interval.",
    labels: ["process"])
  private static let resident = Metric(
    "flotilla_process_resident_bytes", .gauge, "Resident memory of a process in bytes.",
    labels: ["process"])

  private typealias Time = (metric: Metric, of: @Sendable (LatencyHistograms) -> Histogram)

  private static let times: [Time] = [
    (
      Metric(
        "flotilla_response_seconds", .histogram,
        "Time from when an upload was due to its acknowledgement."), { $0.response }
    ),
    (
      Metric(
        "flotilla_attempt_seconds", .histogram,
        "Time from the start of an upload's last attempt to its acknowledgement."), { $0.attempt }
    ),
    (
      Metric("flotilla_connect_seconds", .histogram, "Time that uploads waited to connect."),
      { $0.connect }
    ),
    (
      Metric(
        "flotilla_generator_lag_seconds", .histogram,
        "How late the generator started uploads."), { $0.generatorLag }
    ),
  ]

  /// Counts that fall as well as rise.
  private static let levels: Set<Count> = [
    .scheduled, .inFlight, .waiting, .openConnections, .openConnectionsPeak, .waitingForRate,
  ]

  /// Every count of the fleet. Counts of intervals and of a collector have other metrics.
  static let counted: [(count: Count, metric: Metric)] = Count.allCases.compactMap { count in
    let row = count.row
    switch row.counter {
    case .load, .collector, .clocks: return nil
    case .phones, .census, .sender, .tls, .pushes, .wake: break
    }
    let isLevel = row.counter == .census || levels.contains(count)
    var words = "\(row.counter)_\(snake("\(count)"))"
    if row.isBytes {
      words = words.split(separator: "_").filter { $0 != "bytes" }.joined(separator: "_") + "_bytes"
    }
    return (
      count,
      Metric(
        "flotilla_\(words)\(isLevel ? "" : "_total")", isLevel ? .gauge : .counter, row.sentence)
    )
  }

  private static let named: [(named: Sheet.Named, metric: Metric)] = [
    (
      .statuses,
      Metric(
        "flotilla_sender_statuses_total", .counter, "Answers by status.", labels: ["status"])
    ),
    (
      .failures,
      Metric(
        "flotilla_sender_failures_total", .counter, "Attempts without an answer, by reason.",
        labels: ["reason"])
    ),
    (
      .outcomes,
      Metric(
        "flotilla_push_outcomes_total", .counter, "Silent pushes that have ended, by outcome.",
        labels: ["outcome"])
    ),
  ]

  private static func snake(_ name: String) -> String {
    name.map { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" }.joined()
  }
}
