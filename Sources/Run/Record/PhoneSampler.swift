internal import Core
internal import Figures
internal import Fleet
internal import Foundation
internal import Scenarios

/// Samples some phones of a run at some instants, and traces a few of them, for `phones.json`. Used
/// by the thread that runs the fleet.
final class PhoneSampler {
  static let phonesMax = 2_000
  static let instantsMax = 48
  /// The maximum number of traced phones; the days of `daysMax` of them are kept.
  static let followedMax = 60
  static let daysMax = 40
  /// The maximum number of entries of a phone's day, about 0.5 MB. A longer day is cut.
  static let entriesMax = 4_000

  private(set) var next: SimInstant

  private let scenario: Scenario
  private let context: FleetContext
  private let numbers: [Int]
  private let traces: [PhoneTrace]
  private let begin: SimInstant
  private let base: [Int]
  private let fresh: SimDuration
  private var instants: [SimInstant] = []
  // The states of all phones at the first instant, then at the second, and so on.
  private var looks: [Look] = []
  private var rests: [[Coordinate]]
  private let isWatched: (@Sendable () -> Bool)?

  private struct Look: Equatable {
    var place: Coordinate
    var newest: Int32
    var state: UInt8
  }

  /// Returns nil if this process does not have the whole fleet, or if the plan traces a phone.
  init?(_ plan: RunPlan, _ fleet: PhoneFleet) {
    guard plan.hasMap else { return nil }
    scenario = plan.scenario
    context = fleet.context
    isWatched = plan.isWatched
    numbers = Self.evenly(Self.phonesMax, of: fleet.phones.count)
    traces = Self.evenly(Self.followedMax, of: numbers.count).map { [numbers] in
      PhoneTrace(phone: PhoneID(rawValue: UInt32(numbers[$0])), entriesMax: Self.entriesMax)
    }
    begin = fleet.horizon
    next = begin
    let centre = scenario.projection.coordinate(of: PlanePoint(x: 0, y: 0))
    base = [Int(centre.latitudeE6), Int(centre.longitudeE6)]
    fresh = FleetMetrics(scenario).freshness.limit
    rests = numbers.map { _ in [] }
    fleet.follow(traces)
  }

  /// Returns all of `0..<count`, or `most` of these numbers at equal distances.
  static func evenly(_ most: Int, of count: Int) -> [Int] {
    count <= most ? Array(0..<count) : (0..<most).map { $0 * count / most }
  }

  func look(_ fleet: PhoneFleet, at now: SimInstant) {
    guard isDue(now) else { return }
    var all: [PhoneSighting] = []
    fleet.inOrder { all += $0.sightings(of: numbers) }
    keep(all, at: now)
  }

  /// Samples the fleet if a sample is due. Returns the change for a live page, if there is one.
  func look(_ fleet: LiveFleet, at now: SimInstant) -> PhoneProgress? {
    guard isDue(now) else { return nil }
    let frame = keep(sightings(fleet), at: now)
    guard isWatched != nil else { return nil }
    return instants.count == 1 ? .began(first, day: day(fleet)) : .moved(frame, isKept: true)
  }

  /// Returns the phones' current states without keeping them; nil if no page is open.
  func glance(_ fleet: LiveFleet, at now: SimInstant) -> PhoneProgress? {
    guard let last = instants.last, last < now, isWatched?() == true else { return nil }
    return .moved(frame(sightings(fleet).map { look($0, at: now) }, at: now), isKept: false)
  }

  private func sightings(_ fleet: LiveFleet) -> [PhoneSighting] {
    var all: [PhoneSighting] = []
    fleet.inTurn { all += $0.sightings(of: numbers) }
    return all
  }

  private func isDue(_ now: SimInstant) -> Bool {
    now >= next && instants.last.map { $0 < now } ?? true
  }

  @discardableResult
  private func keep(_ sightings: [PhoneSighting], at now: SimInstant) -> PhoneFrame {
    let step = (scenario.measureEnd - begin).microseconds / Int64(Self.instantsMax - 1)
    while next <= now { next += .microseconds(max(1, step)) }
    // The last instant is exactly the end of the measured time, despite rounding.
    if next < scenario.measureEnd, next + .microseconds(step / 2) > scenario.measureEnd {
      next = scenario.measureEnd
    }
    let seen = sightings.map { look($0, at: now) }
    var frame = frame(seen, at: now)
    for (i, phone) in sightings.enumerated() {
      guard let rest = phone.rest, !rests[i].contains(rest) else { continue }
      rests[i].append(rest)
      if isWatched != nil, !instants.isEmpty, !known(i).contains(rest) {
        frame.rests += [i] + place(rest)
      }
    }
    // The first instant is `begin`, from which the times of a sample are counted.
    instants.append(instants.isEmpty ? begin : now)
    looks += seen
    return frame
  }

