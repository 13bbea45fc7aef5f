internal import CFlotillaProto
package import SimulationCore

/// Asks the collector for everything it knows about itself.
package struct SnapshotRequest: WireMessage, Equatable {
  /// Send the histogram too; it is the largest part.
  package var histogram: Bool
  /// Freshness may be some seconds old: whoever watches shall not cost the loop a look at every
  /// phone.
  package var recent: Bool

  package init(histogram: Bool, recent: Bool = false) {
    self.histogram = histogram
    self.recent = recent
  }

  package func build(in arena: Arena) throws(WireError) -> UnsafeMutableRawPointer {
    let message = try arena.make(flotilla__v1__snapshot_request__init)
    message.pointee.histogram = histogram ? 1 : 0
    message.pointee.recent = recent ? 1 : 0
    return UnsafeMutableRawPointer(message)
  }

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
  package var name: String
  package var value: UInt64

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

  init(_ message: Flotilla__V1__NamedCount) { self.init(text(message.name), message.value) }
}

/// A measured figure by name, in the unit that its name says.
package struct NamedFigure: Hashable, Sendable {
  package var name: String
  package var value: Double

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

  init(_ message: Flotilla__V1__NamedFigure) { self.init(text(message.name), message.value) }
}

/// The collector's side of a ledger: received = distinct + duplicate + Σ rejected.
package struct LedgerSide: Equatable, Sendable {
  package var received: UInt64
  package var distinct: UInt64
  package var duplicate: UInt64
  /// By reason.
  package var rejected: [NamedCount]

  package init(
    received: UInt64 = 0, distinct: UInt64 = 0, duplicate: UInt64 = 0, rejected: [NamedCount] = []
  ) {
    self.received = received
    self.distinct = distinct
    self.duplicate = duplicate
    self.rejected = rejected
  }

  init(_ message: Flotilla__V1__LedgerSide) {
    self.init(
      received: message.received, distinct: message.distinct, duplicate: message.duplicate,
      rejected: values(message.rejected, message.n_rejected, NamedCount.init))
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
  package var indices: [UInt32]
  package var counts: [UInt64]
  package var min: UInt64
  package var max: UInt64
  /// Sum of the values.
  package var sum: UInt64

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
  package var population: String
  package var figures: [NamedFigure]

  package init(population: String, figures: [NamedFigure]) {
    self.population = population
    self.figures = figures
  }
}

/// The collector's account of itself at one instant.
package struct SnapshotReply: WireMessage, Equatable {
  package var scenario = SimInstant(microseconds: 0)
  package var wall = WallInstant(microseconds: 0)
  package var state = RunState.idle
  package var batches = LedgerSide()
  package var fixes = LedgerSide()
  /// Σ modulo 2^64 over the distinct batches.
  package var hashSum: UInt64 = 0
  /// From the first byte of a call to its ack handed to the socket.
  package var ingestLatency: SparseHistogram?
  package var freshness: [FreshnessMetrics] = []
  /// Cause → phone-minutes.
  package var stale: [NamedFigure] = []
  package var pushes: [NamedCount] = []
  package var counters: [NamedCount] = []
  package var figures: [NamedFigure] = []
  package var cpuMicroseconds: UInt64 = 0
  package var rssBytes: UInt64 = 0
  package var peakRSSBytes: UInt64 = 0
  /// Empty while no run is open.
  package var runID = ""

  package init() {}

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
    message.pointee.n_stale = stale.count
    message.pointee.stale = try NamedFigure.messages(stale, in: arena)
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

  package static func read(
    _ bytes: UnsafeRawBufferPointer, in arena: Arena
  ) throws(WireError) -> Self {
    let message = try arena.unpack(bytes, "SnapshotReply", flotilla__v1__snapshot_reply__unpack)
      .pointee
    var reply = Self()
    reply.scenario = SimInstant(microseconds: message.scenario_us)
    reply.wall = WallInstant(microseconds: message.wall_us)
    reply.state = RunState(message.state)
    if let batches = message.batches { reply.batches = LedgerSide(batches.pointee) }
    if let fixes = message.fixes { reply.fixes = LedgerSide(fixes.pointee) }
    reply.hashSum = message.hash_sum
    if let latency = message.ingest_latency {
      reply.ingestLatency = try SparseHistogram(latency.pointee)
    }
    reply.freshness = values(message.freshness, message.n_freshness) { entry in
      FreshnessMetrics(
        population: text(entry.population),
        figures: values(entry.figures, entry.n_figures, NamedFigure.init))
    }
    reply.stale = values(message.stale, message.n_stale, NamedFigure.init)
    reply.pushes = values(message.pushes, message.n_pushes, NamedCount.init)
    reply.counters = values(message.counters, message.n_counters, NamedCount.init)
    reply.figures = values(message.figures, message.n_figures, NamedFigure.init)
    reply.cpuMicroseconds = message.cpu_us
    reply.rssBytes = message.rss_bytes
    reply.peakRSSBytes = message.peak_rss_bytes
    reply.runID = text(message.run_id)
    return reply
  }
}
