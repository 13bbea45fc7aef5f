package import Core
package import Wire

/// Distributions with percentiles in `SnapshotReply.figures`, in microseconds.
package enum DistributionKey: String, CaseIterable, Sendable {
  /// The time from reading the last byte of an upload to writing its acknowledgement.
  case ingest
  /// The time from the start of a transaction to the end of its fsync.
  case commit = "store.commit"
  /// The wall-clock lateness of the tasks of the scenario clock.
  case dutyLateness = "duty.lateness"
  /// The time from receiving a batch to the start of the transaction that commits it.
  case storeQueue = "queue.store"
  /// An upper bound of an upload's wait for the loop until the first frame is read.
  case loopQueue = "queue.loop"
}

/// The percentiles of a distribution, which are present only with enough samples.
package enum PercentileKey: String, CaseIterable, Sendable {
  case p50, p99, p999, max
}

/// Gauges in `SnapshotReply.figures`.
package enum GaugeKey: String, CaseIterable, Sendable {
  /// The share of offered calls to refuse.
  case dropProbability = "admission.dropProbability"
}

package enum PopulationKey: String, CaseIterable, Sendable {
  case installed, reachable
}

package enum FreshnessKey: Hashable, Sendable {
  case phoneSeconds
  /// The share of phone-time before the first fix of a phone.
  case never
  case within(SimDuration)
  /// Percentiles of the newest fix's age, in seconds.
  case p50, p95, p99

  /// The key in a snapshot, such as `p95`, or `within.1800` for half an hour.
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
  package static func counts(
    of sheet: Sheet, _ counter: Count.Counter = .collector
  ) -> [NamedCount] {
    Count.allCases.compactMap { count in
      guard count.row.counter == counter, let key = count.row.key else { return nil }
      return NamedCount(key, UInt64(clamping: sheet[count]))
    }
  }

  package init(status: StatusCode, _ value: UInt64) { self.init(Self.name(of: status), value) }

  package init(limit: String, _ value: UInt64) { self.init(Self.name(ofLimit: limit), value) }

  fileprivate static func name(of status: StatusCode) -> String { "status.\(status)" }
  fileprivate static func name(ofLimit limit: String) -> String { "limit.\(limit)" }
}

extension NamedFigure {
  /// Creates a percentile in microseconds, named `distribution.percentile`.
  package init(_ key: DistributionKey, _ percentile: PercentileKey, _ value: Double) {
    self.init(Self.name(key, percentile), value)
  }
  package init(_ key: GaugeKey, _ value: Double) { self.init(key.rawValue, value) }
  /// Creates a freshness figure, which is a share (0 to 1) or a number of seconds.
  package init(_ key: FreshnessKey, _ value: Double) { self.init(key.name, value) }

  fileprivate static func name(_ key: DistributionKey, _ percentile: PercentileKey) -> String {
    "\(key.rawValue).\(percentile.rawValue)"
  }
}

extension FreshnessMetrics {
  package init(_ population: PopulationKey, figures: [NamedFigure]) {
    self.init(population: population.rawValue, figures: figures)
  }
}

// MARK: Read

extension SnapshotReply {
  /// Returns a count; 0 if the snapshot has none.
  package func count(_ count: Count) -> Int {
    (count.row.counter == .wake ? pushes : counters).value(of: count.row.key ?? "")
  }

  package var sheet: Sheet {
    Count.allCases.reduce(into: Sheet()) { sheet, count in
      if count.row.counter.isAnswered { sheet[count] = self.count(count) }
    }
  }

  package func answers(_ status: StatusCode) -> Int {
    counters.value(of: NamedCount.name(of: status))
  }

  package func limitHits(_ limit: String) -> Int {
    counters.value(of: NamedCount.name(ofLimit: limit))
  }

  /// Returns a percentile in microseconds; nil if there are too few samples.
  package func figure(_ key: DistributionKey, _ percentile: PercentileKey) -> Double? {
    figures.value(of: NamedFigure.name(key, percentile))
  }

  package func figure(_ key: GaugeKey) -> Double? { figures.value(of: key.rawValue) }

  /// Returns a share of phone-time (0 to 1), an age in seconds or phone-seconds; nil if absent.
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
