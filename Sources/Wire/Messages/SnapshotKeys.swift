package import Figures
package import SimulationCore

/// What `SnapshotReply.figures` has percentiles of, in microseconds.
package enum DistributionKey: String, CaseIterable, Sendable {
  /// Last byte of an upload read → its ack handed to the socket.
  case ingest
  /// Begin of a transaction → end of its fsync.
  case commit = "store.commit"
  /// How late the scenario clock's duties were done.
  case dutyLateness = "duty.lateness"
  /// From the receipt of a batch to the begin of the transaction that commits it.
  case storeQueue = "queue.store"
  /// How long an upload has waited for the loop when its first frame is read, at most.
  case loopQueue = "queue.loop"
}

/// Which percentile; there only where enough was measured for it.
package enum PercentileKey: String, CaseIterable, Sendable {
  case p50, p99, p999, max
}

/// The other names of `SnapshotReply.figures`.
package enum GaugeKey: String, CaseIterable, Sendable {
  /// Share of the offered calls that is to be refused.
  case dropProbability = "admission.dropProbability"
}

/// The populations of `SnapshotReply.freshness`.
package enum PopulationKey: String, CaseIterable, Sendable {
  case installed, reachable
}

/// The names of one population's figures.
package enum FreshnessKey: Hashable, Sendable {
  case phoneSeconds
  /// Share of phone-time, as are those below.
  case never
  /// With an age of at most so much.
  case within(SimDuration)
  /// Seconds of age.
  case p50, p95, p99

  /// Is the name under which the figure travels, such as `p95` or `within.1800` for half an hour.
  package var name: String {
    switch self {
    case .phoneSeconds: "phoneSeconds"
    case .never: "never"
    case .within(let age): "within.\(Int(age.seconds))"
    case .p50: "p50"
    case .p95: "p95"
    case .p99: "p99"
    }
  }
}

// MARK: Written

extension NamedCount {
  /// Returns what a collector's answers have of one counter's figures, under their names.
  package static func counts(
    of sheet: Sheet, _ counter: Count.Counter = .collector
  ) -> [NamedCount] {
    Count.allCases.compactMap { count in
      guard count.row.counter == counter, let key = count.row.key else { return nil }
      return NamedCount(key, UInt64(clamping: sheet[count]))
    }
  }

  /// Answers with one status.
  package init(status: StatusCode, _ value: UInt64) { self.init(Self.name(of: status), value) }

  /// How often a limit was met.
  package init(limit: String, _ value: UInt64) { self.init(Self.name(ofLimit: limit), value) }

  fileprivate static func name(of status: StatusCode) -> String { "status.\(status)" }
  fileprivate static func name(ofLimit limit: String) -> String { "limit.\(limit)" }
}

extension NamedFigure {
  /// Makes a percentile of a distribution, in microseconds, named `distribution.percentile`.
  package init(_ key: DistributionKey, _ percentile: PercentileKey, _ value: Double) {
    self.init(Self.name(key, percentile), value)
  }
  /// Makes a gauge under the name of its key.
  package init(_ key: GaugeKey, _ value: Double) { self.init(key.rawValue, value) }
  /// Makes a figure of freshness under the name of its key: a share of 0 to 1, or seconds.
  package init(_ key: FreshnessKey, _ value: Double) { self.init(key.name, value) }

  fileprivate static func name(_ key: DistributionKey, _ percentile: PercentileKey) -> String {
    "\(key.rawValue).\(percentile.rawValue)"
  }
}

extension FreshnessMetrics {
  /// Makes the figures of one population.
  package init(_ population: PopulationKey, figures: [NamedFigure]) {
    self.init(population: population.rawValue, figures: figures)
  }
}

// MARK: Read

extension SnapshotReply {
  /// Returns a figure of a collector; 0 where the collector does not say.
  package func count(_ count: Count) -> Int {
    (count.row.counter == .wake ? pushes : counters).value(of: count.row.key ?? "")
  }

  /// The figures that a collector's answers have.
  package var sheet: Sheet {
    Count.allCases.reduce(into: Sheet()) { sheet, count in
      if count.row.counter.isAnswered { sheet[count] = self.count(count) }
    }
  }

  /// Answers with one status.
  package func answers(_ status: StatusCode) -> Int {
    counters.value(of: NamedCount.name(of: status))
  }

  /// How often a limit was met.
  package func limitHits(_ limit: String) -> Int {
    counters.value(of: NamedCount.name(ofLimit: limit))
  }

  /// Microseconds; nil: too little was measured for it.
  package func figure(_ key: DistributionKey, _ percentile: PercentileKey) -> Double? {
    figures.value(of: NamedFigure.name(key, percentile))
  }

  /// Returns a gauge; `nil` where the collector does not say.
  package func figure(_ key: GaugeKey) -> Double? { figures.value(of: key.rawValue) }

  /// Returns a population's share of phone-time (0 to 1), its age in seconds or its phone-seconds;
  /// `nil` where the collector does not say.
  package func freshness(_ population: PopulationKey, _ key: FreshnessKey) -> Double? {
    freshness.first { $0.population == population.rawValue }?.figures.value(of: key.name)
  }
}

extension [NamedCount] {
  fileprivate func value(of name: String) -> Int {
    Int(clamping: first { $0.name == name }?.value ?? 0)
  }
}

extension [NamedFigure] {
  fileprivate func value(of name: String) -> Double? { first { $0.name == name }?.value }
}
