/// What a collector did with more than it can do: `overload.json` of `flotilla-lab bench overload`.
package struct OverloadRecord: StoredRecord, Equatable, Sendable {
  /// Is the version of the format that this program writes and reads.
  package static let schemaVersion = 1
  /// Is the version of the format in which the record was written.
  package var schema = Self.schemaVersion

  /// One rate that was offered while the sustainable one was looked for.
  package struct Step: Codable, Equatable, Sendable {
    /// Batches a second, as planned, as started and as acknowledged.
    package var plannedPerSecond: Double
    /// Is the mean rate that the generator really started, batches a second.
    package var offeredPerSecond: Double
    /// Is the mean rate of acknowledgements of what was started, batches a second.
    package var acknowledgedPerSecond: Double
    /// Is the p99 response of the accepted batches; nil: too few for a p99.
    package var p99Microseconds: Double?
    /// Is true where at least 97 % of the rate was offered, 98 % of that acknowledged, at most 0.5
    /// % shed or failed, and the p99 within the limit.
    package var isSustained: Bool
    /// CPU time of the collector a second; nil in records from before it was noted.
    package var collectorCores: Double?

    /// Makes a step from what was measured while its rate was offered.
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

  /// Names the parts of the course: half the sustainable rate, `factor` times it, and half again.
  package enum Phase: String, Codable, Sendable, CaseIterable {
    case before, overload, after
  }

  /// One second of the course. Latency is from the intended instant to the ack, of accepted
  /// batches alone.
  package struct Second: Codable, Equatable, Sendable {
    /// Since the course began.
    package var second: Int
    /// Names the part of the course that the second lies in.
    package var phase: Phase
    /// Counts the batches that were started in the second.
    package var offered = 0
    /// Counts the batches of the second that were acknowledged, whenever that was.
    package var acknowledged = 0
    /// Refused with RESOURCE_EXHAUSTED.
    package var shed = 0
    /// Ended otherwise: deadlines, lost connections.
    package var failed = 0
    /// Is the median response; nil: too few accepted batches for it.
    package var p50Microseconds: Double?
    /// Is the p99 response; nil: too few accepted batches for it.
    package var p99Microseconds: Double?
    /// How late the generator itself was.
    package var lagP99Microseconds: Double?
    /// Is the collector's CPU time a second, in cores; 0 where it could not be read.
    package var collectorCores = 0.0
    /// Is the collector's resident memory at the end of the second; 0 where it could not be read.
    package var collectorBytes = 0

    /// Makes a second of the course in which nothing was offered yet.
    package init(second: Int, phase: Phase) {
      self.second = second
      self.phase = phase
    }
  }

  /// Is the p99 response up to which a rate counts as sustained.
  package var latencyLimitMicroseconds: Double
  /// Is the rate that the overload is planned to offer, in sustainable rates.
  package var factor: Double
  /// Counts the fixes in each batch.
  package var fixesPerBatch: Int
  /// Counts the connections over which the batches are sent.
  package var connections: Int
  /// Is true where collector and generator each had a core of their own.
  package var isPinned: Bool
  /// Names the collector's store and how it makes a batch durable.
  package var store: String
  /// Holds the rates that were tried while the sustainable one was looked for, in their order.
  package var search: [Step] = []
  /// Holds the seconds of the course in their order.
  package var seconds: [Second] = []

  /// Makes a record without results, from the settings of the bench.
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
  /// The rate at which all was acknowledged in time when it was tried last, batches/s.
  package var sustainable: Double { search.last(where: \.isSustained)?.acknowledgedPerSecond ?? 0 }

  /// Returns the seconds of one part of the course, in their order.
  package func seconds(of phase: Phase) -> [Second] { seconds.filter { $0.phase == phase } }

  /// The first seconds of the overload and of what follows are the controller's to find out.
  package static let settling = 2
  /// By then everything is to be normal again.
  package static let recovery = 10

  /// Goodput of the overload as a share of the sustainable rate, from its first second on.
  package var goodputShare: Double? {
    let all = seconds(of: .overload)
    guard !all.isEmpty, sustainable > 0 else { return nil }
    let mean = Double(all.map(\.acknowledged).reduce(0, +)) / Double(all.count)
    return mean / sustainable
  }

  /// The same for each second of CPU time that the collector got. A virtual machine may be given
  /// less of its cores when all are busy, as they are in an overload and not in the search.
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

  /// What was really offered, in sustainable rates.
  package var offeredFactor: Double? {
    let all = seconds(of: .overload)
    guard !all.isEmpty, sustainable > 0 else { return nil }
    return Double(all.map(\.offered).reduce(0, +)) / Double(all.count) / sustainable
  }

  /// p99 of the accepted batches: the median over the seconds after the settling ones.
  package var overloadP99Microseconds: Double? {
    seconds(of: .overload).dropFirst(Self.settling).compactMap(\.p99Microseconds)
      .median(.inverse)
  }

  /// The share of the overload's seconds whose own p99 was within the limit.
  package var goodSecondsShare: Double? {
    let reported = seconds(of: .overload).dropFirst(Self.settling).compactMap(\.p99Microseconds)
    guard !reported.isEmpty else { return nil }
    return Double(reported.count { $0 <= latencyLimitMicroseconds }) / Double(reported.count)
  }

  /// Growth of resident memory from the overload's tenth second to its end, bytes.
  package var memoryGrowth: Int? {
    let all = seconds(of: .overload)
    guard all.count > Self.recovery else { return nil }
    return all[all.count - 1].collectorBytes - all[Self.recovery].collectorBytes
  }

  /// Up to here the p99 of a second is that of the baseline: twice the median of the seconds before
  /// the overload, or the limit's tenth.
  package var baselineMicroseconds: Double {
    let before = seconds(of: .before).compactMap(\.p99Microseconds).median(.inverse) ?? 0
    return max(2 * before, latencyLimitMicroseconds / 10)
  }

  /// How many seconds of a phase were late, whatever made them so.
  package func lateSeconds(of phase: Phase) -> Int {
    seconds(of: phase).count(where: isLate(baselineMicroseconds))
  }

  private func isLate(_ baseline: Double) -> (Second) -> Bool {
    { ($0.p99Microseconds ?? 0) > baseline }
  }

  /// Seconds after the overload until a second from which on nothing is refused and none is late;
  /// nil: it never came. Strict: a single late second counts, even where the baseline had some,
  /// too.
  package var backAfterSeconds: Int? {
    let after = seconds(of: .after)
    let isLate = isLate(baselineMicroseconds)
    guard !after.isEmpty else { return nil }
    let bad = after.lastIndex { $0.shed + $0.failed > 0 || isLate($0) }
    let place = bad.map { $0 + 1 } ?? 0
    return place < after.count ? place : nil
  }
}
