internal import Core
import Figures
internal import TestSupport
internal import Testing
@testable import Capacity

/// A generator and a collector in virtual time. One of them may be faulty.
struct PlantedPair {
  enum Fault: Sendable, CustomTestStringConvertible {
    // Faults of the generator.
    /// The most batches that it sends a second.
    case slowGenerator(Double)
    /// How long it stalls in each second.
    case pausedGenerator(Double)
    /// The share of its core that other processes take, 50 ms at a time.
    case robbedGenerator(Double)
    // Faults of the collector.
    case slowCollector(Double)
    case stalledCollector(seconds: Double, every: Double)
    /// The share refused above a rate.
    case refusing(Double, above: Double)
    /// The share lost.
    case losing(Double)
    /// Added to each response time, in seconds.
    case slowDisk(Double)

    var testDescription: String { "\(self)" }

    /// The generator's missing resource; nil: the collector is at fault.
    var resource: TrialRecord.Resource? {
      switch self {
      case .slowGenerator: .core
      case .pausedGenerator: .pauses
      case .robbedGenerator: .stolenTime
      case .slowCollector, .stalledCollector, .refusing, .losing, .slowDisk: nil
      }
    }
  }

  /// Capacity of a healthy collector, batches a second.
  static let capacity = 400.0
  static let limit = 0.05
  /// Timeout in seconds.
  static let deadline = 1.0
  var fault: Fault?
  private var draw: Draw
  /// Until when a slow generator is busy with its backlog.
  private var owed = 0.0

  init(_ fault: Fault?, seed: UInt64) {
    self.fault = fault
    draw = Draw(seed: seed, phone: 0, Purpose(rawValue: 9_998))
  }

  mutating func trial(_ load: Double, seconds: Double, _ goal: SearchGoal) -> TrialRecord {
    var trial = TrialRecord(
      kind: seconds >= goal.finalSeconds ? .full : .screening, search: 1, load: load,
      seconds: seconds)
    var course = [TrialJudge.Second](
      repeating: .init(offered: 0, acknowledged: 0, unserved: 0, late: 0),
      count: Int(seconds + Self.deadline) + 1)
    var lags: [Double] = []
    owed = 0
    var (sentBefore, free) = (0.0, 0.0)
    // A trial at such a low load has one batch.
    let load = max(load, 1 / seconds)
    for number in 0..<Int(load * seconds) {
      let intended = (Double(number) + draw.uniform()) / load
      let sent = sending(intended, after: sentBefore)
      sentBefore = sent
      lags.append(sent - intended)
      course[Int(intended)].offered += 1
      guard let answered = answer(sent, load, &free), answered - intended < Self.deadline else {
        course[Int(intended)].unserved += 1
        trial.failed += 1
        continue
      }
      course[Int(answered)].acknowledged += 1
      if answered - intended > Self.limit {
        course[Int(answered)].late += 1
        trial.late += 1
      }
    }
    lags.sort()
    trial.lagP99Microseconds = lags[lags.count * 99 / 100] * 1e6
    trial.offeredPerSecond = Double(lags.count) / seconds
    trial.generatorCores = generatorCores(load)
    if case .robbedGenerator(let share)? = fault { trial.stolenShare = share }
    TrialJudge(latencyLimitMicroseconds: Self.limit * 1e6, lossRatio: goal.lossRatio)
      .judge(&trial, Array(course.prefix(Int(seconds))))
    return trial
  }

  /// When the generator sends a batch.
  private mutating func sending(_ intended: Double, after before: Double) -> Double {
    let at = max(intended, before)
    switch fault {
    case .slowGenerator(let most)?:
      // Batches that it did not send in time are sent later; a few in a row do not matter.
      owed = max(owed, intended) + 1 / most
      return max(at, owed - 10 / most)
    case .pausedGenerator(let pause)?:
      let phase = at.truncatingRemainder(dividingBy: 1)
      return phase < pause ? at - phase + pause : at
    case .robbedGenerator(let share)?:
      let round = 0.05 / share
      let phase = at.truncatingRemainder(dividingBy: round)
      return phase < 0.05 ? at - phase + 0.05 : at
    case .slowCollector?, .stalledCollector?, .refusing?, .losing?, .slowDisk?, nil: return at
    }
  }

