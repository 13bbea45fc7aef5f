package import Collector
package import Core
internal import Foundation
internal import Transport
package import Uploads

/// Uploads over sockets to collectors that share one PostgreSQL server. With several collectors, a
/// round first measures one collector, to compute the ratio.
package struct DatabaseIngestBench: Benchmark {
  package struct Plan: Sendable {
    /// The number of collectors, which share the connections.
    package var collectors = 1
    /// The delay added to every fdatasync of the server.
    package var syncDelay = WallDuration.zero
    package var storeConnections = 2
    /// The batches per second of all collectors together; nil if each ack starts the next batch.
    package var pace: Int?
    package var measured = WallDuration.seconds(2)

    /// The bars: nothing lost and nothing stored twice, and for some plans a rate and times.
    package var limits: [BenchBar] {
      let whole = [BenchBar("lost", .atMost(0)), BenchBar("twice", .atMost(0))]
      switch (collectors, syncDelay) {
      case (1, .zero) where pace != nil:
        return [
          BenchBar("batchesPerSecond", .atLeast(Double(pace ?? 0) * 0.99)),
          BenchBar("commitP99Milliseconds", .atMost(30)),
        ] + whole
      case (1, .zero):
        return [
          BenchBar("batchesPerSecond", .atLeast(40_000)),
          BenchBar("commitP99Milliseconds", .atMost(30)),
          BenchBar("databaseCpuMicroseconds", .atMost(9)),
        ] + whole
      case (1, .milliseconds(5)): return [BenchBar("batchesPerSecond", .atLeast(20_000))] + whole
      case (2, .zero), (4, .zero): return [BenchBar("ofOneCollector", .atLeast(0.9))] + whole
      case (_, _): return whole
      }
    }

    package static let bars: [Plan] = [
      Plan(), Plan(collectors: 1, syncDelay: .milliseconds(5), storeConnections: 4),
      Plan(collectors: 2), Plan(collectors: 4),
    ]
  }

  package let name = "ingest"
  private let plan: Plan
  private let place: IngestBench.Place
  private let cluster: PostgresCluster
  private let pool = BatchPool(before: BenchRun.begin)
  private let wakeful = WakefulCores()
  private let shouldStop: () -> Bool

  private static let connections = 1_000
  private static let inFlight = 8

  /// - Parameter cluster: A running server with the plan's delay, whose database is emptied.
  package init(
    _ plan: Plan, _ place: IngestBench.Place, on cluster: PostgresCluster,
    shouldStop: @escaping () -> Bool
  ) {
    self.plan = plan
    self.place = place
    self.cluster = cluster
    self.shouldStop = shouldStop
    ProcessTuning.raiseOpenFiles()
  }

  package var parameters: [(name: String, value: BenchRow.Parameter)] {
    var parameters: [(name: String, value: BenchRow.Parameter)] = [
      ("mode", .word(IngestPlan.Sharing.perPhone.rawValue)),
      ("connections", .count(Self.connections)), ("inFlight", .count(Self.inFlight)),
      ("store", .word("postgresql")), ("collectors", .count(plan.collectors)),
      ("storeConnections", .count(plan.storeConnections)),
    ]
    if let pace = plan.pace { parameters.append(("pacedPerSecond", .count(pace))) }
    if plan.syncDelay > .zero {
      parameters.append(("syncDelayMicroseconds", .count(Int(plan.syncDelay.microseconds))))
    }
    return parameters
  }

  package var bars: [BenchBar] { plan.limits }

  package mutating func round(
    _ clock: () -> WallInstant
  ) throws(CollectorRunError) -> BenchSamples {
    var alone: Double?
    if plan.collectors > 1 {
      alone = try batchesPerSecond(of: 1, clock)?.perSecond
      guard alone != nil else { return [] }
    }
    guard let (perSecond, figures) = try batchesPerSecond(of: plan.collectors, clock) else {
      return []
    }
    return [("batchesPerSecond", [perSecond])] + figures
      + (alone.map { [("ofOneCollector", [perSecond / $0])] } ?? [])
  }

  /// Returns nil if the user stopped the benchmark.
  private func batchesPerSecond(
    of collectors: Int, _ clock: () -> WallInstant
  ) throws(CollectorRunError) -> (perSecond: Double, BenchSamples)? {
    guard let address = PostgresAddress(cluster.url(), connections: plan.storeConnections) else {
      throw .unreachable("\(cluster.url()) is not a URL")
    }
    try empty(address)
    var parts: [DatabaseIngestPart] = []
    defer { for part in parts { part.stop() } }
    for number in 0..<collectors {
      var ingest = IngestPlan(
        .perPhone, connections: Self.connections / collectors, inFlight: Self.inFlight,
        pace: plan.pace.map { $0 / collectors })
      ingest.isDurable = true
      parts.append(
        try DatabaseIngestPart(
          number, of: Self.connections, ingest, place,
          store: [
            "--store", address.url,
            "--store-connections", "\(plan.storeConnections)",
          ], pool))
    }
    for part in parts { try part.begin(clock, shouldStop) }
    Waiter.shared.pause(.seconds(1), unless: shouldStop)
    let before = (cpu: cluster.metrics?.cpuMicroseconds, at: clock())
    for part in parts { try part.beginWindow() }
    Waiter.shared.wait(until: before.at + plan.measured, for: shouldStop)
    for part in parts { try part.endWindow() }
    let spent = cluster.metrics.flatMap { after in
      before.cpu.map { Double(after.cpuMicroseconds - $0) }
    }
    var isDrained = true
    for part in parts where !part.drain() { isDrained = false }
    guard isDrained, !shouldStop() else { return nil }
    let sum = DatabaseIngestSum(try parts.map { part throws(CollectorRunError) in try part.seen() })
    for part in parts { part.stop() }
    return (sum.perSecond, try sum.figures(database: spent) + audit(address, sum))
  }

  private func empty(_ address: PostgresAddress) throws(CollectorRunError) {
    do throws(StoreError) { try address.removeStore() } catch {
      throw .unreachable(error.description)
    }
  }

  private func audit(
    _ address: PostgresAddress, _ sum: DatabaseIngestSum
  ) throws(CollectorRunError) -> BenchSamples {
    do throws(StoreError) {
      let report = try StoreAudit.run(.postgreSQL(address))
      let lost = Double(sum.distinct) - Double(report.found.batches)
      return [
        ("lost", [max(0, lost)]), ("twice", [max(0, -lost) + Double(report.findingsInAll)]),
      ]
    } catch {
      throw .unreachable(error.description)
    }
  }
}
