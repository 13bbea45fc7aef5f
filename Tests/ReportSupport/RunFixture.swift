import Core
import Figures
import Foundation
@testable import Report

/// Runs as read from files, made by hand.
enum RunFixture {
  static let levels = LatencyHistogramsFixture.spread

  /// A live run with every section filled.
  static func live(_ change: (inout RunRecord) -> Void = { _ in }) -> RunFiles {
    var record = RunRecord()
    record.scenario.name = "city"
    record.scenario.question = "Can one collector serve a city's morning, and who stays silent?"
    record.scenario.phones = 5_000
    record.scenario.speed = 60
    record.scenario.start = "2026-03-02T07:30:00"
    record.scenario.utcOffsetSeconds = 3_600
    record.scenario.durationSeconds = 3_600
    record.phases.ramp = 300
    record.phases.measure = 3_300
    record.command = ["flotilla", "load", "city"]
    record.seed = 42
    record.offered.batches = 4_430
    record.offered.batchesPerSecond = 80.545_454
    record.offered.batchesPerSecondMax = 104.909
    record.throughput.batchesPerSecond = 80.527
    record.throughput.batchesPerSecondMax = 103.025
    record.latency = RunRecord.Latency(levels)
    record.freshness.withinSeconds = 1_800
    record.freshness.locatedMeters = 500
    record.freshness.installed = population(share: 0.254, never: 0.158)
    record.freshness.reachable = population(share: 0.474, never: 0)
    record.freshness.moving = population(share: 0.461, never: 0.158)
    record.stale = [
      "no-permission": 136_018.1, "policy-silent": 42_285.5, "push-gate": 10_892.2,
      "in-outbox": 5_623, "force-quit": 3_729.7, "offline": 3_459.8, "switched-off": 3_138.3,
      "server": 0,
    ]
    record.wake = wake()
    record.sender = sender(record)
    record.ledger.fixes.generated = 12_000
    record.ledger.fixes.filtered = 8_000
    record.ledger.fixes.outbox = 1_000
    record.ledger.fixes.acknowledged = 3_000
    record.ledger.fixes.received = 3_010
    record.ledger.fixes.distinct = 3_000
    record.ledger.fixes.duplicate = 10
    record[.bytesSent] = 588_820
    record[.bytesReceived] = 148_520
    record.traffic.bytesPerBatch = 123.5
    record.traffic.bytesPerFix = 59.6
    record[.uploadsOffline] = 280
    record.map = map()
    record.slo = [
      .atMost(50_000, 9_799, name: "responseP99", unit: "µs"),
      .atMost(0.01, 0, name: "undelivered", unit: "share"),
      .atLeast(0.4, 0.474, name: "freshness", unit: "share"),
    ]
    record.verdict = .pass
    machine(&record)
    change(&record)
    let timeline = (try? Timeline(csv: csv(rows: 60))) ?? Timeline()
    return RunFiles(record: record, timeline: timeline, latency: levels)
  }

  /// The same hour in virtual time.
  static func simulation() -> RunFiles {
    var files = live { record in
      record.latency = RunRecord.Latency(LatencyHistograms())
      record.throughput.batchesPerSecondMax = nil
      record.machine.processes = ["simulation": .init()]
      record.machine.collectorAddress = nil
      record.machine.collectorIsOurs = nil
      (record.traffic, record.figures) = (.init(), .init())
      record.slo = []
    }
    files.latency = nil
    return files
  }

  private static func machine(_ record: inout RunRecord) {
    record.machine.cores = 2
    record.machine.memoryBytes = 24 << 30
    record.machine.system = "Debian GNU/Linux"
    record.machine.collectorAddress = "127.0.0.1:39013"
    record.machine.collectorIsOurs = true
    for (name, cores) in [("generator", 0.088), ("collector", 1.04)] {
      var use = RunRecord.ProcessUse()
      use.cpuSeconds = cores * 60
      use.coresUsed = cores
      use.peakResidentBytes = 45_334_528
      record.machine.processes[name] = use
    }
  }

  private static func population(
    share: Double, never: Double
  ) -> RunRecord.Freshness.Population {
    var population = RunRecord.Freshness.Population()
    population.share = share
    population.never = never
    population.located = 0.8
    population.p50 = 1_958.6
    return population
  }

  /// Results of an outage of five minutes.
  static var storm: StormFigures {
    var storm = StormFigures()
    storm.kind = "server-outage"
    storm.beginsAt = 1_772_433_000 + 600
    storm.endsAt = 1_772_433_000 + 900
    storm.stepSeconds = 60
    storm.normalPerSecond = 80
    storm.peakPerSecond = 584
    storm.amplification = 7.3
    storm.drainSeconds = 94
    storm.outboxBefore = 1_000
    storm.outboxMax = 7_000
    storm.rejected = 12
    storm.attemptsPerBatch = 1.4
    storm.pushesInSweepMax = 700
    return storm
  }

  private static func map() -> RunRecord.Map {
    var map = SilenceMap(radius: 12_000)
    for i in 0..<200 {
      map.add(
        at: PlanePoint(x: Double(i % 20) * 900 - 9_000, y: Double(i / 20) * 900 - 4_500),
        present: .minutes(Int64(i)), silent: .minutes(Int64(i / 2)))
    }
    map.add(at: PlanePoint(x: 50_000, y: 0), present: .minutes(7), silent: .zero)
    return RunRecord.Map(map)
  }

  static func csv(rows: Int) -> String {
    var lines = [TimelineRow.header]
    for i in 0..<rows {
      var row = TimelineRow()
      row.wallSeconds = Double(i + 1)
      row.scenarioSeconds = 1_772_433_000 + Double(i + 1) * 60
      row.phase = i < 5 ? "ramp" : "measure"
      row.offeredPerSecond = 80 + Double(i % 7)
      row.acknowledgedPerSecond = 79 + Double(i % 7)
      row.pushesRequested = 10 * i
      row.generatorCores = 0.1
      row.collectorCores = 0.05
      row.bytesSentPerSecond = 9_000 + Double(i)
      row.bytesReceivedPerSecond = 2_000
      if i >= 5 {
        row.freshInstalledNow = 0.25
        row.freshReachableNow = 0.48
        row.freshMovingNow = 0.46
        for cause in StaleCause.allCases { row.stalePhones[cause] = 100 }
      }
      lines.append(row.csv)
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

enum LatencyHistogramsFixture {
  /// Five thousand batches, ten of them failed.
  static let spread: LatencyHistograms = {
    var latency = LatencyHistograms()
    for i in 1...5_000 {
      let service = 400 + Int64(i * i) / 2_500
      latency.record(
        BatchTiming(generatorLag: Int64(i % 90), connect: 100, hold: 0, service: service))
      latency.attempt.record(service)
    }
    for _ in 0..<10 {
      latency.recordFailure(
        BatchTiming(generatorLag: 10, connect: 200, hold: 0, service: 9_000_000),
        deadline: 10_000_000)
    }
    return latency
  }()
}

/// Programs that check pages.
enum Tool {
  /// Runs it to its end: exit status and all output.
  static func run(_ path: String, _ arguments: [String]) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}

/// A folder that is deleted with the test.
final class Folder {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("flotilla-report-\(UUID().uuidString)", isDirectory: true)

  init() throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func write(_ text: String, _ name: String) throws -> URL {
    let file = url.appendingPathComponent(name)
    try Data(text.utf8).write(to: file)
    return file
  }
}
