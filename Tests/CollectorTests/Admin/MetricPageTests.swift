import Core
import Foundation
import TestSupport
import Testing

@testable import Collector
@testable import ServerLogic
@testable import Transport

@Suite("Metrics page", .quick)
struct MetricPageTests {
  private static func page(
    _ format: MetricPage.Format = .text, _ change: (inout CollectorSample) -> Void = { _ in }
  ) -> String {
    var sample = CollectorSample()
    change(&sample)
    return CollectorPage(
      version: "0.1.0", startedAt: UnixInstant(microseconds: 1_772_436_600_000_000),
      now: UnixInstant(microseconds: 1_772_436_700_000_000), isReady: true, sample: sample,
      machine: MachineMetrics()
    ).rendered(format)
  }

  private static let start = SimInstant(microseconds: 1_772_433_000_000_000)

  private static func lines(_ text: String) -> [Substring] { text.split(separator: "\n") }

  // MARK: Rendering

  @Test("help escapes backslash and line feed, a label also quotes; all else is unchanged")
  func escaping() {
    let metric = Metric("a_gauge", .gauge, "back\\slash\nand \"quotes\"", labels: ["run"])
    var page = MetricPage()
    page.add(metric, [(["a\\b\"c\nd é"], 1.5)])
    #expect(
      page.text(.text) == """
        # HELP a_gauge back\\\\slash\\nand "quotes"
        # TYPE a_gauge gauge
        a_gauge{run="a\\\\b\\"c\\nd é"} 1.5

        """)
  }

  @Test(
    "numbers are written in Go's format",
    arguments: [
      (0, "0"), (12, "12"), (-3, "-3"), (0.25, "0.25"), (1e-7, "1e-07"), (1.5e300, "1.5e+300"),
      (9_007_199_254_740_991, "9007199254740991.0"), (.infinity, "+Inf"), (-.infinity, "-Inf"),
      (.nan, "NaN"),
    ] as [(Double, String)])
  func numbers(value: Double, text: String) { #expect(MetricPage.number(value) == text) }

  @Test("buckets are cumulative and complete, and +Inf equals the count")
  func buckets() throws {
    var histogram = Histogram()
    for value in [50, 100, 101, 900, 1_000, 3_000_000, 7_000_000] as [Int64] {
      histogram.record(value)
    }
    var page = MetricPage()
    page.add(Metrics.ingest, BucketCounts(histogram))
    let lines = Self.lines(page.text(.text))
    let buckets = lines.filter { $0.contains("_bucket") }.compactMap {
      $0.split(separator: " ").last.flatMap { Int($0) }
    }
    #expect(buckets == [2, 3, 3, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 7])
    #expect(lines.contains(#"flotilla_ingest_duration_seconds_bucket{le="0.0001"} 2"#))
    #expect(lines.contains(#"flotilla_ingest_duration_seconds_bucket{le="+Inf"} 7"#))
    #expect(lines.last == "flotilla_ingest_duration_seconds_count 7")
    #expect(lines.contains("flotilla_ingest_duration_seconds_sum 10.002151"))
  }

  @Test("OpenMetrics names a counter without its suffix in the head, and has an end marker")
  func openMetrics() {
    let text = Self.page(.openMetrics)
    #expect(text.contains("# TYPE flotilla_batches_accepted counter\n"))
    #expect(text.contains("\nflotilla_batches_accepted_total 0\n"))
    #expect(text.contains("# TYPE flotilla_build info\n"))
    #expect(text.hasSuffix("\n# EOF\n"))
    #expect(!Self.page().contains("# EOF"))
  }

  @Test("the client's Accept header decides the format")
  func negotiation() {
    #expect(MetricPage.Format(accept: "") == .text)
    #expect(MetricPage.Format(accept: "text/plain;version=0.0.4;q=0.5,*/*;q=0.1") == .text)
    #expect(
      MetricPage.Format(accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5")
        == .openMetrics)
  }

  // MARK: The catalogue

  @Test("every metric of the catalogue has one head, and no other metric has")
  func complete() {
    let text = Self.page()
    let heads = Self.lines(text).filter { $0.hasPrefix("# TYPE ") }
      .map { String($0.split(separator: " ")[2]) }
    #expect(heads == Metrics.all.map(\.name))
    #expect(Set(heads).count == heads.count)
    #expect(text.hasSuffix("\n"))
  }

  @Test("no series appears twice")
  func unique() {
    let series = Self.lines(Self.page { $0.server.handled = $0.server.handled.map { _ in 1 } })
      .filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != " " } }
    #expect(Set(series).count == series.count)
    #expect(series.count > 200)
  }

  @Test("names follow the conventions, and no label can be a phone", arguments: Metrics.all)
  func conventions(metric: Metric) {
    #expect(metric.name.hasPrefix("flotilla_") || metric.name.hasPrefix("process_"))
    #expect(metric.name.wholeMatch(of: #/[a-z][a-z0-9_]*/#) != nil)
    #expect((metric.kind == .counter) == metric.name.hasSuffix("_total"))
    #expect((metric.kind == .info) == metric.name.hasSuffix("_info"))
    if metric.kind == .histogram { #expect(metric.name.hasSuffix("_seconds")) }
    for unit in ["millis", "micros", "kilo", "percent", "_ms", "_us"] {
      #expect(!metric.name.contains(unit))
    }
    let known = ["method", "code", "limit", "reason", "population", "within_seconds", "run"]
    #expect(Set(metric.labels).isSubset(of: known + ["version", "outcome", "system"]))
    #expect(metric.help.hasSuffix("."))
  }

  @Test("pushes and ages are split by operating system; a client that names none has one series")
  func systems() {
    #expect(Self.page().contains("\nflotilla_pushes_requested_total{system=\"\"} 0\n"))
    let text = Self.page { sample in
      var pushes = [Sheet(), Sheet()]
      var ages = FreshnessIntegral(within: [.minutes(30)], parts: 2)
      pushes[1][.pushesRequested] = 5
      pushes[1][.pushesAnswered] = 2
      for (part, minutes) in [(0, 10), (1, 40)] as [(Int, Int64)] {
        var row = LastSeen()
        row.newestFix = FixTime(Self.start)
        ages.add(row, in: part, from: Self.start, until: Self.start + .minutes(minutes))
      }
      sample.run = CollectorSample.Run(
        id: "r", phones: 2, speed: 1, ledger: CollectorLedger(), freshness: ages,
        systems: Array(zip(["Android", "iOS"], pushes)))
    }
    for line in [
      #"flotilla_pushes_requested_total{system="Android"} 0"#,
      #"flotilla_pushes_requested_total{system="iOS"} 5"#,
      #"flotilla_pushes_answered_total{system="iOS"} 2"#,
      #"flotilla_fresh_ratio{population="Android",within_seconds="1800"} 1"#,
      #"flotilla_fresh_ratio{population="iOS",within_seconds="1800"} 0.75"#,
    ] { #expect(text.contains("\n\(line)\n"), "\(line)") }
  }

  @Test("metrics that alerts use are exported as 0 before the first event")
  func zeroes() {
    let text = Self.page()
    for line in [
      "flotilla_batches_accepted_total 0",
      #"flotilla_batches_rejected_total{reason="malformed"} 0"#,
      #"flotilla_rpc_handled_total{method="upload",code="UNAVAILABLE"} 0"#,
      #"flotilla_limit_hits_total{limit="connectionsMax"} 0"#,
      #"flotilla_shed_total{reason="admission"} 0"#, "flotilla_store_commit_errors_total 0",
    ] { #expect(text.contains("\n\(line)\n"), "\(line)") }
  }

  @Test("the instant of the last commit is exported, not its age")
  func lastCommit() {
    let name = "flotilla_store_last_commit_timestamp_seconds"
    #expect(Self.page().contains("\n\(name) 0\n"))
    let text = Self.page { $0.commitAge = .seconds(40) }
    #expect(text.contains("\n\(name) 1772436660\n"))
  }

  @Test("every metric that the documentation names is exported")
  func documented() throws {
    // Up from the file: Admin, CollectorTests, Tests.
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
      url.deletingLastPathComponent()
    }
    let text = try String(
      contentsOf: root.appendingPathComponent("Sources/Collector/Collector.docc/Operating.md"),
      encoding: .utf8)
    let known = Set(
      Metrics.all.flatMap { metric in
        metric.kind == .histogram
          ? ["_bucket", "_sum", "_count"].map { metric.name + $0 } : [metric.name]
      })
    let named = text.matches(of: #/\b(?:flotilla|process)_[a-z_]+/#).map { String($0.output) }
    #expect(named.count >= 6)
    for name in named { #expect(known.contains(name), "\(name)") }
  }

  // MARK: Checks

  @Test("a failed check is a 503 with its reason; verbose lists the others too")
  func checks() {
    let good = AdminResponder.Check(name: "loop")
    let bad = AdminResponder.Check(name: "store", fault: "the disk is full.")
    let brief = AdminRequest(path: "/readyz")
    let verbose = AdminRequest(path: "/readyz", isVerbose: true)
    #expect(AdminResponder.page([good], brief) == AdminAnswer(code: 200, body: "ok\n"))
    #expect(
      AdminResponder.page([good, bad], brief)
        == AdminAnswer(code: 503, body: "store: the disk is full.\n"))
    #expect(
      AdminResponder.page([good, bad], verbose)
        == AdminAnswer(code: 503, body: "loop: ok\nstore: the disk is full.\n"))
  }

  @Test("a hanging loop fails every check, is asked once, and answers again when it continues")
  func hungLoop() throws {
    let loop = EventLoop(name: "hung")
    let asked = DispatchSemaphore(value: 0)
    let question = LoopQuestion(to: loop) { () -> Int in
      asked.signal()
      return 7
    }
    // Not started: its mailbox keeps what it receives.
    #expect(question.ask() == nil)
    #expect(question.ask() == nil)
    loop.start()
    #expect(asked.wait(timeout: .now() + 60) == .success)
    loop.sync {}
    #expect(question.ask() == 7)
    #expect(asked.wait(timeout: .now() + 60) == .success)
    #expect(asked.wait(timeout: .now()) == .timedOut)
    loop.stopAndWait()
  }
}
