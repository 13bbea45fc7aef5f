internal import Core

/// Reads the CPU use of generator, collectors and other processes from `/proc`.
struct ProcessorWatch {
  private struct Reading {
    var generator: ProcessorWaits
    var collector: ProcessorWaits
    var used: (generator: Int64, collector: Int64)
    var busy: Double
  }

  /// The average numbers of threads that waited for a core in the last interval; nil if unknown.
  struct Waits {
    var generator: Double?
    var collector: Double?
  }

  private(set) var contention: ProcessorContention
  private var last: Reading?

  init(cores: Int) { contention = ProcessorContention(cores: cores) }

  /// - Parameter collectorPIDs: the processes of the collectors and of the run's database.
  mutating func look(
    collectorPIDs: [Int32], generator: ProcessMetrics, collectors: ProcessMetrics?,
    seconds: Double, isMeasured: Bool, responseP99: Percentile
  ) -> Waits {
    guard let collectors, seconds > 0,
      let now = Self.reading(collectorPIDs, generator, collectors)
    else {
      last = nil
      return Waits()
    }
    defer { last = now }
    guard let last else { return Waits() }
    func use(_ now: Int64, _ before: Int64, _ waited: Double) -> ProcessorContention.Use {
      .init(used: Double(max(0, now - before)) / 1e6, waited: waited)
    }
    let second = ProcessorContention.Second(
      wall: seconds,
      generator: use(
        now.used.generator, last.used.generator, now.generator.seconds(since: last.generator)),
      collector: use(
        now.used.collector, last.used.collector, now.collector.seconds(since: last.collector)),
      busy: now.busy - last.busy, responseP99: responseP99)
    if isMeasured { contention.add(second) }
    return Waits(
      generator: second.generator.waited / seconds, collector: second.collector.waited / seconds)
  }

  private static func reading(
    _ collectorPIDs: [Int32], _ generator: ProcessMetrics, _ collector: ProcessMetrics
  ) -> Reading? {
    let waits = collectorPIDs.compactMap { ProcessorWaits.of(pid: $0) }
    guard let ours = ProcessorWaits.current(), !waits.isEmpty,
      let busy = SystemProcessors.busySeconds()
    else { return nil }
    // Thread IDs are unique across processes, so merging loses none.
    let theirs = ProcessorWaits(
      threads: waits.reduce(into: [:]) { $0.merge($1.threads) { $1 } })
    return Reading(
      generator: ours, collector: theirs,
      used: (generator.cpuMicroseconds, collector.cpuMicroseconds), busy: busy)
  }
}
