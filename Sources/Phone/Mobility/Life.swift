package import Core
package import Scenarios

/// One person's position at any instant, as a function of (town's seed, phone, kind, instant). Days
/// run from 04:00 to 04:00 local time, and begin and end at home. A night at home is one stay.
package struct Life: Sendable, BitwiseCopyable {
  package let town: Town
  let person: Person

  static var dayBorder: SimDuration { .hours(4) }

  package init(town: Town, phone: UInt32, kind: MobilityKind) {
    self.town = town
    person = Person(town: town, phone: phone, kind: kind)
  }

  package func segment(at instant: SimInstant) -> Segment {
    let day = town.clock.day(at: instant, from: Self.dayBorder)
    let plan = DayPlanner.plan(self, day: day)
    if plan.count == 0 { return nightAtHome(after: day - 1, before: day + 1) }
    if instant < plan.departure {
      return stay(Person.home, from: lastHomecoming(day - 1), until: plan[0])
    }
    if instant >= plan.homecoming {
      return stay(Person.home, from: plan.homecoming, until: nextVisit(day + 1))
    }
    var i = plan.count - 1
    while plan[i].departure > instant { i -= 1 }
    let visit = plan[i]
    if instant >= visit.arrival {
      return stay(visit.place, from: visit.arrival, until: plan[i + 1])
    }
    let from = i == 0 ? person.home : self.place(plan[i - 1].place)
    return Segment(
      path: path(day, i, from: from, to: self.place(visit.place), visit.mode),
      grid: town.grid, to: visit.place, from: visit.departure, until: visit.arrival)
  }

  package func segment(after segment: Segment) -> Segment { self.segment(at: segment.end) }

  package var home: PlanePoint { town.grid.plane(person.home) }
  package var work: PlanePoint { town.grid.plane(person.work) }

  /// Returns the position of place 0 (home), 1 (work), 2 (the favourite of the others) or higher.
  package func place(number: Int) -> PlanePoint { town.grid.plane(place(UInt16(number))) }

  func place(_ index: UInt16) -> PlanePoint {
    if index == Person.venue, let event = town.event { return seat(event) }
    return person.place(index, town.people)
  }

  func path(
    _ day: Int32, _ number: Int, from: PlanePoint, to: PlanePoint, _ mode: TravelMode
  ) -> LegPath {
    let draw = Draw(
      seed: person.seed, phone: person.phone, .leg, Int64(day), Int64(number))
    return LegPath(from: from, to: to, key: draw.state, mode: mode, town.people.travel)
  }

  private func stay(_ place: UInt16, from: SimInstant, until next: DayPlan.Visit) -> Segment {
    let surroundings = person.surroundings(of: place, town.people)
    return Segment(
      at: self.place(place), grid: town.grid, place: place, surroundings: surroundings,
      outdoors: surroundings == .indoor
        ? timeOutdoors(at: place, from: from, until: next) : OutdoorTimes(),
      from: from, to: next.departure)
  }

  private func nightAtHome(after: Int32, before: Int32) -> Segment {
    stay(Person.home, from: lastHomecoming(after), until: nextVisit(before))
  }

  // A day at home has a probability well below 1, so both searches below end after a few days.

  private func lastHomecoming(_ day: Int32) -> SimInstant {
    var day = day
    while true {
      let plan = DayPlanner.plan(self, day: day)
      if plan.count > 0 { return plan.homecoming }
      day -= 1
    }
  }

  private func nextVisit(_ day: Int32) -> DayPlan.Visit {
    var day = day
    while true {
      let plan = DayPlanner.plan(self, day: day)
      if plan.count > 0 { return plan[0] }
      day += 1
    }
  }
}
