internal import Core
internal import Scenarios

/// One person's agenda from 04:00 to 04:00: the day's legs with their destinations, home last. An
/// empty agenda is a day at home. Agendas are recomputed from keyed draws, never stored.
struct DayPlan: BitwiseCopyable {
  struct Visit: BitwiseCopyable {
    var place: UInt16 = 0
    var mode = TravelMode.walk
    var departure = SimInstant(microseconds: 0)
    var arrival = SimInstant(microseconds: 0)
  }

  static let visitsMax = 14

  private(set) var count = 0
  private var visits = InlineArray<14, Visit>(repeating: Visit())

  subscript(_ i: Int) -> Visit { visits[i] }

  var departure: SimInstant { visits[0].departure }
  var homecoming: SimInstant { visits[count - 1].arrival }

  mutating func append(_ visit: Visit) {
    precondition(count < Self.visitsMax, "a day has at most \(Self.visitsMax) legs")
    visits[count] = visit
    count += 1
  }
}

/// Plans a day: draws the person's intentions, simulates the day with real travel times, and drops
/// what no longer fits.
struct DayPlanner {
  private let life: Life
  private let day: Int32
  private var draw: Draw
  private(set) var plan = DayPlan()
  private var place = Person.home
  private var here: PlanePoint
  /// The beginning of the current stay, or 04:00 for the day's first stay.
  private var since: SimInstant
  private var homeBy: SimInstant
  private let attendance: Attendance?

  init(life: Life, day: Int32) {
    self.life = life
    self.day = day
    draw = Draw(
      seed: life.person.seed, phone: life.person.phone, .day, Int64(day))
    here = life.person.home
    since = life.town.clock.instant(of: day, at: Life.dayBorder)
    homeBy = since
    attendance = life.attendance(on: day)
    let outings = life.town.people.outings
    homeBy = hour(min(max(draw.normal() * outings.bedtimeDeviation + outings.bedtime, 20), 25))
    if let attendance { homeBy = min(homeBy, leavesForEvent(attendance) - .minutes(15)) }
  }

  /// TZ1: Returns the instant of an hour of the civil clock, which people follow.
  private func hour(_ h: Double) -> SimInstant {
    life.town.clock.instant(of: day, at: SimDuration(seconds: h * 3_600))
  }

  static func plan(_ life: Life, day: Int32) -> DayPlan {
    var planner = DayPlanner(life: life, day: day)
    let isWeekend = life.town.clock.weekday(of: day) >= 5
    let work = life.town.people.work
    let worksToday =
      switch life.person.kind {
      case .commuter, .cyclist, .spectator:
        planner.draw.chance(isWeekend ? work.weekend : work.weekday)
      case .homebody: false
      }
    if worksToday {
      planner.workDay(isWeekend)
    } else if !planner.draw.chance(life.town.people.outings.staysHome) {
      planner.freeDay(isWeekend)
    }
    if planner.plan.count > 0 { planner.stroll(isWeekend) }
    if let attendance = planner.attendance { planner.attend(attendance) }
    return planner.plan
  }

  // MARK: Kinds of day

