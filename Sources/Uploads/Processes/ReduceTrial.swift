package import Core
internal import Figures
internal import Fleet
package import Scenarios

/// Measures the cost of adding the figures of all processes in one second of a live run.
package struct ReduceTrial: Sendable {
  private let intervals: [ShareInterval]
  private let sent: [[UInt8]]

  package init(_ scenario: Scenario, processes: Int, batches: Int) {
    intervals = (0..<processes).map { number in
      Self.interval(scenario, SharePlace(number: number, of: processes), batches: batches)
    }
    sent = intervals.map { PackedInterval($0).bytes }
  }

  private static func interval(
    _ scenario: Scenario, _ place: SharePlace, batches: Int
  ) -> ShareInterval {
    var draw = Draw(seed: 1, phone: UInt32(place.number), .benchLatencies)
    var load = Interval()
    load.counters[.offeredBatches] = batches
    load.counters[.acknowledgedBatches] = batches
    for _ in 0..<batches {
      func time(_ median: Double) -> Int64 { Int64(draw.logNormal(median: median, sigma: 1.5)) }
      let timing = BatchTiming(
        generatorLag: time(60), connect: time(150), hold: time(2), service: time(2_000))
      load.latency.record(timing)
      load.latency.attempt.record(timing.service)
    }
    var freshness = FleetMetrics(scenario).freshness
    for _ in 0..<agesHeld {
      func age() -> SimDuration { .seconds(Int64(draw.logNormal(median: 600, sigma: 1.5))) }
      let (begin, length) = (age(), age())
      freshness.installed.ages.add(from: begin, to: begin + length)
      freshness.reachable.ages.add(from: begin, to: begin + length)
      freshness.moving.ages.add(from: begin, to: begin + length)
    }
    return ShareInterval(
      second: 1,
      moment: .init(at: scenario.measureStart, wallSeconds: 1, seconds: 1, phase: "measure"),
      phones: place.range(of: scenario.fleet.phones).count,
      senders: [.init(name: "generator", cores: 1, residentBytes: 1)], freshness: freshness,
      load: load)
  }

  /// The number of ages to record, enough to fill the buckets that a day of many phones fills.
  private static let agesHeld = 20_000

  package var bytes: Int { sent.first?.count ?? 0 }

  package var rounds: IntervalRounds { IntervalRounds(processes: sent.count) }

  package func write() -> Int { PackedInterval(intervals[0]).bytes.count }

  /// Adds one second. Pass the same `rounds` again to reuse the memory of the sum, as a run does.
  package func reduce(_ rounds: inout IntervalRounds) -> Int {
    for (number, bytes) in sent.enumerated() {
      rounds.add(PackedInterval(bytes: bytes), from: number)
    }
    return rounds.next()?.load.counters[.acknowledgedBatches] ?? 0
  }

  /// Returns the core seconds for adding one process's second; takes hundredths of a second.
  package static func secondsPerProcess(
    _ scenario: Scenario, _ clock: () -> WallInstant
  ) -> Double {
    let processes = 4
    let trial = ReduceTrial(scenario, processes: processes, batches: 10_000)
    var rounds = trial.rounds
    return microseconds(clock) { _ = trial.reduce(&rounds) } / 1e6 / Double(processes)
  }

  package static func microseconds(_ clock: () -> WallInstant, _ work: () -> Void) -> Double {
    let began = clock()
    for _ in 0..<100 { work() }
    return Double((clock() - began).microseconds) / 100
  }
}
