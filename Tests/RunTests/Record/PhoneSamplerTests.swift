import Figures
import Fleet
import Phone
import ServerLogic
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

  // MARK: A page

  private final class NoUplink: Uplink {
    func submit(_ events: [EventOrder]) {}
    func submit(_ orders: [UploadOrder], fixes: [Fix], shard: Int) {}
  }

  /// A live fleet of 200 phones after its warm start, without answers to its uploads.
  private static func live(_ plan: RunPlan) -> LiveFleet {
    let scenario = plan.scenario
    let fleet = PhoneFleet(scenario, threads: 2)
    let birth = scenario.start - scenario.warmStart
    var time = VirtualTime(fleet: fleet, backend: VirtualTime.newBackend(for: fleet, at: birth))
    time.advance(until: scenario.start)
    _ = fleet.startCounting(after: time.backend, answers: .fromOutside)
    return LiveFleet(mailbox: FleetMailbox(fleet), uplink: NoUplink())
  }

  private static func go(_ live: LiveFleet, until at: SimInstant) {
    live.tick(before: at)
    live.inTurn { _ in }
  }

  @Test("what a page is shown is the sample, instant by instant, and glances between")
  func page() throws {
    var plan = Self.plan
    plan.isWatched = { true }
    let live = Self.live(plan)
    let sampler = try #require(PhoneSampler(plan, live.fleet))
    let scenario = plan.scenario
    guard case .began(let first, _)? = sampler.look(live, at: scenario.start + .seconds(7)) else {
      Issue.record("the first look shows the phones")
      return
    }
    #expect(first.damage == nil && first.phones.count == 200 && first.days.count == 60)
    // Although the first look was seconds later.
    #expect(first.instants == [Int(scenario.start.microseconds / 1_000_000)])
    var kept: [PhoneFrame] = []
    var passing = 0
    var now = scenario.start
    while now < scenario.measureEnd {
      now += .seconds(60)
      Self.go(live, until: now)
      switch sampler.look(live, at: now) ?? sampler.glance(live, at: now) {
      case .moved(let frame, isKept: true)?: kept.append(frame)
      case .moved(let frame, isKept: false)?:
        #expect(frame.number == kept.count + 1 && frame.rests == [])
        passing += 1
      case .began?, .ended?, nil: Issue.record("each minute shows something")
      }
    }
    live.stop(at: scenario.measureEnd)
    let sample = sampler.sample()
    let frames = try #require(sample.frames)
    #expect(kept.count == PhoneSampler.instantsMax - 1 && passing > 60)
    #expect(kept.map(\.changed) == frames.others.map(\.changed))
    #expect(kept.map(\.at) == frames.others.map(\.at))
    // A place of rest is told once: at first, or when it is new.
    for i in sample.phones.indices {
      let new = kept.flatMap { frame in
        stride(from: 0, to: frame.rests.count, by: 3).filter { frame.rests[$0] == i }
          .flatMap { frame.rests[$0 + 1...$0 + 2] }
      }
      #expect(first.rests[i] + new == sample.rests[i])
    }
  }

  @Test("the day of a phone while the run goes on is the beginning of its whole day")
  func dayOnPage() throws {
    var plan = Self.plan
    plan.isWatched = { true }
    let live = Self.live(plan)
    let sampler = try #require(PhoneSampler(plan, live.fleet))
    let scenario = plan.scenario
    guard case .began(let first, let day)? = sampler.look(live, at: scenario.start) else {
      Issue.record("the first look shows the phones")
      return
    }
    let half = scenario.start + .hours(1)
    Self.go(live, until: half)
    let followed = first.days.map(\.phone)
    let early = followed.compactMap { day($0) }
    let strange = Set(0..<200).subtracting(followed)
    #expect(early.count == 60 && strange.allSatisfy { day($0) == nil } && day(-1) == nil)
    Self.go(live, until: scenario.measureEnd)
    var lines = 0
    for before in early {
      let after = try #require(day(before.phone))
      lines += before.lines.count
      #expect(before.introduction == after.introduction && before.lines.count <= after.lines.count)
      #expect(zip(before.times, after.times).allSatisfy { $0 == $1 })
      // How long the present way lasts, and how many fixes are dropped, is not known yet.
      let differing = zip(before.lines, after.lines).filter { $0 != $1 }.map(\.0)
      #expect(differing.allSatisfy { $0.contains("truth") || $0.contains("dropped") })
      #expect(differing.count <= 2)
      let ends = stride(from: 0, to: before.way.count, by: 3).reduce(0) { $0 + before.way[$1] }
      #expect(ends <= 3_600)
    }
    #expect(lines > 300)
  }

  @Test("without a page nothing is shown, and without a browser no glance is taken")
  func unwatched() throws {
    for hasPage in [false, true] {
      var plan = Self.plan
      if hasPage { plan.isWatched = { false } }
      let live = Self.live(plan)
      let sampler = try #require(PhoneSampler(plan, live.fleet))
      let start = plan.scenario.start
      #expect((sampler.look(live, at: start) != nil) == hasPage)
      Self.go(live, until: start + .seconds(60))
      #expect(sampler.glance(live, at: start + .seconds(60)) == nil)
      #expect((sampler.look(live, at: start + .minutes(5)) != nil) == hasPage)
    }
  }
}
