internal import Collector
internal import Core
internal import Uploads
internal import Wire

struct IngestWindow {
  struct Look {
    var at: WallInstant
    var server: SnapshotReply
    var client: ProcessMetrics
    var sent: Sheet
  }

  var idle: Look
  var begin: Look
  var end: Look
  var tally: IngestDriver.Tally
  /// The figures read after the last batch in flight has ended.
  var last: Look

  var batches: Double { Double(end.server.batches.distinct - begin.server.batches.distinct) }

  /// The p99 of commit times since the collector's start; nil if nothing was committed.
  var commitP99Milliseconds: Double? { p99(.commit).first }

  func figures(_ plan: IngestPlan) -> BenchSamples {
    let each = max(batches, 1)
    let client = end.client.cpuMicroseconds - begin.client.cpuMicroseconds
    let server = end.server.cpuMicroseconds - begin.server.cpuMicroseconds
    let bytes = Double(end.sent[.bytesSent] - begin.sent[.bytesSent])
    var figures: BenchSamples = [
      ("batchesPerSecond", [batches / (end.at - begin.at).seconds]),
      ("clientCpuMicroseconds", [Double(client) / each]),
      ("serverCpuMicroseconds", [Double(server) / each]),
      ("responseP99Microseconds", Self.p99(tally.response)),
      ("generatorLagP99Microseconds", Self.p99(tally.lag)),
      ("bytesPerFix", [bytes / each / Double(BatchPool.fixesPerBatch)]),
    ]
    if plan.sharing != .perUpload { figures += memory(sockets: Double(plan.sockets)) }
    if plan.isDurable { figures += store }
    if plan.security == .resumed { figures.append(("resumedShare", resumedShare)) }
    figures += [("shed", [grown(.shed)]), ("failed", [Double(tally.failed)])]
    return figures
  }

  private var resumedShare: [Double] {
    let resumed = end.sent[.handshakesResumed] - begin.sent[.handshakesResumed]
    let all = resumed + end.sent[.handshakesFull] - begin.sent[.handshakesFull]
    return all > 0 ? [Double(resumed) / Double(all)] : []
  }

  private func memory(sockets: Double) -> BenchSamples {
    let server = Double(end.server.rssBytes) - Double(idle.server.rssBytes)
    let client = Double(end.client.residentBytes - idle.client.residentBytes)
    return [
      ("serverBytesPerConnection", [server / sockets]),
      ("clientBytesPerConnection", [client / sockets]),
    ]
  }

  private var store: BenchSamples {
    let delay = Double(IngestSession.groupDelayMilliseconds)
    return [
      ("groupDelayMilliseconds", [delay]), ("commitP99Milliseconds", p99(.commit)),
      ("storeQueueP99Milliseconds", p99(.storeQueue)),
    ]
  }

  /// Returns a distribution's p99 since the collector's start, or its maximum with too few values.
  private func p99(_ key: DistributionKey) -> [Double] {
    let figure = last.server.figure(key, .p99) ?? last.server.figure(key, .max)
    return figure.map { [$0 / 1_000] } ?? []
  }

  private func grown(_ key: Count) -> Double {
    Double(end.server.count(key)) - Double(begin.server.count(key))
  }

  private static func p99(_ histogram: Histogram) -> [Double] {
    histogram.percentile(0.99).microseconds.map { [Double($0)] } ?? []
  }
}