  /// Plans a day at work, at times with a midday break, errands after work or an evening out.
  private mutating func workDay(_ isWeekend: Bool) {
    let person = life.person
    let habits = life.town.people.work
    let usual = habits.leaves.hour(person.leavesAfter) + draw.normal() * habits.punctuality
    let start = min(max(usual, 4.1), 20.5)
    // A late start means a late return.
    let isLate = start > 10
    if isLate, attendance == nil { homeBy = hour(27) }
    // A person who would have to leave work again at once has taken the day off.
    if attendance != nil, hour(start) + .hours(3) > homeBy { return }
    go(to: Person.work, person.commuteMode, at: hour(start))
    var hours = min(max(habits.length + habits.lengthDeviation * draw.normal(), 4), 11)
    if attendance != nil { hours = min(hours, max(1, (homeBy - since).seconds / 3_600 - 1)) }
    var leaves = since + SimDuration(seconds: hours * 3_600)
    if draw.chance(isLate ? 0 : habits.lunch) {
      let pause = since + SimDuration(seconds: hours * 3_600 * draw.uniform(0.4, 0.55))
      go(to: Person.firstLunchPlace + UInt16(draw.uniform() * 4), .walk, at: pause)
      go(to: Person.work, .walk, at: since + SimDuration(seconds: habits.lunchStay.value(&draw)))
      leaves = max(leaves, since + .minutes(30))
    }
    leaves = max(
      min(leaves, homeBy - lengthOfLeg(to: Person.home, person.commuteMode)), since + .minutes(30))
    for _ in 0..<habits.errandsAfter.index(draw.uniform()) {
      let before = plan.count
      errand(at: leaves, mode: person.commuteMode)
      if plan.count == before { break }
      leaves = stayEnd(isWeekend, home: person.commuteMode)
    }
    go(to: Person.home, person.commuteMode, at: leaves)
    if draw.chance(habits.eveningOut) { tour(1, isWeekend) }
  }

  private mutating func freeDay(_ isWeekend: Bool) {
    let tours = life.town.people.outings.tours.index(draw.uniform()) + 1
    for left in stride(from: tours, to: 0, by: -1) { tour(left, isWeekend) }
  }

  /// Adds a walk without a destination: to one of the person's usual turning points and back, after
  /// the day's trips. The walk has its own draws, so that the other trips do not depend on it.
  private mutating func stroll(_ isWeekend: Bool) {
    var draw = Draw(
      seed: life.person.seed, phone: life.person.phone, .stroll, Int64(day))
    let (outings, outside) = (life.town.people.outings, life.town.people.outside)
    guard draw.chance(outside.walks), place == Person.home, plan.count <= DayPlan.visitsMax - 4
    else { return }
    let earliest = life.town.clock.time(at: since + outings.pause, since: day).seconds / 3_600
    let starts = isWeekend ? outings.weekendStarts : outings.weekdayStarts
    guard let start = starts.first(of: 1, after: earliest, draw.uniform()) else { return }
    let turn = Person.firstTurn + UInt16(draw.uniform() * Person.turns)
    let there = life.place(turn)
    let leaves = max(hour(start), since + .minutes(1))
    let out = duration(from: (place, here), to: (turn, there), .walk, number: plan.count)
    let back = duration(from: (turn, there), to: (place, here), .walk, number: plan.count + 1)
    guard leaves + out + back + .minutes(1) <= homeBy else { return }
    append(turn, at: there, .walk, leaves: leaves, takes: out)
    go(to: Person.home, .walk, at: since)
  }

  private mutating func attend(_ attendance: Attendance) {
    let mode = eventMode
    let departure = max(leavesForEvent(attendance), since + .seconds(1))
    let way = eventLeg(from: Person.home, to: Person.venue, number: plan.count)
    // A person who comes home from work too late for the event stays at home.
    guard place == Person.home, departure + way < attendance.leaves else { return }
    go(to: Person.venue, mode, at: departure)
    let back = lengthOfLeg(to: Person.home, mode)
    // The day ends at home, regardless of the distance.
    go(to: Person.home, mode, at: min(attendance.leaves, hour(28) - back - .minutes(1)))
  }

  private var eventMode: TravelMode {
    life.person.mode(
      straight: life.person.home.distance(to: life.place(Person.venue)), life.town.people.travel)
  }

  private func leavesForEvent(_ attendance: Attendance) -> SimInstant {
    max(
      attendance.arrives - eventLeg(from: Person.home, to: Person.venue, number: plan.count),
      life.town.clock.instant(of: day, at: Life.dayBorder + .minutes(1)))
  }

  private func eventLeg(from: UInt16, to: UInt16, number: Int) -> SimDuration {
    duration(
      from: (from, life.place(from)), to: (to, life.place(to)), eventMode, number: number)
  }

  // MARK: Steps

