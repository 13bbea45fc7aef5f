internal import Core

/// The behaviour of a collector under overload: `overload.json` of `flotilla-lab bench overload`.
package struct OverloadRecord: StoredRecord, Equatable, Sendable {
  package static let schemaVersion = 1
  package var schema = Self.schemaVersion

  package struct Step: Codable, Equatable, Sendable {
    /// Batches a second, as planned, as started and as acknowledged.
    package var plannedPerSecond: Double
    package var offeredPerSecond: Double
    package var acknowledgedPerSecond: Double
    package var p99Microseconds: Double?
    /// Whether at least 97 % of the rate was offered, 98 % of that acknowledged, at most 0.5 % shed
    /// or failed, and the p99 within the limit.
    package var isSustained: Bool
    /// nil in older records.
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

  /// Half the sustainable rate, `factor` times it, and half again.
  package enum Phase: String, Codable, Sendable, CaseIterable {
    case before, overload, after
  }

  /// A second of the course. Latency is from the intended instant to the ack of accepted batches.
  package struct Second: Codable, Equatable, Sendable {
    package var second: Int
    package var phase: Phase
    package var offered = 0
    package var acknowledged = 0
    /// Refused with RESOURCE_EXHAUSTED.
    package var shed = 0
    /// Deadlines, lost connections and other failures.
    package var failed = 0
    /// nil with too few accepted batches.
    package var p50Microseconds: Double?
    /// nil with too few accepted batches.
    package var p99Microseconds: Double?
    package var lagP99Microseconds: Double?
    /// 0 if unreadable.
    package var collectorCores = 0.0
    /// Resident memory at the end of the second; 0 if unreadable.
    package var collectorBytes = 0

    package init(second: Int, phase: Phase) {
      self.second = second
      self.phase = phase
    }
  }

  package var latencyLimitMicroseconds: Double
  /// The planned overload, in sustainable rates.
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
  /// The last sustained rate, batches/s.
  package var sustainable: Double { search.last(where: \.isSustained)?.acknowledgedPerSecond ?? 0 }

  package func seconds(of phase: Phase) -> [Second] { seconds.filter { $0.phase == phase } }

  /// Seconds after each change that the controller needs to adapt.
  package static let settling = 2
  /// Seconds until everything must be normal again.
  package static let recovery = 10

  /// Goodput of the overload from its first second, as a share of the sustainable rate.
  package var goodputShare: Double? {
    let all = seconds(of: .overload)
    guard !all.isEmpty, sustainable > 0 else { return nil }
    let mean = Double(all.map(\.acknowledged).reduce(0, +)) / Double(all.count)
    return mean / sustainable
  }

  /// The same per second of CPU time of the collector, as a virtual machine may get less of its
  /// cores when all are busy.
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

  /// p99 of accepted batches: the median over the seconds after the settling ones.
  package var overloadP99Microseconds: Double? {
    seconds(of: .overload).dropFirst(Self.settling).compactMap(\.p99Microseconds)
      .median(.inverse)
  }

  /// The share of the overload's seconds with a p99 within the limit.
  package var goodSecondsShare: Double? {
    let reported = seconds(of: .overload).dropFirst(Self.settling).compactMap(\.p99Microseconds)
    guard !reported.isEmpty else { return nil }
    return Double(reported.count { $0 <= latencyLimitMicroseconds }) / Double(reported.count)
  }

  /// From the overload's tenth second to its end, bytes.
  package var memoryGrowth: Int? {
    let all = seconds(of: .overload)
    guard all.count > Self.recovery else { return nil }
    return all[all.count - 1].collectorBytes - all[Self.recovery].collectorBytes
  }

  /// The p99 limit of a normal second: twice the median before the overload, or the limit's tenth.
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

  /// Seconds after the overload from which nothing is refused and no second is late; nil if never.
  /// Strict: one late second counts, even where the baseline had some.
  package var backAfterSeconds: Int? {
    let after = seconds(of: .after)
    let isLate = isLate(baselineMicroseconds)
    guard !after.isEmpty else { return nil }
    let bad = after.lastIndex { $0.shed + $0.failed > 0 || isLate($0) }
    let place = bad.map { $0 + 1 } ?? 0
    return place < after.count ? place : nil
  }
}