  private func look(_ phone: PhoneSighting, at now: SimInstant) -> Look {
    Look(
      place: phone.place,
      newest: phone.newest.map { Int32(clamping: Int(($0 - begin).seconds.rounded(.down))) }
        ?? Int32(PhoneSample.never),
      state: UInt8(Self.state(phone, at: now, freshFor: fresh)))
  }

  /// Returns the phones whose state differs from the last kept instant.
  private func frame(_ seen: [Look], at now: SimInstant) -> PhoneFrame {
    var frame = PhoneFrame(number: instants.count, at: Int(now.microseconds / 1_000_000))
    let before = looks.suffix(seen.count)
    for (i, (look, last)) in zip(seen, before).enumerated() where look != last {
      frame.append(
        i, place: place(look.place), state: Int(look.state), newest: Int(look.newest))
    }
    return frame
  }

  /// A newest fix of up to twice the fresh age is ageing, unless the phone is off or has no app.
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

  /// Returns the whole sample. The fleet must have stopped.
  func sample() -> PhoneSample {
    var sample = soFar
    sample.days = chosen(sample).map { trace in
      PhoneStory(scenario, context, trace, from: begin).day(base: sample.base)
    }
    sample.fit()
    return sample
  }

  private var first: PhoneSample {
    var sample = soFar
    sample.days = traces.map { PhoneSample.Day(phone: Int($0.phone.rawValue), introduction: "") }
    return sample
  }

  /// Returns the function that reads a phone's day up to its last tick; nil for untraced phones.
  private func day(_ fleet: LiveFleet) -> @Sendable (Int) -> PhoneSample.Day? {
    let followed = Dictionary(uniqueKeysWithValues: traces.map { (Int($0.phone.rawValue), $0) })
    return { [scenario, context, begin, base] number in
      guard let trace = followed[number] else { return nil }
      let (copy, now) = fleet.onShard(of: number) { (trace.copy, $0.horizon) }
      return PhoneStory(scenario, context, copy, from: begin, until: now).day(base: base)
    }
  }

  private func place(_ coordinate: Coordinate) -> [Int] {
    [Int(coordinate.latitudeE6) - base[0], Int(coordinate.longitudeE6) - base[1]]
  }

  private func known(_ i: Int) -> [Coordinate] {
    let people = context.homeAndWork(of: PhoneID(rawValue: UInt32(numbers[i])))
    return [people?.home, people?.work].compactMap(\.self)
  }

  /// The sample so far, without the days of phones.
  private var soFar: PhoneSample {
    var sample = PhoneSample()
    sample.base = base
    sample.freshSeconds = Int(fresh.seconds)
    sample.cohorts = scenario.fleet.cohorts.map(\.name)
    sample.systems = scenario.fleet.cohorts.map(\.os.value.system.kind.rawValue)
    sample.instants = instants.map { Int($0.microseconds / 1_000_000) }
    sample.phones = numbers
    for (i, number) in numbers.enumerated() {
      func steps(_ width: Int, _ value: (_ look: Look, _ column: Int) -> Int) -> [Int] {
        PhoneSample.steps(instants.count, width: width) { value(looks[$0 * numbers.count + i], $1) }
      }
      let people = context.homeAndWork(of: PhoneID(rawValue: UInt32(number)))
      let known = known(i)
      sample.cohort.append(context.cohort(of: number))
      sample.home.append(people.map { place($0.home) } ?? [])
      sample.work.append(people?.work.map { place($0) } ?? [])
      sample.rests.append(rests[i].filter { !known.contains($0) }.flatMap { place($0) })
      sample.places.append(
        steps(2) { look, column in
          column == 0
            ? Int(look.place.latitudeE6) - base[0] : Int(look.place.longitudeE6) - base[1]
        })
      sample.newest.append(steps(1) { look, _ in Int(look.newest) })
      sample.state.append(steps(1) { look, _ in Int(look.state) })
    }
    return sample
  }

  /// Returns `daysMax` traced phones, those that add the most new states and cohorts first.
  private func chosen(_ sample: PhoneSample) -> [PhoneTrace] {
    let followed = Self.evenly(Self.followedMax, of: numbers.count)
    var left = zip(traces, followed).map { trace, i in
      let seen = instants.indices.map { Int(looks[$0 * numbers.count + i].state) }
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
