internal import Core
internal import Figures
internal import Fleet
internal import Foundation
internal import Scenarios

/// Looks at some phones of a run at some instants, and follows a few of them: `phones.json`. Used
/// by the thread that runs the fleet.
final class PhoneSampler {
  static let phonesMax = 2_000
  static let instantsMax = 48
  /// The days of `daysMax` of these are kept, which have the most states between them.
  static let followedMax = 60
  static let daysMax = 40
  /// About 0.5 MB a phone: a longer day is cut.
  static let entriesMax = 4_000

  /// The instant from which on to look again.
  private(set) var next: SimInstant

  private let scenario: Scenario
  private let context: FleetContext
  private let numbers: [Int]
  private let traces: [PhoneTrace]
  private let begin: SimInstant
  private let fresh: SimDuration
  private var instants: [SimInstant] = []
  // One after the other, all phones at the first instant, at the second, and so on.
  private var places: [Coordinate] = []
  private var newest: [Int32] = []
  private var states: [UInt8] = []
  private var rests: [[Coordinate]]

  /// nil if this process does not have the whole fleet, or another study traces it.
  init?(_ plan: RunPlan, _ fleet: PhoneFleet) {
    guard fleet.phones == 0..<plan.scenario.fleet.phones, plan.trace == nil else { return nil }
    scenario = plan.scenario
    context = fleet.context
    numbers = Self.evenly(Self.phonesMax, of: fleet.phones.count)
    traces = Self.evenly(Self.followedMax, of: numbers.count).map { [numbers] in
      PhoneTrace(phone: PhoneID(rawValue: UInt32(numbers[$0])), entriesMax: Self.entriesMax)
    }
    begin = fleet.horizon
    next = begin
    fresh = FleetMetrics(scenario).freshness.limit
    rests = numbers.map { _ in [] }
    fleet.follow(traces)
  }

  /// All of `0..<count`, or `most` of them.
  static func evenly(_ most: Int, of count: Int) -> [Int] {
    count <= most ? Array(0..<count) : (0..<most).map { $0 * count / most }
  }

  func look(_ fleet: PhoneFleet, at now: SimInstant) {
    look(at: now) { numbers in
      var all: [PhoneSighting] = []
      fleet.inOrder { all += $0.sightings(of: numbers) }
      return all
    }
  }

  func look(_ fleet: LiveFleet, at now: SimInstant) {
    look(at: now) { numbers in
      var all: [PhoneSighting] = []
      fleet.inTurn { all += $0.sightings(of: numbers) }
      return all
    }
  }

  private func look(at now: SimInstant, _ sightings: ([Int]) -> [PhoneSighting]) {
    guard now >= next, instants.last.map({ $0 < now }) ?? true else { return }
    let step = (scenario.measureEnd - begin).microseconds / Int64(Self.instantsMax - 1)
    while next <= now { next += .microseconds(max(1, step)) }
    // The last one is the end itself, whatever the rounding.
    if next < scenario.measureEnd, next + .microseconds(step / 2) > scenario.measureEnd {
      next = scenario.measureEnd
    }
    instants.append(now)
    for (i, phone) in sightings(numbers).enumerated() {
      places.append(phone.place)
      if let rest = phone.rest, !rests[i].contains(rest) { rests[i].append(rest) }
      newest.append(
        phone.newest.map { Int32(clamping: Int(($0 - begin).seconds.rounded(.down))) }
          ?? Int32(PhoneSample.never))
      states.append(UInt8(Self.state(phone, at: now, freshFor: fresh)))
    }
  }

  /// A phone whose position is up to twice as old as fresh ones is ageing, unless it is off or has
  /// no app.
  static func state(_ phone: PhoneSighting, at now: SimInstant, freshFor fresh: SimDuration) -> Int
  {
    let age = phone.newest.map { now - $0 }
    if let age, age <= fresh { return PhoneSample.fresh }
    let cause = PhoneSample.ageing + 1 + phone.cause.slot
    switch phone.cause {
    case .switchedOff, .batteryEmpty, .reinstalled: return cause
    case .noPermission, .forceQuit, .policySilent, .inOutbox, .offline, .pushGate, .server,
      .noPosition, .beforeFirstUnlock, .endedForMemory, .updated, .waitingForWifi, .preciseOff:
      if let age, age <= fresh + fresh { return PhoneSample.ageing }
      return cause
    }
  }

  // MARK: The sample

  /// Call it when the fleet has stopped.
  func sample() -> PhoneSample {
    var sample = PhoneSample()
    let centre = scenario.projection.coordinate(of: PlanePoint(x: 0, y: 0))
    sample.base = [Int(centre.latitudeE6), Int(centre.longitudeE6)]
    sample.freshSeconds = Int(fresh.seconds)
    sample.cohorts = scenario.fleet.cohorts.map(\.name)
    sample.instants = instants.map { Int($0.microseconds / 1_000_000) }
    sample.phones = numbers
    for (i, number) in numbers.enumerated() {
      func steps(_ width: Int, _ value: (_ look: Int, _ column: Int) -> Int) -> [Int] {
        PhoneSample.steps(instants.count, width: width) { value($0 * numbers.count + i, $1) }
      }
      let people = context.homeAndWork(of: PhoneID(rawValue: UInt32(number)))
      let known = [people?.home, people?.work].compactMap(\.self)
      sample.cohort.append(context.cohort(of: number))
      sample.home.append(people.map { sample.place($0.home) } ?? [])
      sample.work.append(people?.work.map { sample.place($0) } ?? [])
      sample.rests.append(rests[i].filter { !known.contains($0) }.flatMap { sample.place($0) })
      sample.places.append(
        steps(2) { look, column in
          column == 0
            ? Int(places[look].latitudeE6) - sample.base[0]
            : Int(places[look].longitudeE6) - sample.base[1]
        })
      sample.newest.append(steps(1) { look, _ in Int(newest[look]) })
      sample.state.append(steps(1) { look, _ in Int(states[look]) })
    }
    sample.days = chosen(sample).map { trace in
      PhoneStory(scenario, context, trace, from: begin).day(base: sample.base)
    }
    sample.fit()
    return sample
  }

  /// The followed phones that add most states and cohorts come first.
  private func chosen(_ sample: PhoneSample) -> [PhoneTrace] {
    let followed = Self.evenly(Self.followedMax, of: numbers.count)
    var left = zip(traces, followed).map { trace, i in
      let seen = instants.indices.map { Int(states[$0 * numbers.count + i]) }
      return (trace: trace, has: Set(seen + [-1 - sample.cohort[i]]))
    }
    var have: Set<Int> = []
    var chosen: [PhoneTrace] = []
    while chosen.count < Self.daysMax {
      let best = left.indices.max { a, b in
        (left[a].has.subtracting(have).count, b) < (left[b].has.subtracting(have).count, a)
      }
      guard let best else { break }
      have.formUnion(left[best].has)
      chosen.append(left.remove(at: best).trace)
    }
    return chosen
  }
}

extension PhoneSample {
  fileprivate func place(_ coordinate: Coordinate) -> [Int] {
    [Int(coordinate.latitudeE6) - base[0], Int(coordinate.longitudeE6) - base[1]]
  }
}
