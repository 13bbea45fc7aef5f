internal import Core

/// The behaviour of a collector under overload: `overload.json` of `flotilla-lab bench overload`.
package struct OverloadRecord: StoredRecord, Equatable, Sendable {
  package static let schemaVersion = 1
  package var schema = Self.schemaVersion

  package struct Step: Codable, Equatable, Sendable {
    /// The planned rate, in batches per second like the next two.
    package var plannedPerSecond: Double
    package var offeredPerSecond: Double
    package var acknowledgedPerSecond: Double
    package var p99Microseconds: Double?
    /// Whether at least 97 % of the planned rate was offered, at least 98 % of the offered was
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

  /// The phases: half the sustainable rate, `factor` times that rate, and half of it again.
  package enum Phase: String, Codable, Sendable, CaseIterable {
    case before, overload, after
  }

  /// A second of the test. Latencies of accepted batches, from intended time to acknowledgement.
  package struct Second: Codable, Equatable, Sendable {
    package var second: Int
    package var phase: Phase
    package var offered = 0
    package var acknowledged = 0
    /// Batches refused with RESOURCE_EXHAUSTED.
    package var shed = 0
    /// Batches that failed by deadline, lost connection or another cause.
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

  /// Seconds after each change that the controller needs to adapt.
  package static let settling = 2
  /// Seconds after the overload's end until everything must be normal again.
  package static let recovery = 10

  /// The rate of acknowledgements over the whole overload, as a share of the sustainable rate.
  package var goodputShare: Double? {
    let all = seconds(of: .overload)
    guard !all.isEmpty, sustainable > 0 else { return nil }
    let mean = Double(all.map(\.acknowledged).reduce(0, +)) / Double(all.count)
    return mean / sustainable
  }

  /// The acknowledged batches per CPU second of the collector, in proportion to the last sustained
  /// step. A virtual machine may get less of its cores when all are busy.
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

  /// The median p99 of the overload's seconds after `settling`, of accepted batches.
  package var overloadP99Microseconds: Double? {
    seconds(of: .overload).dropFirst(Self.settling).compactMap(\.p99Microseconds)
      .median(.inverse)
  }

  /// The share of the overload's seconds after `settling` with a p99 within the limit.
  package var goodSecondsShare: Double? {
    let reported = seconds(of: .overload).dropFirst(Self.settling).compactMap(\.p99Microseconds)
    guard !reported.isEmpty else { return nil }
    return Double(reported.count { $0 <= latencyLimitMicroseconds }) / Double(reported.count)
  }

  /// The growth of resident memory after the overload's first `recovery` seconds, in bytes.
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

  /// Seconds after the overload until no batch is shed or fails and no second is late, or nil.
  package var backAfterSeconds: Int? {
    let after = seconds(of: .after)
    let isLate = isLate(baselineMicroseconds)
    guard !after.isEmpty else { return nil }
    let bad = after.lastIndex { $0.shed + $0.failed > 0 || isLate($0) }
    let place = bad.map { $0 + 1 } ?? 0
    return place < after.count ? place : nil
  }
}
