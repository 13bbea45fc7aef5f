import Core
import Figures
import Foundation
import Testing
@testable import Report

/// Scenes for frames.
enum Scenes {
  /// A live run, 40 seconds into its measured time.
  static func live() -> Scene {
    var scene = Scene(snapshot(acknowledged: 0))
    for second in 0..<90 {
      let wave = (Double(second) / 9).rounded(.down).truncatingRemainder(dividingBy: 5)
      scene.take(snapshot(acknowledged: 900 + 100 * wave + Double(second)))
    }
    scene.say("warm start of 14.2 s done")
    scene.say("collector on 127.0.0.1:40123, 5000 phones restored")
    scene.say("fault: network-outage for 30 % of commuters")
    return scene
  }

  static func snapshot(acknowledged: Double) -> Snapshot {
    var snapshot = Snapshot(
      source: .load, name: "city", detail: "5,000 phones at 60 ×, seed 42")
    snapshot.progress.phase = "measure"
    snapshot.progress.share = 0.66
    snapshot.progress.elapsedSeconds = 40
    snapshot.progress.leftSeconds = 20
    snapshot.progress.scenarioTime = "08:10:00"
    var rates = Snapshot.Rates()
    rates.offered = acknowledged + 4
    rates.acknowledged = acknowledged
    rates.failed = 2
    rates.inFlight = 17
    rates.outboxFixes = 8_120
    snapshot.rates = rates
    snapshot.latency = latency
    snapshot.intervalP90Microseconds = 2_600 + Int64(acknowledged)
    fillPhoneSide(&snapshot)
    fillServerSide(&snapshot)
    let levels: [ServiceLevelResult] = [
      .atMost(50_000, 41_200, name: "responseP99", unit: "µs"),
      .atMost(0, nil, name: "lost", unit: "fixes"),
      .atMost(0.01, 0.002, name: "undelivered", unit: "share"),
      .atLeast(0.95, 0.931, name: "freshness", unit: "share"),
    ]
    snapshot.outlook = Outlook(levels: levels, latency: latency)
    return snapshot
  }

  private static let latency = measured()

  private static func measured() -> RunRecord.Latency {
    var histograms = LatencyHistograms()
    for i in 0..<4_000 as Range<Int64> {
      histograms.record(
        BatchTiming(
          generatorLag: 40 + i % 60, connect: 120 + i % 90, hold: i % 5,
          service: 900 + (i % 40) * (i % 25) * 40))
    }
    return RunRecord.Latency(histograms)
  }

  private static func fillPhoneSide(_ snapshot: inout Snapshot) {
    var freshness = RunRecord.Freshness()
    freshness.withinSeconds = 1_800
    freshness.locatedMeters = 500
    freshness.reachable.share = 0.931
    freshness.reachable.located = 0.884
    freshness.installed.share = 0.702
    freshness.installed.located = 0.69
    freshness.moving.share = 0.97
    freshness.moving.located = 0.41
    snapshot.freshness = freshness
    var pushes = Snapshot.PushFunnel()
    pushes.requested = 1_204
    pushes.withheld = 61
    pushes.eligible = 840
    pushes.answered = 311
    pushes.outcomes = [
      "caused": 290, "raced": 21, "force-quit": 204, "low-power": 120, "refresh-off": 118,
      "throttled": 97, "no-fix": 40,
    ]
    snapshot.pushes = pushes
    var phones = Snapshot.PhoneStates()
    phones.installed = 5_000
    phones.suspended = 4_120
    phones.notRunning = 611
    phones.background = 180
    phones.foreground = 89
    phones.moving = 902
    phones.reachable = 2_230
    phones.offline = 244
    phones.switchedOff = 31
    snapshot.phones = phones
  }

  private static func fillServerSide(_ snapshot: inout Snapshot) {
    var wire = Snapshot.WireMetrics()
    wire.connections = 17
    wire.connects = 41_204
    wire.bytesUp = 14_200_000
    wire.bytesDown = 1_200_000
    wire.bytesUpPerSecond = 312_000
    wire.bytesDownPerSecond = 29_000
    wire.bytesPerFix = 18.14
    wire.ratio = 1.27
    snapshot.wire = wire
    snapshot.errors = ["unavailable": 12, "deadlineExceeded": 3]
    snapshot.processes = [
      .init(name: "generator", cores: 0.42, residentBytes: 125_000_000),
      .init(name: "collector", cores: 0.2, residentBytes: 61_000_000),
    ]
  }

  static func warmStart() -> Scene {
    var snapshot = Snapshot(
      source: .load, name: "city", detail: "5,000 phones at 60 ×, seed 42")
    snapshot.progress.phase = "warm start"
    snapshot.progress.share = 0.31
    snapshot.progress.elapsedSeconds = 4
    snapshot.progress.leftSeconds = 9
    snapshot.progress.scenarioTime = "14:57:00"
    snapshot.outlook = Outlook(.early, "simulating the phones.")
    snapshot.virtual = .init(events: 1_204_331, eventsPerSecond: 301_000)
    snapshot.processes = [.init(name: "generator", cores: nil, residentBytes: 64_000_000)]
    return Scene(snapshot)
  }

  static func collector() -> Scene {
    var snapshot = snapshot(acknowledged: 1_180)
    snapshot.source = .collect
    snapshot.name = "city-1f2e3d4c-2026-03-02T07:30:00Z"
    snapshot.detail = "127.0.0.1:7070, SQLite"
    snapshot.progress = .init()
    snapshot.progress.phase = "open"
    snapshot.progress.elapsedSeconds = 4_000
    snapshot.progress.scenarioTime = "07:10:00 UTC"
    snapshot.outlook = Outlook(.serving, "a run is open.")
    snapshot.rates?.offered = nil
    snapshot.rates?.outboxFixes = nil
    snapshot.rates?.fixes = 16_400
    snapshot.freshness?.locatedMeters = nil
    snapshot.phones = nil
    snapshot.pushes?.outcomes = nil
    snapshot.processes.removeFirst()
    var batches = Snapshot.StoredBatches()
    batches.received = 48_330
    batches.distinct = 48_201
    batches.duplicate = 127
    batches.rejected = 2
    batches.fixes = 660_112
    batches.commits = 9_120
    batches.commitP99Microseconds = 4_100
    snapshot.batches = batches
    return Scene(snapshot)
  }
}

/// Frames as text files next to the tests, so that a review shows the screen.
enum Golden {
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("Golden")

  /// With FLOTILLA_GOLDEN=write the file is written again, to be checked before it is committed.
  static func check(
    _ frame: Frame, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let file = folder.appendingPathComponent(name + ".txt")
    if ProcessInfo.processInfo.environment["FLOTILLA_GOLDEN"] == "write" {
      try frame.text.write(to: file, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    #expect(frame.text == expected, "\(name)", sourceLocation: sourceLocation)
  }
}