  private mutating func tour(_ left: Int, _ isWeekend: Bool) {
    let outings = life.town.people.outings
    let earliest = life.town.clock.time(at: since + outings.pause, since: day).seconds / 3_600
    let starts = isWeekend ? outings.weekendStarts : outings.weekdayStarts
    let errands = outings.errands.index(draw.uniform()) + 1
    guard let start = starts.first(of: left, after: earliest, draw.uniform()) else { return }
    var mode: TravelMode?
    var leaves = max(hour(start), since + .minutes(1))
    for _ in 0..<errands where plan.count < DayPlan.visitsMax - 4 {
      let before = plan.count
      mode = errand(at: leaves, mode: mode)
      if plan.count == before { break }
      leaves = stayEnd(isWeekend, home: mode ?? .walk)
    }
    if let mode, place != Person.home { go(to: Person.home, mode, at: leaves) }
  }

  /// Goes to another place, unless the person could not be home in time.
  @discardableResult
  private mutating func errand(at leaves: SimInstant, mode: TravelMode?) -> TravelMode {
    let target = otherPlace()
    let person = life.person
    let travel = life.town.people.travel
    let there = life.place(target)
    let mode = mode ?? person.mode(straight: here.distance(to: there), travel)
    let limit = mode == .walk ? travel.walkReach : .infinity
    guard target != place, here.distance(to: there) < limit,
      person.home.distance(to: there) < limit
    else { return mode }
    let way = duration(
      from: (place, here), to: (target, there), mode, number: plan.count)
    let back = duration(
      from: (target, there), to: (Person.home, person.home), mode, number: plan.count + 1)
    guard leaves + way + back + .minutes(5) <= homeBy else { return mode }
    append(target, at: there, mode, leaves: leaves, takes: way)
    return mode
  }

  private mutating func stayEnd(_ isWeekend: Bool, home mode: TravelMode) -> SimInstant {
    let outings = life.town.people.outings
    let length = (isWeekend ? outings.weekendStay : outings.weekdayStay).value(&draw)
    let latest = homeBy - lengthOfLeg(to: Person.home, mode)
    return max(min(since + SimDuration(seconds: length), latest), since + .minutes(5))
  }

  /// Draws a place other than home and work. The favourite gets a third of the visits, and the
  /// number of different places visited grows like t^0.6 (Song 2010; STATS).
  private mutating func otherPlace() -> UInt16 {
    let rank = life.town.people.places.rank(draw.uniform())
    return 1 + UInt16(min(max(rank, 1), 50_000))
  }

  private func lengthOfLeg(to target: UInt16, _ mode: TravelMode) -> SimDuration {
    duration(
      from: (place, here), to: (target, life.place(target)), mode, number: plan.count)
  }

  /// Returns a leg's duration, which does not depend on its start. Legs by car or bus to and from
  /// work take longer by the factor `rush`.
  private func duration(
    from: (place: UInt16, point: PlanePoint), to: (place: UInt16, point: PlanePoint),
    _ mode: TravelMode, number: Int
  ) -> SimDuration {
    let people = life.town.people
    let isCommute = max(from.place, to.place) == Person.work
    let sharesRoad =
      switch mode {
      case .car, .bus: isCommute
      case .walk, .bicycle, .tram, .rail: false
      }
    return LegTravel.duration(
      of: life.path(day, number, from: from.point, to: to.point, mode),
      people.travel.traits(mode), delay: sharesRoad ? people.work.rush : 1)
  }

  private mutating func go(to target: UInt16, _ mode: TravelMode, at departure: SimInstant) {
    let there = life.place(target)
    append(
      target, at: there, mode, leaves: max(departure, since + .seconds(1)),
      takes: duration(from: (place, here), to: (target, there), mode, number: plan.count))
  }

  private mutating func append(
    _ target: UInt16, at there: PlanePoint, _ mode: TravelMode, leaves: SimInstant,
    takes duration: SimDuration
  ) {
    plan.append(
      DayPlan.Visit(
        place: target, mode: mode, departure: leaves, arrival: leaves + duration))
    place = target
    here = there
    since = leaves + duration
  }
}
