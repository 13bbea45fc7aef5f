internal import SimulationCore

/// One person's agenda from 04:00 to 04:00: the visits outside home, each with the leg to it.
///
/// Recomputed from keyed draws whenever somebody asks, never stored: a day costs about a
/// microsecond, a million phones' days would cost gigabytes. Empty: the person stays at home.
struct DayPlan: BitwiseCopyable {
  struct Visit: BitwiseCopyable {
    var place: UInt16 = 0
    var mode = TravelMode.walk
    var departure = SimInstant(microseconds: 0)
    var arrival = SimInstant(microseconds: 0)
  }

  /// The busiest day: work, a break, something after work, an evening out; or two tours of four.
  static let visitsMax = 12

  private(set) var count = 0
  private var visits = InlineArray<12, Visit>(repeating: Visit())

  subscript(_ i: Int) -> Visit { visits[i] }

  var departure: SimInstant { visits[0].departure }
  /// The last visit is always home.
  var homecoming: SimInstant { visits[count - 1].arrival }

  mutating func append(_ visit: Visit) {
    precondition(count < Self.visitsMax, "a day has at most \(Self.visitsMax) legs")
    visits[count] = visit
    count += 1
  }
}

/// Makes a day plan: draws what the person means to do, then walks through the day with the real
/// travel times and lets go of what no longer fits.
struct DayPlanner {
  private let life: Life
  private let day: Int32
  private let midnight: SimInstant
  private var draw: Draw
  private(set) var plan = DayPlan()
  private var place = Person.home
  /// Where `place` is.
  private var here: PlanePoint
  /// When the current stay began; the day's first stay began in the night.
  private var since: SimInstant
  /// The person means to be home by then.
  private var homeBy: SimInstant

  init(life: Life, day: Int32) {
    self.life = life
    self.day = day
    midnight = life.town.clock.midnight(of: day)
    draw = Draw(
      seed: life.person.seed, phone: life.person.phone, .day, Int64(day))
    here = life.person.home
    since = midnight + Life.dayBorder
    homeBy = midnight
    let bedtime = min(max(draw.normal() * 0.8 + 22.6, 20.5), 25)
    homeBy = hour(bedtime)
  }

  private func hour(_ h: Double) -> SimInstant { midnight + SimDuration(seconds: h * 3_600) }

  static func plan(_ life: Life, day: Int32) -> DayPlan {
    var planner = DayPlanner(life: life, day: day)
    let isWeekend = life.town.clock.weekday(of: day) >= 5
    let habits = Habits(life.person.kind, isWeekend: isWeekend)
    if planner.draw.chance(habits.works) {
      planner.workDay(habits)
    } else if !planner.draw.chance(habits.staysHome) {
      planner.freeDay(habits)
    }
    return planner.plan
  }

  // MARK: Kinds of day

  /// home–work–home, home–work–x–home, with a break at midday and an evening out now and then.
  private mutating func workDay(_ habits: Habits) {
    let person = life.person
    let start =
      person.shiftStart.map { $0 + draw.normal() * 0.25 }
      ?? min(max(7.833 + draw.normal() * 1.1667, 4.6), 13)
    // Whoever starts late comes home late, and has no break so long that it ends after 04:00.
    let isLate = start > 9.5
    if isLate { homeBy = hour(27) }
    go(to: Person.work, person.commuteMode, at: hour(start))
    let hours = min(max(8 + 1.2 * draw.normal(), 4), 11)
    var leaves = since + SimDuration(seconds: hours * 3_600)
    if draw.chance(isLate ? 0 : habits.lunch) {
      let pause = since + SimDuration(seconds: hours * 3_600 * draw.uniform(0.4, 0.55))
      go(to: Person.firstLunchPlace + UInt16(draw.uniform() * 4), .walk, at: pause)
      let rest = draw.logNormal(median: 1_800, sigma: 0.35)
      go(to: Person.work, .walk, at: since + SimDuration(seconds: min(rest, 5_400)))
      leaves = max(leaves, since + .minutes(30))
    }
    leaves = max(
      min(leaves, homeBy - lengthOfLeg(to: Person.home, person.commuteMode)), since + .minutes(30))
    if draw.chance(habits.afterWork) {
      errand(at: leaves, mode: person.commuteMode, habits)
      if place == Person.work { go(to: Person.home, person.commuteMode, at: leaves) }
    } else {
      go(to: Person.home, person.commuteMode, at: leaves)
    }
    goHome(person.commuteMode, stayed: since)
    if draw.chance(habits.eveningOut) {
      tour(at: max(hour(18.4 + 0.7 * draw.normal()), since + .minutes(20)), habits)
    }
  }

