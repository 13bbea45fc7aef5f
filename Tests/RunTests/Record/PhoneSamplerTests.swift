import Figures
import Fleet
import TestSupport
import Testing
import Uploads

@testable import Core
@testable import Run
@testable import Scenarios
@testable import RunSupport

@Suite("Phones of a run, for its map", .quick)
struct PhoneSamplerTests {
  private static func run(_ plan: RunPlan, samples: Bool = true) -> RunOutcome {
    var simulation = Simulation(plan)
    simulation.samplesPhones = samples
    return simulation.run(progress: { _ in }, shouldStop: { false })
  }

  private static let plan = RunPlan.twoHours()
  private static let outcome = run(plan)

  @Test("all phones are taken up to 2,000, and then as many evenly over their numbers")
  func evenly() {
    #expect(PhoneSampler.evenly(2_000, of: 3) == [0, 1, 2])
    let numbers = PhoneSampler.evenly(2_000, of: 5_001)
    #expect(numbers.count == 2_000 && Set(numbers).count == 2_000)
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { (2...3).contains($1 - $0) })
  }

  @Test("a sample is the same for any number of threads, and changes nothing in the run")
  func same() throws {
    let sample = try #require(Self.outcome.phones)
    #expect(Self.run(.twoHours(threads: 5)).phones == sample)
    let without = Self.run(Self.plan, samples: false)
    #expect(without.phones == nil)
    #expect(without.record.digest == Self.outcome.record.digest)
    #expect(try without.recordText() == Self.outcome.recordText())
  }

  @Test("it looks evenly from the start to the end of what is measured")
  func instants() throws {
    let sample = try #require(Self.outcome.phones)
    let scenario = Self.plan.scenario
    #expect(sample.damage == nil && sample.phones == Array(0..<200))
    #expect(sample.instants.count == PhoneSampler.instantsMax)
    #expect(sample.instants.first == Int(scenario.start.microseconds / 1_000_000))
    #expect(sample.instants.last == Int(scenario.measureEnd.microseconds / 1_000_000))
    let gaps = zip(sample.instants, sample.instants.dropFirst()).map { $1 - $0 }
    // The fleet is looked at when a sweep of the server ends, which is each minute.
    #expect(gaps.allSatisfy { (60...240).contains($0) }, "\(gaps)")
  }

  @Test("a phone is fresh if its newest position is young enough, and at home where it lives")
  func states() throws {
    let sample = try #require(Self.outcome.phones)
    var (fresh, homes) = (0, 0)
    for i in sample.phones.indices {
      let count = sample.instants.count
      let states = try #require(PhoneSample.rows(sample.state[i], width: 1, count: count))
      let newest = try #require(PhoneSample.rows(sample.newest[i], width: 1, count: count))
      let places = try #require(PhoneSample.rows(sample.places[i], width: 2, count: count))
      for n in 0..<count {
        let age = sample.instants[n] - sample.instants[0] - newest[n]
        let isFresh = states[n] == PhoneSample.fresh
        // Both are rounded to seconds.
        if abs(age - sample.freshSeconds) > 1 { #expect(isFresh == (age < sample.freshSeconds)) }
        if isFresh { fresh += 1 }
        if Array(places[2 * n...2 * n + 1]) == sample.home[i] { homes += 1 }
      }
    }
    #expect(fresh > 1_000 && homes > 1_000)
  }

  @Test("the day of a phone is what explain says of it from the start on")
  func days() throws {
    let sample = try #require(Self.outcome.phones)
    #expect(sample.days.count == PhoneSampler.daysMax)
    for day in sample.days.prefix(4) {
      let told = PhoneStory(
        Self.plan, phone: PhoneID(rawValue: UInt32(day.phone)), progress: { _ in },
        shouldStop: { false })
      let lines = told.lines
      let start = try #require(lines.lastIndex { $0.contains("warm start over") })
      #expect(day.introduction == lines[0])
      // The date of its first line stands earlier in the other.
      #expect(Array(day.lines.dropFirst()) == Array(lines[(start + 1)...]))
      let alone = told.sample
      #expect(alone.damage == nil && alone.days[0].lines == Array(lines.dropFirst()))
      #expect(alone.days[0].way.count > 3)
    }
  }

  @Test("the days shown have every state and cohort that the followed phones have")
  func represented() throws {
    let sample = try #require(Self.outcome.phones)
    func seen(_ phones: [Int]) throws -> Set<Int> {
      try phones.reduce(into: []) { seen, i in
        let rows = try #require(
          PhoneSample.rows(sample.state[i], width: 1, count: sample.instants.count))
        seen.formUnion(rows)
      }
    }
    let followed = PhoneSampler.evenly(PhoneSampler.followedMax, of: sample.phones.count)
    #expect(try seen(sample.days.map(\.phone)) == seen(followed))
  }

  @Test("a long day is cut, and says so")
  func cut() {
    let trace = PhoneTrace(phone: PhoneID(rawValue: 3), entriesMax: 5)
    var plan = Self.plan
    plan.trace = trace
    _ = Self.run(plan)
    #expect(trace.entries.count == 5 && trace.isCut)
  }

  @Test("a part of a fleet has no sample")
  func part() {
    var plan = Self.plan
    plan.shard = RunPart(SharePlace(number: 0, of: 2))
    let part = Self.run(plan)
    #expect(part.phones == nil && part.account?.phones == 0..<100)
  }
}
