internal import Core

/// The behaviour of a collector under overload: `overload.json` of `flotilla-lab bench overload`.
package struct OverloadRecord: StoredRecord, Equatable, Sendable {
  package static let schemaVersion = 1
  package var schema = Self.schemaVersion

  package struct Step: Codable, Equatable, Sendable {
    /// The planned rate, in batches per second.
    package var plannedPerSecond: Double
    package var offeredPerSecond: Double
    package var acknowledgedPerSecond: Double
    package var p99Microseconds: Double?
    /// Whether at least 97 % of the planned rate was offered, at least 98 % of the offered load was
    /// acknowledged, at most 0.5 % was shed or failed, and the p99 was within the limit.
    package var isSustained: Bool
    /// The mean number of cores that the collector used; nil in older records.
    package var collectorCores: Double?

    package init(
      plannedPerSecond: Double, offeredPerSecond: Double, acknowledgedPerSecond: Double,
      p99Microseconds: Double?, isSustained: Bool, collectorCores: Double? = nil
    ) {
      self.plannedPerSecond = plannedPerSecond
      self.offeredPerSecond = offeredPerSecond
      self.acknowledgedPerSecond = acknowledgedPerSecond
      self.p99Microseconds = p99Microseconds
      self.isSustained = isSustained
      self.collectorCores = collectorCores
    }
  }

  /// The phases: half of the sustainable rate, `factor` times the rate, then half of the rate.
  package enum Phase: String, Codable, Sendable, CaseIterable {
    case before, overload, after
  }

  /// A second of the test. Latencies are of accepted batches, from intended time to their ack.
  package struct Second: Codable, Equatable, Sendable {
    package var second: Int
    package var phase: Phase
    package var offered = 0
    package var acknowledged = 0
    /// The batches refused with RESOURCE_EXHAUSTED.
    package var shed = 0
    /// The batches that failed by a deadline, a lost connection or another cause.
    package var failed = 0
    /// The p50 latency; nil with too few accepted batches.
    package var p50Microseconds: Double?
    /// The p99 latency; nil with too few accepted batches.
    package var p99Microseconds: Double?
    package var lagP99Microseconds: Double?
    /// Cores that the collector used; 0 if unreadable.
    package var collectorCores = 0.0
    /// Resident memory at the end of the second; 0 if unreadable.
    package var collectorBytes = 0

    package init(second: Int, phase: Phase) {
      self.second = second
      self.phase = phase
    }
  }

  package var latencyLimitMicroseconds: Double
  /// The planned overload, as a multiple of the sustainable rate.
  package var factor: Double
  package var fixesPerBatch: Int
  package var connections: Int
  package var isPinned: Bool
  package var store: String
  package var search: [Step] = []
  package var seconds: [Second] = []
  /// The commits of the collector's store beyond 50 ms, by phase; nil in older records.
  package var slowCommits: [String: Int]?

  package init(
    latencyLimitMicroseconds: Double, factor: Double, fixesPerBatch: Int, connections: Int,
    isPinned: Bool, store: String
  ) {
    self.latencyLimitMicroseconds = latencyLimitMicroseconds
    self.factor = factor
    self.fixesPerBatch = fixesPerBatch
    self.connections = connections
    self.isPinned = isPinned
    self.store = store
  }
}

// MARK: What it comes to

extension OverloadRecord {
  /// The acknowledged rate of the last sustained step, in batches per second.
  package var sustainable: Double { search.last(where: \.isSustained)?.acknowledgedPerSecond ?? 0 }

  package func seconds(of phase: Phase) -> [Second] { seconds.filter { $0.phase == phase } }

  /// The seconds that the controller needs to adapt after each change of the rate.
  package static let settling = 2
  /// The seconds after the overload's end within which everything must be normal again.
  package static let recovery = 10

  /// The mean rate of acknowledgements during the overload, as a share of the sustainable rate.
  package var goodputShare: Double? {
    let all = seconds(of: .overload)
    guard !all.isEmpty, sustainable > 0 else { return nil }
    let mean = Double(all.map(\.acknowledged).reduce(0, +)) / Double(all.count)
    return mean / sustainable
  }

  /// The acknowledged batches per CPU second of the collector, as a share of the last sustained
  /// step's. Unlike `goodputShare`, this share does not fall if a machine gets less core time.
  package var goodputShareOfCoreSecond: Double? {
    let all = seconds(of: .overload)
    let cores = all.map(\.collectorCores).reduce(0, +)
    guard let step = search.last(where: \.isSustained), let baseline = step.collectorCores,
      cores > 0,
      baseline > 0, step.acknowledgedPerSecond > 0
    else { return nil }
    let acknowledged = Double(all.map(\.acknowledged).reduce(0, +))
    return (acknowledged / cores) / (step.acknowledgedPerSecond / baseline)
  }

  package var offeredFactor: Double? {
    let all = seconds(of: .overload)
    guard !all.isEmpty, sustainable > 0 else { return nil }
    return Double(all.map(\.offered).reduce(0, +)) / Double(all.count) / sustainable
  }

  /// The median p99 of accepted batches over the overload's seconds after `settling`.
  package var overloadP99Microseconds: Double? {
    seconds(of: .overload).dropFirst(Self.settling).compactMap(\.p99Microseconds)
      .median(.inverse)
  }

  /// The share of seconds after `settling` with a p99 within the limit. A second that accepted too
  /// few batches for a p99 is not good.
  package var goodSecondsShare: Double? {
    let settled = seconds(of: .overload).dropFirst(Self.settling)
    guard !settled.isEmpty else { return nil }
    let good = settled.count { ($0.p99Microseconds ?? .infinity) <= latencyLimitMicroseconds }
    return Double(good) / Double(settled.count)
  }

  /// The growth of resident memory during the overload, in bytes, without its first seconds.
  package var memoryGrowth: Int? {
    let all = seconds(of: .overload)
    guard all.count > Self.recovery else { return nil }
    return all[all.count - 1].collectorBytes - all[Self.recovery].collectorBytes
  }

  /// The p99 limit of a normal second: twice the median before the overload, at least 10 % of
  /// `latencyLimitMicroseconds`.
  package var baselineMicroseconds: Double {
    let before = seconds(of: .before).compactMap(\.p99Microseconds).median(.inverse) ?? 0
    return max(2 * before, latencyLimitMicroseconds / 10)
  }

  package func lateSeconds(of phase: Phase) -> Int {
    seconds(of: phase).count(where: isLate(baselineMicroseconds))
  }

  private func isLate(_ baseline: Double) -> (Second) -> Bool {
    { ($0.p99Microseconds ?? 0) > baseline }
  }

  /// The seconds after the overload until all batches are served in time again; nil if never.
  package var backAfterSeconds: Int? {
    let after = seconds(of: .after)
    let isLate = isLate(baselineMicroseconds)
    guard !after.isEmpty else { return nil }
    let bad = after.lastIndex { $0.shed + $0.failed > 0 || isLate($0) }
    let place = bad.map { $0 + 1 } ?? 0
    return place < after.count ? place : nil
  }
}
