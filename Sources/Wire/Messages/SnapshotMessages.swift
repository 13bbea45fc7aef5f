internal import CFlotillaProto
package import Core

package struct SnapshotRequest: RowMessage, Equatable {
  /// Whether to include the histogram, the largest part.
  package var histogram: Bool
  /// Whether freshness may be some seconds old, which avoids inspecting every phone on the loop.
  package var recent: Bool

  package init(histogram: Bool, recent: Bool = false) {
    self.histogram = histogram
    self.recent = recent
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__SnapshotRequest>(
    flotilla__v1__snapshot_request__init, SnapshotRequest(histogram: false),
    [
      .flag(\.histogram, \.histogram),
      .flag(\.recent, \.recent),
    ])
}

package struct NamedCount: Hashable, Sendable {
  /// The name of the counter, such as `store.commits`.
  package var name: String
  package var value: UInt64

  package init(_ name: String, _ value: UInt64) {
    self.name = name
    self.value = value
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__NamedCount>(
    flotilla__v1__named_count__init, NamedCount("", 0),
    [
      .text(\.name, \.name),
      .init(
        write: { count, message, _ in message.pointee.value = count.value },
        read: { (message, count) throws(WireError) in
          count.value = try WireBounds.count(count.name, message.value)
        }),
    ])
}

/// A measured figure, in the unit that its name states.
package struct NamedFigure: Hashable, Sendable {
  package var name: String
  package var value: Double

  package init(_ name: String, _ value: Double) {
    self.name = name
    self.value = value
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__NamedFigure>(
    flotilla__v1__named_figure__init, NamedFigure("", 0),
    [
      .text(\.name, \.name),
      .init(
        write: { figure, message, _ in message.pointee.value = figure.value },
        read: { (message, figure) throws(WireError) in
          figure.value = try WireBounds.number(figure.name, message.value, in: WireBounds.figure)
        }),
    ])
}

/// The collector's side of a ledger: received = distinct + duplicate + Σ rejected.
package struct LedgerSide: Equatable, Sendable {
  /// All deliveries, repeated ones included.
  package var received: UInt64
  package var distinct: UInt64
  /// The deliveries of batches or fixes that had been stored before.
  package var duplicate: UInt64
  /// The rejected deliveries by reason.
  package var rejected: [NamedCount]

  package init(
    received: UInt64 = 0, distinct: UInt64 = 0, duplicate: UInt64 = 0, rejected: [NamedCount] = []
  ) {
    self.received = received
    self.distinct = distinct
    self.duplicate = duplicate
    self.rejected = rejected
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__LedgerSide>(
    flotilla__v1__ledger_side__init, LedgerSide(),
    [
      .count("received", \.received, \.received), .count("distinct", \.distinct, \.distinct),
      .count("duplicate", \.duplicate, \.duplicate),
      .list(\.rejected, \.rejected, count: \.n_rejected, NamedCount.form),
    ])
}

/// The non-zero counts of an HDR histogram, by ascending index; `min`, `max` and `sum` are in µs.
package struct SparseHistogram: Equatable, Sendable {
  package var indices: [UInt32]
  package var counts: [UInt64]
  package var min: UInt64
  package var max: UInt64
  package var sum: UInt64

  /// Creates a histogram from its slots; `indices` and `counts` have the same length.
  package init(
    indices: [UInt32] = [], counts: [UInt64] = [], min: UInt64 = 0, max: UInt64 = 0,
    sum: UInt64 = 0
  ) {
    self.indices = indices
    self.counts = counts
    self.min = min
    self.max = max
    self.sum = sum
  }

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__SparseHistogram>(
    flotilla__v1__sparse_histogram__init, SparseHistogram(),
    [
      .init(
        write: { (histogram, message, arena) throws(WireError) in
          let indices = histogram.indices
          message.pointee.n_index_delta = indices.count
          message.pointee.index_delta = try arena.copy(zip(indices, [0] + indices).map(&-))
        },
        read: { (message, histogram) throws(WireError) in
          guard message.n_index_delta == message.n_count else {
            throw .columnLength(
              column: "count", entries: message.n_count, expected: message.n_index_delta)
          }
          var index: UInt32 = 0
          histogram.indices = entries(message.index_delta, message.n_index_delta).map { delta in
            index &+= delta
            return index
          }
        }),
      .numbers(\.counts, \.count, count: \.n_count, { $0 }, { $0 }),
      .same(\.min, \.min), .same(\.max, \.max), .same(\.sum, \.sum),
    ])
}

package struct FreshnessMetrics: Equatable, Sendable {
  package var population: String
  /// Shares of phone-time (0 to 1) and ages in seconds, named as in `FreshnessKey`.
  package var figures: [NamedFigure]

  package init(population: String, figures: [NamedFigure]) {
    self.population = population
    self.figures = figures
  }
}

extension FreshnessMetrics {
  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__Freshness>(
    flotilla__v1__freshness__init, FreshnessMetrics(population: "", figures: []),
    [
      .text(\.population, \.population),
      .list(\.figures, \.figures, count: \.n_figures, NamedFigure.form),
    ])
}

package struct SnapshotReply: RowMessage, Equatable {
  /// The scenario instant of the snapshot; 0 while no run is open.
  package var scenario = SimInstant(microseconds: 0)
  /// The instant of the snapshot on the collector's monotonic clock.
  package var wall = WallInstant(microseconds: 0)
  package var state = RunState.idle
  package var batches = LedgerSide()
  package var fixes = LedgerSide()
  /// The sum of the hashes of all distinct batches, modulo 2^64.
  package var hashSum: UInt64 = 0
  /// The time from the first byte of a call to writing its ack to the socket, in µs.
  package var ingestLatency: SparseHistogram?
  package var freshness: [FreshnessMetrics] = []
  /// The counters of pushes, named as in `Count`.
  package var pushes: [NamedCount] = []
  /// Counters and gauges, named by their lines in `Count`, or by status or limit.
  package var counters: [NamedCount] = []
  /// Percentiles and gauges, named as in `DistributionKey` and `GaugeKey`.
  package var figures: [NamedFigure] = []
  package var cpuMicroseconds: UInt64 = 0
  package var rssBytes: UInt64 = 0
  package var peakRSSBytes: UInt64 = 0
  /// The id of the run; empty while no run is open.
  package var runID = ""

  package init() {}

  nonisolated(unsafe) static let form = WireForm<Self, Flotilla__V1__SnapshotReply>(
    flotilla__v1__snapshot_reply__init, SnapshotReply(),
    [
      .instant("scenario_us", \.scenario, \.scenario_us),
      .instant("wall_us", \.wall, \.wall_us),
      .value(\.state, \.state, \.message, RunState.init),
      .part(\.batches, \.batches, LedgerSide.form),
      .part(\.fixes, \.fixes, LedgerSide.form),
      .same(\.hashSum, \.hash_sum),
      .maybe(\.ingestLatency, \.ingest_latency, SparseHistogram.form),
      .list(\.freshness, \.freshness, count: \.n_freshness, FreshnessMetrics.form),
      .list(\.pushes, \.pushes, count: \.n_pushes, NamedCount.form),
      .list(\.counters, \.counters, count: \.n_counters, NamedCount.form),
      .list(\.figures, \.figures, count: \.n_figures, NamedFigure.form),
      .count("cpu_us", \.cpuMicroseconds, \.cpu_us),
      .count("rss_bytes", \.rssBytes, \.rss_bytes),
      .count("peak_rss_bytes", \.peakRSSBytes, \.peak_rss_bytes),
      .text(\.runID, \.run_id),
    ])
}