  private func generatorCores(_ load: Double) -> Double {
    if case .slowGenerator(let most)? = fault { return min(1, load / most) }
    return 0.3
  }

  /// When the collector answers; nil: it refuses or loses the batch.
  private mutating func answer(_ sent: Double, _ load: Double, _ free: inout Double) -> Double? {
    var (perSecond, more) = (Self.capacity, 0.0)
    free = max(free, sent)
    switch fault {
    case .slowCollector(let share)?: perSecond *= share
    case .stalledCollector(let seconds, let every)?:
      let phase = free.truncatingRemainder(dividingBy: every)
      if phase < seconds { free += seconds - phase }
    case .refusing(let share, let rate)?: if load > rate, draw.chance(share) { return nil }
    case .losing(let share)?: if draw.chance(share) { return nil }
    case .slowDisk(let seconds)?: more = seconds
    case .slowGenerator?, .pausedGenerator?, .robbedGenerator?, nil: break
    }
    free += 1 / perSecond
    return free + more
  }
}

@Suite("Blame", .quick)
struct BlameTests {
  private static let goal = SearchGoal(
    finalSeconds: 10, sumSeconds: 30, initialSeconds: 2, lossRatio: 0.01)

  /// A whole search, as the bench records it.
  static func capacity(_ fault: PlantedPair.Fault?, seed: UInt64) -> CapacityRecord {
    var pair = PlantedPair(fault, seed: seed)
    var record = CapacityRecord(source: .measured, perCore: .init(value: 0, low: 0, high: 0))
    var search = LoadSearch(goal, first: 100, largest: 1e6)
    while case .measure(let load, let seconds) = search.next {
      let trial = pair.trial(load, seconds: seconds, goal)
      record.trials.append(trial)
      search.add(trial.outcome)
    }
    record.searches = [.init(search, probeNanoseconds: 1)]
    record.lowerBound = search.lowerBound
    record.upperBound = search.upperBound
    return record
  }

  @Test("a healthy pair is measured, and neither side is blamed", arguments: 1...3)
  func healthy(seed: UInt64) throws {
    let capacity = Self.capacity(nil, seed: seed)
    #expect(CapacityVerdict(capacity).verdict == .pass)
    #expect(CapacityVerdict(capacity).reasons.isEmpty)
    #expect(abs(try #require(capacity.lowerBound) - PlantedPair.capacity) <= 20)
  }

  private static let ofGenerator: [PlantedPair.Fault] = [
    .slowGenerator(60), .slowGenerator(150), .slowGenerator(250), .slowGenerator(350),
    .pausedGenerator(0.03), .pausedGenerator(0.1), .pausedGenerator(0.4),
    .robbedGenerator(0.06), .robbedGenerator(0.2), .robbedGenerator(0.5),
  ]

  @Test("a shortage of the generator makes a plan invalid and is named", arguments: ofGenerator)
  func generator(fault: PlantedPair.Fault) throws {
    let capacity = Self.capacity(fault, seed: 1)
    let judged = CapacityVerdict(capacity)
    #expect(judged.verdict == .invalid)
    let worst = try #require(
      capacity.trials.filter { $0.invalid != nil }.max { $0.load < $1.load })
    #expect(worst.limitedBy == fault.resource, "\(worst.invalid ?? "")")
    #expect(judged.reasons.first?.contains(try #require(worst.invalid)) == true)
  }

  private static let ofCollector: [PlantedPair.Fault] = [
    .slowCollector(0.9), .slowCollector(0.5), .slowCollector(0.1),
    .stalledCollector(seconds: 0.4, every: 2), .stalledCollector(seconds: 1.4, every: 5),
    .refusing(0.05, above: 200), .refusing(0.5, above: 300), .losing(0.02), .losing(0.3),
    .slowDisk(0.06),
  ]

  @Test("a shortage of the collector lowers its capacity, and the plan stays valid")
  func collector() throws {
    let healthy = try #require(Self.capacity(nil, seed: 1).lowerBound)
    for fault in Self.ofCollector {
      let capacity = Self.capacity(fault, seed: 1)
      #expect(CapacityVerdict(capacity).verdict != .invalid, "\(fault)")
      #expect((capacity.lowerBound ?? 0) < 0.95 * healthy, "\(fault)")
      #expect(capacity.trials.allSatisfy { $0.invalid == nil }, "\(fault)")
    }
  }
}
