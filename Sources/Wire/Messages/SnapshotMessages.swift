internal import CFlotillaProto
package import SimulationCore

/// Asks the collector for everything it knows about itself.
package struct SnapshotRequest: WireMessage, Equatable {
  /// Send the histogram too; it is the largest part.
  package var histogram: Bool
  /// Freshness may be some seconds old: an observer must not cost the loop a walk over every
  /// phone.
  package var recent: Bool

  /// Makes a request for a snapshot with or without histogram, with exact or `recent` freshness.
  package init(histogram: Bool, recent: Bool = false) {
    self.histogram = histogram
    self.recent = recent
  }

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__snapshot_request__init)
    message.pointee.histogram = histogram ? 1 : 0
    message.pointee.recent = recent ? 1 : 0
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage` where protobuf-c cannot.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(
      bytes, "SnapshotRequest", flotilla__v1__snapshot_request__unpack)
    return Self(
      histogram: message.pointee.histogram != 0, recent: message.pointee.recent != 0)
  }
}

/// A counter by name.
package struct NamedCount: Hashable, Sendable {
  /// Is the name of the counter, such as `store.commits`.
  package var name: String
  /// Is the count, or the momentary value where the counter is a gauge.
  package var value: UInt64

  /// Makes a counter from its name and its value.
  package init(_ name: String, _ value: UInt64) {
    self.name = name
    self.value = value
  }

  static func messages(
    _ counts: [Self], in arena: Arena
  ) throws(WireError) -> UnsafeMutablePointer<UnsafeMutablePointer<Flotilla__V1__NamedCount>?> {
    try arena.messages(counts) { (count) throws(WireError) in
      let message = try arena.make(flotilla__v1__named_count__init)
      message.pointee.name = try arena.string(count.name)
      message.pointee.value = count.value
      return message
    }
  }

  init(_ message: Flotilla__V1__NamedCount) throws(WireError) {
    let name = text(message.name)
    self.init(name, try WireBounds.count(name, message.value))
  }
}

/// A measured figure by name, in the unit that its name says.
package struct NamedFigure: Hashable, Sendable {
  /// Is the name of the figure, such as `store.commit.p99`.
  package var name: String
  /// Is the measured value.
  package var value: Double

  /// Makes a figure from its name and its value.
  package init(_ name: String, _ value: Double) {
    self.name = name
    self.value = value
  }

  static func messages(
    _ figures: [Self], in arena: Arena
  ) throws(WireError) -> UnsafeMutablePointer<UnsafeMutablePointer<Flotilla__V1__NamedFigure>?> {
    try arena.messages(figures) { (figure) throws(WireError) in
      let message = try arena.make(flotilla__v1__named_figure__init)
      message.pointee.name = try arena.string(figure.name)
      message.pointee.value = figure.value
      return message
    }
  }

  init(_ message: Flotilla__V1__NamedFigure) throws(WireError) {
    let name = text(message.name)
    self.init(name, try WireBounds.number(name, message.value, in: WireBounds.figure))
  }
}

/// The collector's side of a ledger: received = distinct + duplicate + Σ rejected.
package struct LedgerSide: Equatable, Sendable {
  /// Counts what was received, repeated deliveries included.
  package var received: UInt64
  /// Counts what was stored when it first arrived.
  package var distinct: UInt64
  /// Counts deliveries of what had been stored before.
  package var duplicate: UInt64
  /// By reason.
  package var rejected: [NamedCount]

  /// Makes one side of a ledger from its counts.
  package init(
    received: UInt64 = 0, distinct: UInt64 = 0, duplicate: UInt64 = 0, rejected: [NamedCount] = []
  ) {
    self.received = received
    self.distinct = distinct
    self.duplicate = duplicate
    self.rejected = rejected
  }

  init(_ message: Flotilla__V1__LedgerSide) throws(WireError) {
    self.init(
      received: try WireBounds.count("received", message.received),
      distinct: try WireBounds.count("distinct", message.distinct),
      duplicate: try WireBounds.count("duplicate", message.duplicate),
      rejected: try values(message.rejected, message.n_rejected, NamedCount.init))
  }

  func message(
    in arena: Arena
  ) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__LedgerSide> {
    let message = try arena.make(flotilla__v1__ledger_side__init)
    message.pointee.received = received
    message.pointee.distinct = distinct
    message.pointee.duplicate = duplicate
    message.pointee.n_rejected = rejected.count
    message.pointee.rejected = try NamedCount.messages(rejected, in: arena)
    return message
  }
}

/// The non-zero counts of an HDR histogram, by ascending index. Values in microseconds.
package struct SparseHistogram: Equatable, Sendable {
  /// Holds the index of each non-empty slot.
  package var indices: [UInt32]
  /// Holds the count of each slot in `indices`.
  package var counts: [UInt64]
  /// Is the smallest recorded value; 0 where nothing was recorded.
  package var min: UInt64
  /// Is the largest recorded value; 0 where nothing was recorded.
  package var max: UInt64
  /// Sum of the values.
  package var sum: UInt64

  /// Makes a histogram from its slots; `indices` and `counts` have the same length.
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

  init(_ message: Flotilla__V1__SparseHistogram) throws(WireError) {
    guard message.n_index_delta == message.n_count else {
      throw .columnLength(
        column: "count", entries: message.n_count, expected: message.n_index_delta)
    }
    var index: UInt32 = 0
    self.init(
      indices: column(message.index_delta, message.n_index_delta).map { delta in
        index &+= delta
        return index
      },
      counts: column(message.count, message.n_count), min: message.min, max: message.max,
      sum: message.sum)
  }

  func message(
    in arena: Arena
  ) throws(WireError) -> UnsafeMutablePointer<Flotilla__V1__SparseHistogram> {
    let message = try arena.make(flotilla__v1__sparse_histogram__init)
    var last: UInt32 = 0
    message.pointee.n_index_delta = indices.count
    message.pointee.index_delta = try arena.copy(
      indices.map { index in
        defer { last = index }
        return index &- last
      })
    message.pointee.n_count = counts.count
    message.pointee.count = try arena.copy(counts)
    message.pointee.min = min
    message.pointee.max = max
    message.pointee.sum = sum
    return message
  }
}

/// Freshness of one population, as named shares and ages.
package struct FreshnessMetrics: Equatable, Sendable {
  /// Names the population: `installed` or `reachable`.
  package var population: String
  /// Holds shares of phone-time (0 to 1) and ages in seconds, named as `FreshnessKey` has them.
  package var figures: [NamedFigure]

  /// Makes the figures of a population.
  package init(population: String, figures: [NamedFigure]) {
    self.population = population
    self.figures = figures
  }
}

/// The collector's account of itself at one instant.
package struct SnapshotReply: WireMessage, Equatable {
  /// Is the scenario instant of the snapshot; 0 while no run is open.
  package var scenario = SimInstant(microseconds: 0)
  /// Is the instant of the snapshot on the collector's own monotonic clock.
  package var wall = WallInstant(microseconds: 0)
  /// Says where the collector is in a run.
  package var state = RunState.idle
  /// Holds the collector's ledger of batches.
  package var batches = LedgerSide()
  /// Holds the collector's ledger of fixes.
  package var fixes = LedgerSide()
  /// Σ modulo 2^64 over the distinct batches.
  package var hashSum: UInt64 = 0
  /// From the first byte of a call to its ack handed to the socket.
  package var ingestLatency: SparseHistogram?
  /// Holds freshness, one entry a population.
  package var freshness: [FreshnessMetrics] = []
  /// The counts of pushes, named by their lines in `Count`.
  package var pushes: [NamedCount] = []
  /// Holds counters and gauges, named by their lines in `Count`, or by status or limit.
  package var counters: [NamedCount] = []
  /// Holds percentiles and gauges, named as `DistributionKey` and `GaugeKey` have them.
  package var figures: [NamedFigure] = []
  /// Is the processor time that the collector's process has used, user and system.
  package var cpuMicroseconds: UInt64 = 0
  /// Is the resident memory of the collector's process, in bytes.
  package var rssBytes: UInt64 = 0
  /// Is the largest resident memory that the collector's process ever had, in bytes.
  package var peakRSSBytes: UInt64 = 0
  /// Empty while no run is open.
  package var runID = ""

  /// Makes the snapshot of a collector that is idle and has counted nothing.
  package init() {}

  /// Builds the C message in `arena`; throws `messageTooLarge` where it does not fit.
  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__snapshot_reply__init)
    message.pointee.scenario_us = scenario.microseconds
    message.pointee.wall_us = wall.microseconds
    message.pointee.state = state.message
    message.pointee.batches = try batches.message(in: arena)
    message.pointee.fixes = try fixes.message(in: arena)
    message.pointee.hash_sum = hashSum
    message.pointee.ingest_latency = try ingestLatency?.message(in: arena)
    message.pointee.n_freshness = freshness.count
    message.pointee.freshness = try arena.messages(freshness) { (entry) throws(WireError) in
      let message = try arena.make(flotilla__v1__freshness__init)
      message.pointee.population = try arena.string(entry.population)
      message.pointee.n_figures = entry.figures.count
      message.pointee.figures = try NamedFigure.messages(entry.figures, in: arena)
      return message
    }
    message.pointee.n_pushes = pushes.count
    message.pointee.pushes = try NamedCount.messages(pushes, in: arena)
    message.pointee.n_counters = counters.count
    message.pointee.counters = try NamedCount.messages(counters, in: arena)
    message.pointee.n_figures = figures.count
    message.pointee.figures = try NamedFigure.messages(figures, in: arena)
    message.pointee.cpu_us = cpuMicroseconds
    message.pointee.rss_bytes = rssBytes
    message.pointee.peak_rss_bytes = peakRSSBytes
    message.pointee.run_id = try arena.string(runID)
    return UnsafeMutableRawPointer(message)
  }

  /// Parses the message; throws `malformedMessage`, or `columnLength` for a histogram of unequal
  /// columns.
  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "SnapshotReply", flotilla__v1__snapshot_reply__unpack)
      .pointee
    var reply = Self()
    reply.scenario = try WireBounds.instant("scenario_us", message.scenario_us)
    reply.wall = try WireBounds.instant("wall_us", message.wall_us)
    reply.state = RunState(message.state)
    if let batches = message.batches { reply.batches = try LedgerSide(batches.pointee) }
    if let fixes = message.fixes { reply.fixes = try LedgerSide(fixes.pointee) }
    reply.hashSum = message.hash_sum
    if let latency = message.ingest_latency {
      reply.ingestLatency = try SparseHistogram(latency.pointee)
    }
    reply.freshness = try values(
      message.freshness, message.n_freshness
    ) { entry throws(WireError) in
      FreshnessMetrics(
        population: text(entry.population),
        figures: try values(entry.figures, entry.n_figures, NamedFigure.init))
    }
    reply.pushes = try values(message.pushes, message.n_pushes, NamedCount.init)
    reply.counters = try values(message.counters, message.n_counters, NamedCount.init)
    reply.figures = try values(message.figures, message.n_figures, NamedFigure.init)
    reply.cpuMicroseconds = try WireBounds.count("cpu_us", message.cpu_us)
    reply.rssBytes = try WireBounds.count("rss_bytes", message.rss_bytes)
    reply.peakRSSBytes = try WireBounds.count("peak_rss_bytes", message.peak_rss_bytes)
    reply.runID = text(message.run_id)
    return reply
  }
}