  /// One or two tours of one to three errands.
  private mutating func freeDay(_ habits: Habits) {
    let first = min(max(habits.firstTour + 1.9 * draw.normal(), 6.5), 20)
    tour(at: hour(first), habits)
    if draw.chance(habits.secondTour) {
      tour(at: max(hour(16.6 + 1.4 * draw.normal()), since + .minutes(25)), habits)
    }
  }

  // MARK: Steps

  private mutating func tour(at start: SimInstant, _ habits: Habits) {
    let u = draw.uniform()
    let errands = u < 0.74 ? 1 : u < 0.95 ? 2 : 3
    var mode: TravelMode?
    var leaves = start
    for _ in 0..<errands where plan.count < DayPlan.visitsMax - 2 {
      let before = plan.count
      mode = errand(at: leaves, mode: mode, habits)
      if plan.count == before { break }
      leaves = stayEnd(habits, home: mode ?? .walk)
    }
    if let mode, place != Person.home { go(to: Person.home, mode, at: leaves) }
  }

  /// Goes to some other place, unless the person could not be home in time.
  @discardableResult
  private mutating func errand(
    at leaves: SimInstant, mode: TravelMode?, _ habits: Habits
  ) -> TravelMode {
    let target = otherPlace()
    let person = life.person
    let there = person.place(target)
    let mode = mode ?? Person.mode(person.profile, straight: here.distance(to: there))
    let limit = mode == .walk ? 3_500 : Person.straightMax
    guard target != place, here.distance(to: there) < limit,
      person.home.distance(to: there) < limit
    else { return mode }
    let way = duration(from: here, to: there, mode, number: plan.count)
    let back = duration(from: there, to: person.home, mode, number: plan.count + 1)
    guard leaves + way + back + .minutes(5) <= homeBy else { return mode }
    append(target, at: there, mode, leaves: leaves, takes: way)
    return mode
  }

  /// The end of a stay that begins now: log-normal, and in time to be home by then.
  private mutating func stayEnd(_ habits: Habits, home mode: TravelMode) -> SimInstant {
    let length = max(300, draw.logNormal(median: habits.stayMedian * 3_600, sigma: 1))
    let latest = homeBy - lengthOfLeg(to: Person.home, mode)
    return max(min(since + SimDuration(seconds: length), latest), since + .minutes(5))
  }

  private mutating func goHome(_ mode: TravelMode, stayed: SimInstant) {
    guard place != Person.home else { return }
    let leaves = stayEnd(Habits(life.person.kind, isWeekend: false), home: mode)
    go(to: Person.home, mode, at: leaves)
  }

  /// Place n + 1 with probability falling as n^-0.65: the number of different places a person has
  /// seen then grows like t^0.6, and a favourite takes a third of the visits (Song 2010; STATS).
  private mutating func otherPlace() -> UInt16 {
    let rank = Pareto.rank(draw.uniform())
    return 1 + UInt16(min(max(rank, 1), 50_000))
  }

  private func lengthOfLeg(to target: UInt16, _ mode: TravelMode) -> SimDuration {
    duration(from: here, to: life.person.place(target), mode, number: plan.count)
  }

  /// How long a leg takes does not depend on when it starts.
  private func duration(
    from: PlanePoint, to: PlanePoint, _ mode: TravelMode, number: Int
  ) -> SimDuration {
    LegTravel.duration(of: life.path(day, number, from: from, to: to, mode))
  }

  private mutating func go(to target: UInt16, _ mode: TravelMode, at departure: SimInstant) {
    let there = life.person.place(target)
    append(
      target, at: there, mode, leaves: max(departure, since),
      takes: duration(from: here, to: there, mode, number: plan.count))
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
